//! A hold'em table of made-up values: three columns, and so three data files.

use std::path::Path;

use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::layout::{SectionId, UnitRange};
use retrotab_tablefmt::manifest::{Made, Manifest};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{TableError, TableWriter};

/// Names of its data files.
pub const FILES: [&str; 3] = ["win.000.u32.zst", "tie.000.u32.zst", "placements.000.u8.zst"];

/// Writes the table into `dir`; other seeds give other values.
pub fn write(dir: &Path, seed: u64) -> Result<Manifest, TableError> {
    let spec = TableSpec::Hands(HandsSpec { game: Game::Holdem });
    let layout = spec.layout();
    let mut random = fastrand::Rng::with_seed(seed);
    let shards = layout.sections.iter().enumerate().map(|(i, section)| {
        let range = UnitRange { section: SectionId(i as u32), first: 0, entries: section.entries };
        let raw = layout.columns.iter().map(|column| {
            let bytes = section.entries * column.entry.bytes();
            (0..bytes).map(|_| random.u8(..)).collect::<Vec<u8>>()
        });
        let raw: Vec<Vec<u8>> = raw.collect();
        let columns: Vec<&[u8]> = raw.iter().map(Vec::as_slice).collect();
        encode_shard(JobDigest([7; 32]), UnitId(i as u32), range, &layout, &columns).unwrap()
    });
    let shards: Vec<Vec<u8>> = shards.collect();
    let mut writer = TableWriter::create(dir, spec, layout.clone())?;
    for _ in &layout.columns {
        for bytes in &shards {
            let shard = Shard::open(Box::new(bytes.clone()), Path::new("shard"), &layout)?;
            writer.append(&shard, |_| ())?;
        }
    }
    writer.finish(Made { units: 1, workers: 1, wall_seconds: 1 })
}
