//! A table of made-up values, small enough to write in a moment, large enough for sections of
//! several frames.

use std::path::Path;

use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::manifest::{Made, Manifest};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::{TableError, TableWriter};

pub const JOB: JobDigest = JobDigest([7; 32]);

pub fn spec() -> TableSpec {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(9).unwrap());
    TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted })
}

/// The made-up value of an entry.
pub fn value(entry: u64) -> u16 {
    (entry.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57) as u16 * 300
}

/// The units of a table, each of at most `size` entries.
pub fn units(layout: &TableLayout, size: u64) -> Vec<UnitRange> {
    let mut units = Vec::new();
    for (i, section) in layout.sections.iter().enumerate() {
        for first in (0..section.entries).step_by(size as usize) {
            let entries = size.min(section.entries - first);
            units.push(UnitRange { section: SectionId(i as u32), first, entries });
        }
    }
    units
}

pub fn shard_bytes(layout: &TableLayout, unit: UnitId, range: UnitRange) -> Vec<u8> {
    let first = layout.first_entry(range.section) + range.first;
    let raw: Vec<u8> =
        (first..first + range.entries).flat_map(|entry| value(entry).to_le_bytes()).collect();
    encode_shard(JOB, unit, range, layout, &[&raw]).unwrap()
}

/// Writes the table into `dir` from shards of `size` entries.
pub fn write(dir: &Path, size: u64) -> Result<Manifest, TableError> {
    let layout = spec().layout();
    let mut writer = TableWriter::create(dir, spec(), layout.clone())?;
    for (i, range) in units(&layout, size).into_iter().enumerate() {
        let bytes = shard_bytes(&layout, UnitId(i as u32), range);
        let shard = Shard::open(Box::new(bytes), Path::new("shard"), &layout)?;
        writer.append(&shard, |_| ())?;
    }
    writer.finish(Made { units: 1, workers: 1, wall_seconds: 1 })
}
