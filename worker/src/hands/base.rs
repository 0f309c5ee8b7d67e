//! The base of a tile: one multiset of ranks against another if flushes are ignored.
//!
//! A board of ranks `b` stands for `product of C(4 - n_r, b_r)` boards, where both hands hold
//! `n_r` cards of rank `r`. The product is taken from three tables, for four, four and five of
//! the ranks.

use std::ops::Range;

use retrotab_tablefmt::hands::{RANKS, RankCounts};

use super::boards::{PADDED, Slots};
use crate::stack::simd::{Kernel, LANES, Simd};

/// Sums over boards, from the first hand's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WinTie {
    pub(super) win: i32,
    pub(super) tie: i32,
}

/// Which ranks each table is about.
const PARTS: [Range<usize>; 3] = [0..4, 4..8, 8..RANKS];

/// The weights of boards, by what both hands hold.
#[derive(Debug)]
pub(super) struct BoardWeights {
    parts: [Part; 3],
}

#[derive(Debug)]
struct Part {
    /// By the counts of the part's ranks, in base five: its row, if both hands may hold them.
    row: Vec<u16>,
    /// Rows of a factor for each board.
    rows: Vec<u16>,
}

fn code(ranks: &Range<usize>, held: RankCounts) -> usize {
    ranks.clone().fold(0, |code, r| 5 * code + usize::from(held.0[r]))
}

impl Part {
    /// For hands that hold at most `most` cards together.
    fn new(ranks: &Range<usize>, most: usize) -> Self {
        let codes = 5_usize.pow(ranks.len() as u32);
        let mut part = Part { row: vec![u16::MAX; codes], rows: Vec::new() };
        for wanted in 0..codes {
            let mut held = RankCounts::default();
            let mut rest = wanted;
            for r in ranks.clone().rev() {
                held.0[r] = (rest % 5) as u8;
                rest /= 5;
            }
            if held.cards() <= most {
                part.row[wanted] = (part.rows.len() / PADDED) as u16;
                part.rows.extend(factors(ranks, held));
            }
        }
        part
    }

    fn get(&self, ranks: &Range<usize>, held: RankCounts) -> &[u16] {
        let row = usize::from(self.row[code(ranks, held)]);
        &self.rows[row * PADDED..(row + 1) * PADDED]
    }
}

/// For each board, the product over some ranks.
fn factors(ranks: &Range<usize>, held: RankCounts) -> impl Iterator<Item = u16> {
    let factor =
        move |r: usize, board: RankCounts| choose(4 - u16::from(held.0[r]), board.0[r].into());
    let ranks = ranks.clone();
    let boards = Slots::get().boards.iter();
    let product = move |(_, board)| ranks.clone().map(|r| factor(r, board)).product::<u16>();
    let padding = PADDED - boards.len();
    boards.map(product).chain(std::iter::repeat_n(0, padding))
}

/// In how many ways `k` of `n` cards can be chosen.
fn choose(n: u16, k: u16) -> u16 {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) / (i + 1)) }
}

/// Three factors for each board.
pub(super) type Factors<'a> = [&'a [u16]; 3];

impl BoardWeights {
    /// The weights for hands that hold at most `most` cards together.
    pub(super) fn new(most: usize) -> Self {
        BoardWeights { parts: PARTS.each_ref().map(|ranks| Part::new(ranks, most)) }
    }

    /// The factors when both hands hold `held`, at most four of each rank.
    pub(super) fn factors(&self, held: RankCounts) -> Factors<'_> {
        std::array::from_fn(|i| self.parts[i].get(&PARTS[i], held))
    }
}

/// The factors of one pair of hands, without tables.
pub(super) struct PairWeights([Vec<u16>; 3]);

impl PairWeights {
    pub(super) fn new(held: RankCounts) -> Self {
        PairWeights(PARTS.each_ref().map(|ranks| factors(ranks, held).collect()))
    }

    pub(super) fn factors(&self) -> Factors<'_> {
        self.0.each_ref().map(Vec::as_slice)
    }
}

/// Compares two hands on all boards. The ranks and factors have [`PADDED`] values.
pub(super) struct Base<'a> {
    pub(super) first: &'a [u16],
    pub(super) second: &'a [u16],
    pub(super) factors: Factors<'a>,
}

/// Vectors whose weights, at most 4^5 each, can be added up in 16 bits.
const TOGETHER: usize = 32;

/// All ones where `a < b`, which are less than 2^15.
#[inline(always)]
pub(super) fn less(a: u16, b: u16) -> u16 {
    u16::from((a as i16) < (b as i16)).wrapping_neg()
}

/// All ones where `a == b`.
#[inline(always)]
pub(super) fn equal(a: u16, b: u16) -> u16 {
    u16::from(a == b).wrapping_neg()
}

impl Kernel for Base<'_> {
    type Output = WinTie;

    #[inline(always)]
    fn run<S: Simd>(self) -> WinTie {
        const SPAN: usize = TOGETHER * LANES;
        let (mut win, mut tie) = (0_u32, 0_u32);
        let [low, middle, high] = self.factors.map(|f| f.chunks(SPAN));
        let ranks = self.first.chunks(SPAN).zip(self.second.chunks(SPAN));
        for ((first, second), ((low, middle), high)) in ranks.zip(low.zip(middle).zip(high)) {
            let (mut wins, mut ties) = ([0_u16; LANES], [0_u16; LANES]);
            let (first, second) = (first.as_chunks::<LANES>().0, second.as_chunks::<LANES>().0);
            let (low, middle) = (low.as_chunks::<LANES>().0, middle.as_chunks::<LANES>().0);
            let high = high.as_chunks::<LANES>().0;
            for v in 0..first.len() {
                for i in 0..LANES {
                    let weight = low[v][i].wrapping_mul(middle[v][i]).wrapping_mul(high[v][i]);
                    let (a, b) = (first[v][i], second[v][i]);
                    wins[i] = wins[i].wrapping_add(weight & less(a, b));
                    ties[i] = ties[i].wrapping_add(weight & equal(a, b));
                }
            }
            win += wins.iter().map(|&w| u32::from(w)).sum::<u32>();
            tie += ties.iter().map(|&w| u32::from(w)).sum::<u32>();
        }
        WinTie { win: win as i32, tie: tie as i32 }
    }
}
