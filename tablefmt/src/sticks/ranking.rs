//! Ranking of positions: position <-> index in the table.
//!
//! The positions of n sticks make up section n. In it they stand in the order of dictionaries,
//! each position read as its lengths, the longest first: `1 1 1`, `2 1`, `3`. The rank is the
//! number of positions before: at each segment that the automaton takes, those that have no
//! more segments of that length but as many sticks altogether.

use std::sync::{Arc, OnceLock};

use super::automaton::{Automaton, NodeId};
use super::segments::Segments;
use super::spec::{Rows, SticksSpec};

/// Everything that positions of one table are ranked by.
#[derive(Debug)]
pub struct Ranking {
    spec: SticksSpec,
    automaton: Automaton,
    /// By node, then by number of sticks: how many multisets of so many sticks can follow.
    following: Vec<u32>,
    /// By number of sticks: index of the first position; and the number of positions.
    first: Vec<u64>,
}

impl Ranking {
    /// The ranking of a table. It takes most of a second and 100 MiB to make for 12 rows, and
    /// 6 MiB to keep; it is made once in a process.
    pub fn of(spec: SticksSpec) -> Arc<Ranking> {
        static MADE: [OnceLock<Arc<Ranking>>; Rows::MAX as usize] =
            [const { OnceLock::new() }; Rows::MAX as usize];
        let made = &MADE[usize::from(spec.rows.get()) - 1];
        Arc::clone(made.get_or_init(|| Arc::new(Ranking::new(spec))))
    }

    fn new(spec: SticksSpec) -> Self {
        let automaton = Automaton::new(spec.rows.get());
        let width = usize::from(spec.rows.sticks()) + 1;
        let following = count_following(&automaton, width);
        let root = automaton.root().index() * width;
        let mut first = vec![0];
        for sticks in 0..width {
            first.push(first[sticks] + u64::from(following[root + sticks]));
        }
        Ranking { spec, automaton, following, first }
    }

    /// The table's parameters.
    pub fn spec(&self) -> SticksSpec {
        self.spec
    }

    /// Number of positions, which is that of the table's entries.
    pub fn entries(&self) -> u64 {
        self.first[self.first.len() - 1]
    }

    /// Number of positions of so many sticks.
    pub fn entries_with(&self, sticks: u8) -> u64 {
        let ends = self.first.get(usize::from(sticks)..=usize::from(sticks) + 1);
        ends.map_or(0, |ends| ends[1] - ends[0])
    }

    /// The index of a position in the table, or `None` if the table does not have it.
    pub fn rank(&self, position: &Segments) -> Option<u64> {
        let sticks = u8::try_from(position.sticks()).ok()?;
        if sticks > self.spec.rows.sticks() {
            return None;
        }
        let rank = self.rank_in_section(position, sticks)?;
        Some(self.first[usize::from(sticks)] + u64::from(rank))
    }

    /// The index of a position of so many sticks in its section, or `None` if the table does
    /// not have it.
    pub fn rank_in_section(&self, position: &Segments, sticks: u8) -> Option<u32> {
        let rows = self.spec.rows.get();
        if position.distinct().any(|length| length > rows) {
            return None;
        }
        self.rank_of_rest(position, self.automaton.root(), rows, sticks)
    }

    /// How many multisets that can follow a node, with `left` sticks and lengths up to
    /// `length`, come before those segments of the position that are not longer.
    pub(super) fn rank_of_rest(
        &self,
        position: &Segments,
        mut node: NodeId,
        length: u8,
        mut left: u8,
    ) -> Option<u32> {
        let mut rank = 0;
        for length in (1..=length).rev() {
            for _ in 0..position.count(length) {
                let here = self.automaton.node(node);
                rank += self.following(here.down, left);
                left -= length;
                node = here.take?;
            }
            if left == 0 {
                break;
            }
            node = self.automaton.node(node).down;
        }
        Some(rank)
    }

    /// The position with this index, or `None` past the end of the table.
    pub fn unrank(&self, index: u64) -> Option<Segments> {
        let sticks = self.first.partition_point(|&first| first <= index) - 1;
        let inside = index - self.first[sticks];
        (index < self.entries()).then(|| self.unrank_in_section(sticks as u8, inside as u32))
    }

    /// The position with this index among those of so many sticks.
    ///
    /// # Panics
    /// When there is none.
    pub fn unrank_in_section(&self, sticks: u8, mut index: u32) -> Segments {
        let mut position = Segments::NONE;
        let (mut node, mut left) = (self.automaton.root(), sticks);
        let mut length = self.spec.rows.get();
        while left > 0 {
            let here = self.automaton.node(node);
            let without = self.following(here.down, left);
            if index < without {
                node = here.down;
                length -= 1;
            } else {
                index -= without;
                node = here.take.expect("an index below the number of positions");
                left -= length;
                position = position.with(length);
            }
        }
        position
    }

    pub(super) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// How many multisets can follow a node, by their sticks.
    pub(super) fn all_following(&self, node: NodeId) -> &[u32] {
        let width = usize::from(self.spec.rows.sticks()) + 1;
        &self.following[node.index() * width..][..width]
    }

    fn following(&self, node: NodeId, sticks: u8) -> u32 {
        self.all_following(node)[usize::from(sticks)]
    }
}

/// Counts the multisets that can follow each node, by their sticks, of which there are fewer
/// than `width`.
fn count_following(automaton: &Automaton, width: usize) -> Vec<u32> {
    let nodes = automaton.nodes();
    let mut counts = vec![0_u32; nodes.len() * width];
    counts[NodeId::END.index()] = 1;
    let mut lengths = vec![0; nodes.len()];
    for (i, node) in nodes.iter().enumerate().skip(1) {
        let (before, counted) = counts.split_at_mut(i * width);
        let counted = &mut counted[..width];
        counted.copy_from_slice(&before[node.down.index() * width..][..width]);
        let length = lengths[node.down.index()] + 1;
        lengths[i] = length;
        if let Some(take) = node.take {
            let taken = &before[take.index() * width..][..width - length];
            for (count, more) in counted[length..].iter_mut().zip(taken) {
                *count += more;
            }
        }
    }
    counts
}
