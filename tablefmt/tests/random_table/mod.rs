//! Tables of random values, which do not get smaller by compression, and what is in a folder.

use std::fs;
use std::path::Path;

use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::layout::{SectionId, UnitRange};
use retrotab_tablefmt::manifest::{Made, Manifest};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::{TableError, TableWriter};

/// Names of the data files of [`holdem`].
pub const FILES: [&str; 3] = ["win.000.u32.zst", "tie.000.u32.zst", "placements.000.u8.zst"];

/// Writes a small hold'em table into `dir`: three columns, and so three data files.
pub fn holdem(dir: &Path, seed: u64) -> Result<Manifest, TableError> {
    write(dir, TableSpec::Hands(HandsSpec { game: Game::Holdem }), seed)
}

/// Writes a stack table of one data file of 4.8 MB into `dir`.
pub fn stack(dir: &Path, seed: u64) -> Result<Manifest, TableError> {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(9).unwrap());
    write(dir, TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted }), seed)
}

/// Writes a table into `dir`; other seeds give other values.
fn write(dir: &Path, spec: TableSpec, seed: u64) -> Result<Manifest, TableError> {
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

/// Names of what is in a folder, in order; none if there is no folder.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
