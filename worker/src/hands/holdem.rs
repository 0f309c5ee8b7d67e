//! What flushes change in hold'em.
//!
//! There any hand can have a flush: with two cards of the suit from three on the board on, with
//! one from four on, with none from five on. For each two sets of ranks that the hands may hold
//! of a suit, all boards with three or more cards of the suit are compared, once with flushes and
//! once without.

use retrotab_tablefmt::hands::{Evaluator, HandRank, RankCounts};

use super::base::{WinTie, equal, less};
use super::boards::{SlotSize, Slots, Ways};
use crate::stack::simd::{Kernel, LANES, Simd};

/// Compares two hands on all boards with three or more cards of a suit.
pub(super) struct HoldemSuited<'a> {
    /// The ranks of both hands by slot, flushes ignored.
    pub(super) ranks: [&'a [u16]; 2],
    /// What both hold, at most four of each rank.
    pub(super) held: RankCounts,
    /// What each holds of the suit, as bits; no rank is in both.
    pub(super) suited: [u16; 2],
}

impl Kernel for HoldemSuited<'_> {
    type Output = WinTie;

    /// The difference that flushes make.
    #[inline(always)]
    fn run<S: Simd>(self) -> WinTie {
        let mut sum = WinTie::default();
        let most = self.suited.map(u16::count_ones).into_iter().max().unwrap_or(0) as usize;
        let gone = self.suited[0] | self.suited[1];
        let mut start = 0;
        for size in &Slots::get().sizes {
            let values = size.others.len() * LANES;
            if size.cards + most >= 5 {
                let weights = self.weights(size, gone);
                for (v, sets) in size.sets.chunks(LANES).enumerate() {
                    let at = start + v * values;
                    let ranks = self.ranks.map(|ranks| &ranks[at..at + values]);
                    self.vector(sets, gone, ranks, &weights[..size.others.len()], &mut sum);
                }
            }
            start += size.vectors * values;
        }
        sum
    }
}

impl HoldemSuited<'_> {
    /// In how many ways the other cards can be had.
    #[inline(always)]
    fn weights(&self, size: &SlotSize, gone: u16) -> [u16; 91] {
        let mut weights = [0; 91];
        // The card of the suit is one of those that are held, or not among the other suits'.
        let left = |r: usize| 3 - i32::from(self.held.0[r]) + i32::from(gone >> r & 1);
        let ways = Ways::new(|r| left(r).max(0));
        for (weight, &other) in weights.iter_mut().zip(&size.others) {
            *weight = ways.get(other) as u16;
        }
        weights
    }

    /// Adds the difference on the boards of up to sixteen sets of the suit.
    #[inline(always)]
    fn vector(
        &self,
        sets: &[u16],
        gone: u16,
        ranks: [&[u16]; 2],
        weights: &[u16],
        sum: &mut WinTie,
    ) {
        let possible = |set: u16| u16::from(set & gone == 0).wrapping_neg();
        let mut mask = [0; LANES];
        mask.iter_mut().zip(sets).for_each(|(mask, &set)| *mask = possible(set));
        if mask == [0; LANES] {
            return;
        }
        let flushes = self.suited.map(|held| flush_ranks(sets, held));
        // Differences of sums of weights below 2^15.
        let (mut wins, mut ties) = ([0_u16; LANES], [0_u16; LANES]);
        let [first, second] = ranks.map(|ranks| ranks.as_chunks::<LANES>().0);
        for ((first, second), &weight) in first.iter().zip(second).zip(weights) {
            for i in 0..LANES {
                let (a, b) = (first[i], second[i]);
                let with = [a.min(flushes[0][i]), b.min(flushes[1][i])];
                let win = less(with[0], with[1]).wrapping_sub(less(a, b));
                let tie = equal(with[0], with[1]).wrapping_sub(equal(a, b));
                // Masks are 0 and -1.
                wins[i] = wins[i].wrapping_sub(win.wrapping_mul(weight) & mask[i]);
                ties[i] = ties[i].wrapping_sub(tie.wrapping_mul(weight) & mask[i]);
            }
        }
        sum.win += wins.iter().map(|&w| i32::from(w as i16)).sum::<i32>();
        sum.tie += ties.iter().map(|&w| i32::from(w as i16)).sum::<i32>();
    }
}

/// For each set of the board's cards, the best flush with what is held, if there is one.
#[inline(always)]
fn flush_ranks(sets: &[u16], held: u16) -> [u16; LANES] {
    let evaluator = Evaluator::get();
    let mut ranks = [HandRank::WORST.0; LANES];
    for (rank, &set) in ranks.iter_mut().zip(sets) {
        let all = set | held;
        if all.count_ones() >= 5 {
            *rank = evaluator.flush(all).0;
        }
    }
    ranks
}
