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

    /// The entries of a unit, counted from the start of the table.
    pub fn entries_of(&self, unit: &UnitRange) -> Range<u64> {
        let start = self.first_entry(unit.section);
        start + unit.first..start + unit.first + unit.entries
    }

    /// Entries that fill a frame in every column at once; units start at multiples of it, so
    /// that a unit is made of whole frames in each column.
    pub fn unit_alignment(&self) -> u64 {
        let narrowest = self.columns.iter().map(|c| c.entry.bytes()).min();
        FRAME_RAW / narrowest.unwrap_or(1)
    }

    /// Whether a unit may have this range: inside its section, and whole frames in each column,
    /// the section's last ones excepted.
    pub fn is_unit(&self, range: &UnitRange) -> bool {
        let alignment = self.unit_alignment();
        let section = self.sections.get(range.section.0 as usize);
        let end = range.first.checked_add(range.entries);
        section.zip(end).is_some_and(|(section, end)| {
            range.entries > 0
                && range.first.is_multiple_of(alignment)
                && (end == section.entries
                    || end < section.entries && end.is_multiple_of(alignment))
        })
    }

    /// Raw bytes of one entry over all columns.
    pub fn entry_bytes(&self) -> u64 {
        self.columns.iter().map(|c| c.entry.bytes()).sum()
    }
}

/// Raw bytes of a data file at the most; a new one is started before a frame would exceed it.
pub const FILE_RAW: u64 = 1 << 30;

/// Which entries a data file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpan {
    /// Index of its first entry in the table.
    pub first_entry: u64,
    /// Number of entries.
    pub entries: u64,
    /// Number of its first frame in the column.
    pub first_frame: u64,
    /// Number of frames.
    pub frames: u64,
}

/// Where a value stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the frame in the column.
    pub frame: u64,
    /// Which value of the frame.
    pub value: u64,
}

/// The frames of one column.
#[derive(Debug, Clone)]
pub struct Frames {
    entry: EntryType,
    /// By section: first entry and first frame; and the totals at the end.
    starts: Vec<(u64, u64)>,
}

/// Raw bytes of each frame of so many entries of one section.
pub fn frame_sizes(entry: EntryType, entries: u64) -> impl Iterator<Item = u32> {
    let raw = entries * entry.bytes();
    let frame = move |i| FRAME_RAW.min(raw - i * FRAME_RAW) as u32;
    (0..raw.div_ceil(FRAME_RAW)).map(frame)
}

impl Frames {
    /// The frames of a column with values `entry`.
    pub fn new(layout: &TableLayout, entry: EntryType) -> Self {
        let mut starts = vec![(0, 0)];
        for section in &layout.sections {
            let (entries, frames) = starts[starts.len() - 1];
            let more = (section.entries * entry.bytes()).div_ceil(FRAME_RAW);
            starts.push((entries + section.entries, frames + more));
        }
        Frames { entry, starts }
    }

    /// Number of frames.
    pub fn count(&self) -> u64 {
        self.starts[self.starts.len() - 1].1
    }

    /// Entries of the table.
    pub fn entries(&self) -> u64 {
        self.starts[self.starts.len() - 1].0
    }

    /// The section that holds a frame, and the frame's number in it.
    fn section_of_frame(&self, frame: u64) -> (usize, u64) {
        let section = self.starts.partition_point(|&(_, first)| first <= frame) - 1;
        (section, frame - self.starts[section].1)
    }

    fn values_in_frame(&self) -> u64 {
        FRAME_RAW / self.entry.bytes()
    }

    /// Index of the first entry of a frame; for [`count`](Self::count), the number of entries.
    pub fn first_entry(&self, frame: u64) -> u64 {
        if frame >= self.count() {
            return self.entries();
        }
        let (section, inside) = self.section_of_frame(frame);
        self.starts[section].0 + inside * self.values_in_frame()
    }

    /// Raw bytes of a frame.
    pub fn raw_len(&self, frame: u64) -> u32 {
        ((self.first_entry(frame + 1) - self.first_entry(frame)) * self.entry.bytes()) as u32
    }

    /// Where an entry's value stands, or `None` past the end of the table.
    pub fn place(&self, entry: u64) -> Option<Place> {
        if entry >= self.entries() {
            return None;
        }
        let section = self.starts.partition_point(|&(first, _)| first <= entry) - 1;
        let (first_entry, first_frame) = self.starts[section];
        let inside = entry - first_entry;
        let (frame, value) = (inside / self.values_in_frame(), inside % self.values_in_frame());
        Some(Place { frame: first_frame + frame, value })
    }

    /// How the column is cut into data files.
    pub fn files(&self) -> Vec<FileSpan> {
        let mut files = Vec::new();
        let (mut first_frame, mut raw) = (0, 0);
        let span = |first_frame, end| {
            let first_entry = self.first_entry(first_frame);
            let entries = self.first_entry(end) - first_entry;
            FileSpan { first_entry, entries, first_frame, frames: end - first_frame }
        };
        for frame in 0..self.count() {
            let len = u64::from(self.raw_len(frame));
            if raw + len > FILE_RAW {
                files.push(span(first_frame, frame));
                (first_frame, raw) = (frame, 0);
            }
            raw += len;
        }
        files.push(span(first_frame, self.count()));
        files
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_entry_is_in_the_frame_that_holds_it(
            sections in prop::collection::vec(1u64..700_000, 1..6),
            entry in any::<prop::sample::Index>(),
            wide in any::<prop::sample::Index>(),
        ) {
            let entry_type = *wide.get(&[EntryType::U8, EntryType::U16, EntryType::U32]);
            let layout = layout(&sections);
            let frames = Frames::new(&layout, entry_type);
            let by_section = layout.sections.iter().map(|s| frame_sizes(entry_type, s.entries));
            let expected: Vec<u32> = by_section.flatten().collect();
            let found: Vec<u32> = (0..frames.count()).map(|f| frames.raw_len(f)).collect();
            prop_assert_eq!(found, expected);

            let entry = entry.index(layout.entries() as usize) as u64;
            let Place { frame, value } = frames.place(entry).unwrap();
            prop_assert_eq!(frames.first_entry(frame) + value, entry);
            prop_assert!(value * entry_type.bytes() < u64::from(frames.raw_len(frame)));
            prop_assert_eq!(frames.place(layout.entries()), None);
        }
    }

    fn layout(sections: &[u64]) -> TableLayout {
        let section = |(i, &entries): (usize, &u64)| SectionSpec { name: i.to_string(), entries };
        TableLayout {
            columns: vec![Column { name: "value".to_owned(), entry: EntryType::U16 }],
            sections: sections.iter().enumerate().map(section).collect(),
        }
    }

    #[test]
    fn frames_never_cross_a_section() {
        let frames = Frames::new(&layout(&[1, 131_072, 131_073, 5]), EntryType::U16);
        let lens: Vec<u32> = (0..frames.count()).map(|f| frames.raw_len(f)).collect();
        assert_eq!(lens, [2, 262_144, 262_144, 2, 10]);
        assert_eq!(frames.place(131_072), Some(Place { frame: 1, value: 131_071 }));
        assert_eq!(frames.place(262_145), Some(Place { frame: 3, value: 0 }));
        assert_eq!(frames.place(262_146), Some(Place { frame: 4, value: 0 }));
        assert_eq!(frames.place(262_151), None);
    }

    #[test]
    fn units_are_whole_frames() {
        let layout = layout(&[5, 131_072 * 2 + 7]);
        let is_unit = |section, first, entries| {
            layout.is_unit(&UnitRange { section: SectionId(section), first, entries })
        };
        assert!(is_unit(0, 0, 5) && is_unit(1, 131_072, 131_072) && is_unit(1, 131_072, 131_079));
        assert!(!is_unit(0, 0, 4), "ends inside a frame");
        assert!(!is_unit(1, 5, 131_067), "starts inside a frame");
        assert!(!is_unit(1, 0, 131_072 * 2 + 8) && !is_unit(0, 0, 131_072), "past the end");
        assert!(!is_unit(1, 0, 0) && !is_unit(2, 0, 1));
        assert!(!is_unit(1, 131_072, u64::MAX) && !is_unit(1, u64::MAX - 131_071, 1));
    }

    #[test]
    fn files_hold_whole_frames_up_to_their_limit() {
        let full = FILE_RAW / 2;
        let files = Frames::new(&layout(&[3, full, full]), EntryType::U16).files();
        let spans: Vec<_> = files.iter().map(|f| (f.first_entry, f.entries, f.frames)).collect();
        let frame = FRAME_RAW / 2;
        let first = 3 + full - frame;
        assert_eq!(spans, [(0, first, 4096), (first, full, 4096), (first + full, frame, 1)]);
    }
}
