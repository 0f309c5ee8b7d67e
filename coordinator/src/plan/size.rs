//! How large units are.

use retrotab_tablefmt::layout::TableLayout;

/// Raw bytes of the smallest unit chosen by itself: storing a unit costs a few flushes of
/// the disk, which must stay small beside computing it.
const SMALLEST_AUTOMATIC: u64 = 4 << 20;
/// Raw bytes of the largest unit chosen by itself: a worker holds a unit in memory.
const LARGEST_AUTOMATIC: u64 = 128 << 20;
/// Units a table is cut into for each worker, if that gives units between the two.
const UNITS_PER_WORKER: u64 = 128;
/// Most units a table is cut into for a fleet. Simulated (`scripts/bench scheduler`), more of
/// them make no fleet faster, however large: what they need has to be fetched first.
const FLEET_UNITS: u64 = 1024;

/// How many entries a unit has. The size decides how finely work is spread and lost, never
/// what the finished table is; but it fixes the shards, so a job cannot change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnitSize {
    /// Chosen from the layout alone: about 128 units of 4 to 128 MiB raw.
    #[default]
    Automatic,
    /// Chosen for so many workers: for one as [`Automatic`](UnitSize::Automatic), for more in
    /// proportion, up to about 1024 units. One worker loses 1 % by the smaller units; eight
    /// are a fifth faster, for fewer of them wait at the end of a section.
    ForWorkers(u32),
    /// This many entries, rounded up to whole frames.
    Entries(u64),
}

impl UnitSize {
    /// Entries of a full unit: a positive multiple of the layout's unit alignment.
    pub fn entries(self, layout: &TableLayout) -> u64 {
        let wanted = match self {
            UnitSize::Entries(entries) => entries,
            UnitSize::Automatic => in_units(layout, UNITS_PER_WORKER),
            UnitSize::ForWorkers(workers) => {
                let units = UNITS_PER_WORKER * u64::from(workers.max(1));
                in_units(layout, units.min(FLEET_UNITS))
            }
        };
        let alignment = layout.unit_alignment();
        // Sizes near the end of u64 mean one unit a section, whatever they are rounded to.
        wanted.clamp(1, u64::MAX / 2).next_multiple_of(alignment)
    }
}

/// Entries of a unit if there are to be so many, within bounds.
fn in_units(layout: &TableLayout, units: u64) -> u64 {
    let entry = layout.entry_bytes().max(1);
    (layout.entries() / units).clamp(SMALLEST_AUTOMATIC / entry, LARGEST_AUTOMATIC / entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::test_layouts::{self, layout};

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

    #[test]
    fn fleets_get_smaller_units_down_to_a_limit() {
        let layout = layout(&[("0,0", 1 << 33)]);
        let size = |workers| UnitSize::ForWorkers(workers).entries(&layout);
        let automatic = UnitSize::Automatic.entries(&layout);
        assert_eq!([0, 1, 2, 4].map(size), [1, 1, 2, 4].map(|n| automatic / n));
        assert_eq!([8, 9, 1000, u32::MAX].map(size), [automatic / 8; 4]);
        let small = test_layouts::layout(&[("0,0", 1 << 28)]);
        assert_eq!(UnitSize::ForWorkers(1000).entries(&small) * 2, 4 << 20);
    }
}
