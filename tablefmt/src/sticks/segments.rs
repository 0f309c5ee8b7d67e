//! Positions: how many segments of each length there are.

use std::fmt;

use super::spec::Rows;

/// Lengths that a segment can have: 1 to this.
pub(super) const LENGTHS: usize = Rows::MAX as usize;

/// A position: a multiset of segment lengths, each 1 to 12.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Segments {
    /// How many segments have length `i + 1`. The rows hold at most 42 segments.
    counts: [u8; LENGTHS],
}

impl Segments {
    /// The position in which no stick is left.
    pub const NONE: Segments = Segments { counts: [0; LENGTHS] };

    /// The position at the start of a game: one segment for each row.
    pub fn start(rows: Rows) -> Self {
        (1..=rows.get()).collect()
    }

    /// How many segments have this length.
    pub fn count(&self, length: u8) -> u8 {
        self.counts[usize::from(length) - 1]
    }

    /// The position with one more segment; length 0 means none.
    #[must_use]
    pub fn with(mut self, length: u8) -> Self {
        if length > 0 {
            self.counts[usize::from(length) - 1] += 1;
        }
        self
    }

    /// The position without one of its segments of this length.
    #[must_use]
    pub fn without(mut self, length: u8) -> Self {
        self.counts[usize::from(length) - 1] -= 1;
        self
    }

    /// The lengths that occur, each once, the shortest first.
    pub fn distinct(&self) -> impl Iterator<Item = u8> + use<> {
        let counts = self.counts;
        (1..=Rows::MAX).filter(move |&length| counts[usize::from(length) - 1] > 0)
    }

    /// The lengths of all segments, the shortest first.
    pub fn lengths(&self) -> impl Iterator<Item = u8> + use<> {
        let counts = self.counts;
        self.distinct().flat_map(move |length| {
            std::iter::repeat_n(length, usize::from(counts[usize::from(length) - 1]))
        })
    }

    /// Number of sticks.
    pub fn sticks(&self) -> u16 {
        (1..).zip(self.counts).map(|(length, count)| length * u16::from(count)).sum()
    }
}

impl FromIterator<u8> for Segments {
    /// The position with segments of these lengths, each 0 (no segment) to 12.
    fn from_iter<I: IntoIterator<Item = u8>>(lengths: I) -> Self {
        lengths.into_iter().fold(Segments::NONE, Segments::with)
    }
}

impl fmt::Display for Segments {
    /// The lengths, the shortest first: `1 2 3`; `-` if no stick is left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Segments::NONE {
            return f.write_str("-");
        }
        for (i, length) in self.lengths().enumerate() {
            write!(f, "{}{length}", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segments({self})")
    }
}
