//! What flushes change in Omaha, apart from straight flushes.
//!
//! Let the hands hold the ranks `F1` and `F2` of a suit, `U` both together, and let the board
//! have the ranks `S` of the suit, three or more. Only a hand with two cards of the suit has a
//! flush. If both have one, the one with the higher card in `F` has the higher flush, whatever
//! `S` is: the best three of `S` are the same for both. The hand with the (higher) flush, the
//! *leader*, then wins, unless a hand has a full house or quads, a *boat*. A boat wins without
//! flushes too. So flushes change exactly the boards where neither hand has a boat, and there
//! the leader wins what it would not have won:
//!
//! ```text
//! gain(U) = boards with three or more of the suit, no boats, that the leader loses or ties
//! ```
//!
//! # All `U` at once
//!
//! Which boards there are depends on `U`: its cards are gone. Call the card of rank `r` and the
//! suit *slot* `r`. A slot in `U` is empty, but the suits' other cards of rank `r` are then one
//! more than where the slot is full: in generating functions, `(1 + x)^(4 - n)` for a rank in
//! `U` of which the hands hold `n`, and `(1 + x y)(1 + x)^(3 - n)` for others, where `y` marks
//! cards of the suit. Since `(1 + x)^(4 - n) = (1 + x)(1 + x)^(3 - n)`, we may treat the slots in
//! `U` as full, and not count them as cards of the suit. (For `n = 4` the exponent `3 - n` is
//! -1; the sums come out right all the same.)
//!
//! So let `H(X)` be the sum over boards whose full slots drawn are `X`, with the other cards from
//! `3 - n` of each rank, and then `gain(U)` is the sum of `H(X)` over `X` with at least three
//! slots outside `U`. Only `A = X & M` matters, where `M` are the ranks that the hands hold.
//! With `x` slots in all, the condition is that `U` has at most `x - 3` of them. As a function of
//! `i = |X & U|` that is a sum of `c(i) = sum over k of coefficient(k) C(i, k)`, and the sum over
//! `X` of `H(X) C(|X & U|, k)` is the sum over subsets `I` of `U` with `k` elements of the sum of
//! `H` over the supersets of `I`. Both kinds of sums are zeta transforms.

use retrotab_tablefmt::hands::RankCounts;

use super::base::{equal, less};
use super::boards::{Slots, Ways};
use super::ranks::WORST_BOAT;
use super::tables::side_by_side;
use crate::stack::simd::{Kernel, LANES, Simd};

/// Most ranks that two hands hold.
pub(super) const MAX_HELD: usize = 8;
const SUBSETS: usize = 1 << MAX_HELD;

/// Boards without boats that the first hand wins, ties and loses, flushes ignored. (Four, so
/// that they are a vector.)
pub(super) type Outcomes = [i32; 4];

/// Sums by subset of the ranks held.
type BySubset = [Outcomes; SUBSETS];

/// Coefficients of binomials that say whether `i` is 0, at most 1, at most 2.
const AT_MOST: [[i32; 6]; 3] = [[1, -1, 1, -1, 0, 0], [1, 0, -1, 2, -3, 0], [1, 0, 0, -1, 3, -6]];

/// Room for the sums of one tile.
#[derive(Debug)]
pub(super) struct SuitedRoom {
    /// By number of slots, from three.
    by_slots: Box<[BySubset; 3]>,
    gains: Box<BySubset>,
}

impl Default for SuitedRoom {
    fn default() -> Self {
        let empty = [Outcomes::default(); SUBSETS];
        SuitedRoom { by_slots: Box::new([empty; 3]), gains: Box::new(empty) }
    }
}

/// For each slot set of [`Slots`], in its order: which of some ranks it has, as bits that stand
/// side by side.
pub(super) fn projection(ranks: u16) -> Vec<u8> {
    let mut all = Vec::new();
    for size in &Slots::get().sizes {
        all.extend(size.sets.iter().map(|&set| side_by_side(set, ranks)));
        all.resize(all.len().next_multiple_of(LANES), 0);
    }
    all
}

/// Works out for each set `U` of the ranks held, as bits side by side, the [`Outcomes`] of the
/// boards that have three or more cards of the suit.
pub(super) struct Suited<'a> {
    /// The ranks of both hands by slot, flushes ignored.
    pub(super) ranks: [&'a [u16]; 2],
    /// What both hold, at most four of each rank.
    pub(super) held: RankCounts,
    /// The [`projection`] on the ranks held.
    pub(super) projection: &'a [u8],
    pub(super) room: &'a mut SuitedRoom,
}

impl<'a> Kernel for Suited<'a> {
    type Output = &'a [Outcomes];

    #[inline(always)]
    fn run<S: Simd>(self) -> &'a [Outcomes] {
        let Suited { ranks, held, projection, room } = self;
        let subsets = 1 << held.support().count_ones();
        let mut at = 0;
        let mut sets = projection.as_chunks::<LANES>().0.iter();
        let [first, second] = ranks.map(|ranks| ranks.as_chunks::<LANES>().0);
        let ways = Ways::new(|r| 3 - i32::from(held.0[r]));
        for (size, sums) in Slots::get().sizes.iter().zip(room.by_slots.iter_mut()) {
            sums[..subsets].fill(Outcomes::default());
            let mut weights = [0; 91];
            let others = weights.iter_mut().zip(&size.others);
            others.for_each(|(weight, &other)| *weight = ways.get(other) as u16);
            let weights = &weights[..size.others.len()];
            for sets in sets.by_ref().take(size.vectors) {
                let end = at + weights.len();
                let outcomes = compare(&first[at..end], &second[at..end], weights);
                for (i, &set) in sets.iter().enumerate() {
                    let sum = &mut sums[usize::from(set)];
                    (0..3).for_each(|k| sum[k] += i32::from(outcomes[k][i] as i16));
                }
                at = end;
            }
        }
        room.transform(subsets);
        &room.gains[..subsets]
    }
}

/// Wins, ties and losses of sixteen slot sets over all other cards.
#[inline(always)]
fn compare(first: &[[u16; LANES]], second: &[[u16; LANES]], weights: &[u16]) -> [[u16; LANES]; 3] {
    let (mut wins, mut ties, mut all) = ([0_u16; LANES], [0_u16; LANES], [0_u16; LANES]);
    for ((first, second), &weight) in first.iter().zip(second).zip(weights) {
        for i in 0..LANES {
            let (a, b) = (first[i] as i16, second[i] as i16);
            let no_boat = weight & less(WORST_BOAT, a.min(b) as u16);
            wins[i] = wins[i].wrapping_add(no_boat & less(first[i], second[i]));
            ties[i] = ties[i].wrapping_add(no_boat & equal(first[i], second[i]));
            all[i] = all[i].wrapping_add(no_boat);
        }
    }
    let losses = |i: usize| all[i].wrapping_sub(wins[i]).wrapping_sub(ties[i]);
    [wins, ties, std::array::from_fn(losses)]
}

#[inline(always)]
fn add(to: &mut Outcomes, other: Outcomes) {
    (0..4).for_each(|k| to[k] += other[k]);
}

impl SuitedRoom {
    #[inline(always)]
    fn transform(&mut self, subsets: usize) {
        for sums in self.by_slots.iter_mut() {
            let sums = &mut sums[..subsets];
            each_pair(subsets, |without, with| {
                let more = sums[with];
                add(&mut sums[without], more);
            });
        }
        let gains = &mut self.gains[..subsets];
        for (set, gain) in gains.iter_mut().enumerate() {
            *gain = Outcomes::default();
            let elements = set.count_ones() as usize;
            if elements > 5 {
                continue;
            }
            for (sums, coefficients) in self.by_slots.iter().zip(&AT_MOST) {
                (0..4).for_each(|k| gain[k] += coefficients[elements] * sums[set][k]);
            }
        }
        each_pair(subsets, |without, with| {
            let more = gains[without];
            add(&mut gains[with], more);
        });
    }
}

/// Calls `each` with every set that lacks an element, and the set with it, element by element.
#[inline(always)]
fn each_pair(subsets: usize, mut each: impl FnMut(usize, usize)) {
    let mut bit = 1;
    while bit < subsets {
        for high in (0..subsets).step_by(2 * bit) {
            (high..high + bit).for_each(|set| each(set, set | bit));
        }
        bit *= 2;
    }
}
