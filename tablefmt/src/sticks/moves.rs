//! The rules, for positions: what a move does to a segment.

use super::segments::Segments;

/// A move: from a segment a run of sticks is struck, which leaves a segment on either side of
/// the run, or none where the run reaches the segment's end. Which side is which does not
/// matter for the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// Length of the segment.
    pub length: u8,
    /// What is left on one side; 0 is nothing.
    pub longer: u8,
    /// What is left on the other side, not more.
    pub shorter: u8,
}

impl Move {
    /// Sticks that are struck, at least 1.
    pub fn struck(&self) -> u8 {
        self.length - self.longer - self.shorter
    }
}

impl Segments {
    /// All moves that give different positions.
    pub fn moves(&self) -> impl Iterator<Item = Move> + use<> {
        self.distinct().flat_map(|length| {
            (0..length).flat_map(move |longer| {
                let shorter = 0..=longer.min(length - 1 - longer);
                shorter.map(move |shorter| Move { length, longer, shorter })
            })
        })
    }

    /// The position after a move.
    #[must_use]
    pub fn after(&self, played: Move) -> Segments {
        self.without(played.length).with(played.longer).with(played.shorter)
    }
}
