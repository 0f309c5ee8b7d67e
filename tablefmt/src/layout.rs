//! How the values of a table are laid out: columns, sections, frames and units.
//!
//! Every family describes itself to the container, the planner and the merge by a
//! [`TableLayout`]; none of those knows the rules of a game. A table is one array of
//! *entries*, cut into *sections*; each entry has one value in every *column*. A column's
//! values are stored as little-endian integers, section after section, in *frames* of
//! [`FRAME_RAW`] bytes. A frame never crosses a section, so the last frame of a section may
//! be shorter, and where any entry is stored follows from arithmetic alone.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Raw bytes of a full frame: the unit of compression and of random access.
pub const FRAME_RAW: u64 = 256 * 1024;

/// The integer type of a column's values, little-endian and unsigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryType {
    /// One byte a value.
    U8,
    /// Two bytes a value.
    U16,
    /// Four bytes a value.
    U32,
}

impl EntryType {
    /// Bytes of one value.
    pub const fn bytes(self) -> u64 {
        match self {
            EntryType::U8 => 1,
            EntryType::U16 => 2,
            EntryType::U32 => 4,
        }
    }

    /// The name used in manifests and file names: `u8`, `u16`, `u32`.
    pub const fn name(self) -> &'static str {
        match self {
            EntryType::U8 => "u8",
            EntryType::U16 => "u16",
            EntryType::U32 => "u32",
        }
    }
}

/// A column: one value for each entry of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Lower-case name, for example `value` or `win`.
    pub name: String,
    /// How each value is stored.
    pub entry: EntryType,
}

/// A section: a run of entries that is computed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionSpec {
    /// A readable name, unique in the table, for example `7,6`.
    pub name: String,
    /// Number of entries, at least 1.
    pub entries: u64,
}

/// Number of a section in its [`TableLayout`], from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SectionId(pub u32);

/// A run of entries inside one section: what one work unit computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UnitRange {
    /// The section.
    pub section: SectionId,
    /// First entry, counted from the start of the section; a multiple of
    /// [`TableLayout::unit_alignment`].
    pub first: u64,
    /// Number of entries, at least 1.
    pub entries: u64,
}

impl UnitRange {
    /// The entries, counted from the start of the section.
    pub fn range(&self) -> Range<u64> {
        self.first..self.first + self.entries
    }
}

/// The columns and sections of a table, in the order in which they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLayout {
    /// The columns, at least one.
    pub columns: Vec<Column>,
    /// The sections, in order of entry index.
    pub sections: Vec<SectionSpec>,
}

impl TableLayout {
    /// Entries of the whole table.
    pub fn entries(&self) -> u64 {
        self.sections.iter().map(|s| s.entries).sum()
    }

    /// Index in the table of the first entry of a section.
    pub fn first_entry(&self, section: SectionId) -> u64 {
        let before = &self.sections[..section.0 as usize];
        before.iter().map(|s| s.entries).sum()
    }

    /// Entries that fill a frame in every column at once; units start at multiples of it, so
    /// that a unit is made of whole frames in each column.
    pub fn unit_alignment(&self) -> u64 {
        let narrowest = self.columns.iter().map(|c| c.entry.bytes()).min();
        FRAME_RAW / narrowest.unwrap_or(1)
    }

    /// Raw bytes of one entry over all columns.
    pub fn entry_bytes(&self) -> u64 {
        self.columns.iter().map(|c| c.entry.bytes()).sum()
    }
}
