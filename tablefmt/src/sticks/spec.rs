//! Which stick table: number of rows.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ranking::Ranking;
use crate::layout::{Column, EntryType, SectionSpec, TableLayout};

/// Number of rows, 1 to 12; row number r has r sticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Rows(u8);

/// A number of rows outside what the tables can hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the number of rows must be 1 to {}, not {got}", Rows::MAX)]
pub struct RowsOutOfRange {
    got: u8,
}

impl Rows {
    /// The largest number of rows a table can have, and so the longest segment.
    pub const MAX: u8 = 12;

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Sticks of all rows together, at most 78.
    pub const fn sticks(self) -> u8 {
        self.0 * (self.0 + 1) / 2
    }
}

impl TryFrom<u8> for Rows {
    type Error = RowsOutOfRange;

    fn try_from(got: u8) -> Result<Self, RowsOutOfRange> {
        if (1..=Self::MAX).contains(&got) { Ok(Rows(got)) } else { Err(RowsOutOfRange { got }) }
    }
}

impl From<Rows> for u8 {
    fn from(rows: Rows) -> u8 {
        rows.0
    }
}

/// Family parameters of a stick table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SticksSpec {
    /// Number of rows.
    pub rows: Rows,
}

impl fmt::Display for SticksSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows.get() {
            1 => f.write_str("stick table: one row of one stick"),
            rows => write!(f, "stick table: rows of 1 to {rows} sticks"),
        }
    }
}

impl SticksSpec {
    /// One column of bytes, each a [`Value`](super::Value); section n, named `n`, has the
    /// positions of n sticks.
    pub fn layout(&self) -> TableLayout {
        let ranking = Ranking::of(*self);
        let sections = (0..=self.rows.sticks()).map(|sticks| SectionSpec {
            name: sticks.to_string(),
            entries: ranking.entries_with(sticks),
        });
        let column = Column { name: "moves".to_owned(), entry: EntryType::U8 };
        TableLayout { columns: vec![column], sections: sections.collect() }
    }

    /// How many sticks may be left after a move from a position of `sticks` sticks. Any number
    /// up to the longest segment can be struck, and some position has the longest row whole as
    /// long as there are sticks enough for it.
    pub fn sticks_after_a_move(&self, sticks: u8) -> Range<u8> {
        sticks.saturating_sub(self.rows.get())..sticks
    }

    /// The text whose digest names the rules, the ranking and the meaning of the values.
    pub fn rule_text(&self) -> String {
        format!("retrotab sticks last-loses-1 ranking-1 rows={}", self.rows.get())
    }
}
