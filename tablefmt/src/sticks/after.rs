//! The ranks of all positions that a move leads to, worked out together.
//!
//! The positions after a move have long segments in common, which the automaton reads first.
//! So they are read once for all moves that share them. How many sticks a move strikes is then
//! still open; since that decides between neighbouring counts only, the rank is summed up for
//! every number of struck sticks at once.

use super::automaton::NodeId;
use super::ranking::Ranking;
use super::segments::{LENGTHS, Segments};

impl Ranking {
    /// For every move from a position of so many sticks, in some order: how many sticks are
    /// left after it, and the index in its section of the position it leads to.
    ///
    /// # Panics
    /// When the table does not have the position.
    pub fn ranks_after_moves(
        &self,
        position: &Segments,
        sticks: u8,
        mut found: impl FnMut(u8, u32),
    ) {
        let rows = self.spec().rows.get();
        let mut longest_first = Reading {
            ranking: self,
            position,
            node: self.automaton().root(),
            length: rows,
            left: sticks,
            before: [0; LENGTHS + 1],
        };
        for length in (1..=rows).rev() {
            longest_first.read_longer_than(length);
            if position.count(length) > 0 {
                longest_first.ranks_after_moves_in(sticks, &mut found);
            }
        }
    }
}

/// A position after a move, as far as it has been read.
#[derive(Clone)]
struct Reading<'a> {
    ranking: &'a Ranking,
    /// The position before the move.
    position: &'a Segments,
    node: NodeId,
    /// The longest length that is not read yet.
    length: u8,
    /// Sticks of the position before the move, less those of the segments that were read.
    left: u8,
    /// By struck sticks: how many positions with equally many sticks come before.
    before: [u32; LENGTHS + 1],
}

impl Reading<'_> {
    /// The moves from a segment of the length at hand.
    fn ranks_after_moves_in(&self, sticks: u8, found: &mut impl FnMut(u8, u32)) {
        let length = self.length;
        let mut without = self.clone();
        (1..self.position.count(length)).for_each(|_| without.take());
        without.go_down();
        for longer in (0..length).rev() {
            without.read_longer_than(longer);
            let mut with_longer = without.clone();
            if longer > 0 {
                with_longer.take();
            }
            for shorter in (0..=longer.min(length - 1 - longer)).rev() {
                with_longer.read_longer_than(shorter);
                let struck = length - longer - shorter;
                found(sticks - struck, with_longer.rank_with(shorter, struck));
            }
        }
    }

    /// The rank of the position that has one more segment of the length at hand; 0 means none.
    fn rank_with(&self, shorter: u8, struck: u8) -> u32 {
        let before = self.before[usize::from(struck)];
        if shorter == 0 {
            return before;
        }
        let automaton = self.ranking.automaton();
        let here = automaton.node(self.node);
        let left = self.left - struck;
        let taken = self.ranking.all_following(here.down)[usize::from(left)];
        let node = here.take.expect(FITS);
        let rest = self.ranking.rank_of_rest(self.position, node, shorter, left - shorter);
        before + taken + rest.expect(FITS)
    }

    /// Reads all segments that are longer than this.
    fn read_longer_than(&mut self, length: u8) {
        while self.length > length {
            (0..self.position.count(self.length)).for_each(|_| self.take());
            self.go_down();
        }
    }

    /// Reads a segment of the length at hand.
    fn take(&mut self) {
        let here = self.ranking.automaton().node(self.node);
        let following = self.ranking.all_following(here.down);
        // No move strikes more sticks than are left.
        let by_struck = following[..=usize::from(self.left)].iter().rev();
        for (before, following) in self.before.iter_mut().zip(by_struck) {
            *before += following;
        }
        self.left -= self.length;
        self.node = here.take.expect(FITS);
    }

    /// There are no more segments of the length at hand.
    fn go_down(&mut self) {
        self.node = self.ranking.automaton().node(self.node).down;
        self.length -= 1;
    }
}

/// Why the automaton never refuses a segment here.
const FITS: &str = "what fits on the rows still does after a move";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sticks::{Rows, SticksSpec};

    #[test]
    fn ranks_after_moves_are_those_of_the_positions() {
        for rows in [1, 2, 3, 4, 5, 6, 8] {
            let ranking = Ranking::of(SticksSpec { rows: Rows::try_from(rows).unwrap() });
            for index in 0..ranking.entries() {
                let position = ranking.unrank(index).unwrap();
                let mut found = Vec::new();
                let sticks = position.sticks() as u8;
                ranking.ranks_after_moves(&position, sticks, |left, rank| found.push((left, rank)));
                found.sort_unstable();
                let after = position.moves().map(|played| {
                    let left = sticks - played.struck();
                    (left, ranking.rank_in_section(&position.after(played), left).unwrap())
                });
                let mut expected: Vec<_> = after.collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "{rows} rows: {position}");
            }
        }
    }
}
