//! How large units are.

use retrotab_tablefmt::layout::TableLayout;

/// Raw bytes of the smallest unit chosen by itself: storing a unit costs a few flushes of
/// the disk, which must stay small beside computing it.
const SMALLEST_AUTOMATIC: u64 = 4 << 20;
/// Raw bytes of the largest unit chosen by itself: a worker holds a unit in memory.
const LARGEST_AUTOMATIC: u64 = 128 << 20;
/// Units a table is cut into, if that gives units between the two.
const AUTOMATIC_UNITS: u64 = 128;

/// How many entries a unit has. The size decides how finely work is spread and lost, never
/// what the finished table is; but it fixes the shards, so a job cannot change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnitSize {
    /// Chosen from the layout alone: about 128 units of 4 to 128 MiB raw.
    #[default]
    Automatic,
    /// This many entries, rounded up to whole frames.
    Entries(u64),
}

impl UnitSize {
    /// Entries of a full unit: a positive multiple of the layout's unit alignment.
    pub fn entries(self, layout: &TableLayout) -> u64 {
        let wanted = match self {
            UnitSize::Entries(entries) => entries,
            UnitSize::Automatic => {
                let entry = layout.entry_bytes().max(1);
                let even = layout.entries() / AUTOMATIC_UNITS;
                even.clamp(SMALLEST_AUTOMATIC / entry, LARGEST_AUTOMATIC / entry)
            }
        };
        let alignment = layout.unit_alignment();
        // Sizes near the end of u64 mean one unit a section, whatever they are rounded to.
        wanted.clamp(1, u64::MAX / 2).next_multiple_of(alignment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::test_layouts::layout;

    #[test]
    fn sizes_are_whole_frames() {
        let layout = layout(&[("0,0", 1)]);
        let entries = |n| UnitSize::Entries(n).entries(&layout);
        assert_eq!([entries(0), entries(1), entries(131_072)], [131_072; 3]);
        assert_eq!(entries(131_073), 262_144);
        assert_eq!(entries(u64::MAX) % 131_072, 0);
    }

    #[test]
    fn automatic_sizes_stay_in_bounds() {
        let size = |entries| UnitSize::Automatic.entries(&layout(&[("0,0", entries)])) * 2;
        assert_eq!(size(1), 4 << 20);
        assert_eq!(size(1 << 30), 16 << 20);
        assert_eq!(size(1 << 40), 128 << 20);
    }
}
