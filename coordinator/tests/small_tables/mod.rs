//! A small table of each family, of made-up values that no rule contradicts.

use std::path::Path;

use retrotab_tablefmt::TableWriter;
use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::layout::{EntryType, SectionId, UnitRange};
use retrotab_tablefmt::manifest::Made;
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::sticks::{Rows, SticksSpec};

/// Writes the tables `stack`, `hands` and `sticks`.
pub fn write_all(folder: &Path) {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(7).unwrap());
    let stack = StackSpec { stacks, cards, rule: Rule::Sorted };
    let sticks = SticksSpec { rows: Rows::try_from(3).unwrap() };
    write(&folder.join("stack"), TableSpec::Stack(stack), |_, entry| {
        // Nothing that compression could make much smaller.
        let mixed = (entry + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40
    });
    let hands = TableSpec::Hands(HandsSpec { game: Game::Holdem });
    // Twelve placements, so that every cell divides when it is turned.
    write(&folder.join("hands"), hands, |column, _| if column == 2 { 12 } else { 144 });
    write(&folder.join("sticks"), TableSpec::Sticks(sticks), |_, entry| entry % 7);
}

fn write(dir: &Path, spec: TableSpec, value: impl Fn(usize, u64) -> u64) {
    let layout = spec.layout();
    let mut shards = Vec::new();
    for (i, section) in layout.sections.iter().enumerate() {
        let range = UnitRange { section: SectionId(i as u32), first: 0, entries: section.entries };
        let raw: Vec<Vec<u8>> = layout
            .columns
            .iter()
            .enumerate()
            .map(|(column, found)| {
                raw(found.entry, layout.entries_of(&range), |e| value(column, e))
            })
            .collect();
        let columns: Vec<&[u8]> = raw.iter().map(Vec::as_slice).collect();
        let unit = UnitId(i as u32);
        shards.push(encode_shard(JobDigest([7; 32]), unit, range, &layout, &columns).unwrap());
    }
    let mut writer = TableWriter::create(dir, spec, layout.clone()).unwrap();
    for _ in &layout.columns {
        for shard in &shards {
            let shard = Shard::open(Box::new(shard.clone()), Path::new("shard"), &layout).unwrap();
            writer.append(&shard, |_| ()).unwrap();
        }
    }
    writer.finish(Made { units: 1, workers: 1, wall_seconds: 1 }).unwrap();
}

fn raw(entry: EntryType, entries: std::ops::Range<u64>, value: impl Fn(u64) -> u64) -> Vec<u8> {
    let bytes = entry.bytes() as usize;
    entries.flat_map(|entry| value(entry).to_le_bytes()[..bytes].to_vec()).collect()
}
