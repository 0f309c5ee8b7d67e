//! Writing tables of several columns and files, in any units; and writing that goes wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use retrotab_tablefmt::layout::{
    Column, EntryType, FILE_RAW, FRAME_RAW, SectionId, SectionSpec, TableLayout, UnitRange,
};
use retrotab_tablefmt::manifest::{Made, Manifest};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::source::{Access, open};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Rule, StackSpec};
use retrotab_tablefmt::{Table, TableError, TableWriter};

/// Entries that fill a frame of the narrower column.
const ALIGNMENT: u64 = FRAME_RAW;
const SECTIONS: [u64; 4] = [5, 600_000, ALIGNMENT, 300_001];

/// The layouts here are made up, so the specification is any.
fn spec() -> TableSpec {
    let (stacks, cards) = (3.try_into().unwrap(), 9.try_into().unwrap());
    TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted })
}

fn layout_of(columns: &[(&str, EntryType)], sections: &[u64]) -> TableLayout {
    let section =
        |(i, &entries): (usize, &u64)| SectionSpec { name: format!("section {i}"), entries };
    TableLayout {
        columns: columns
            .iter()
            .map(|&(name, entry)| Column { name: name.to_owned(), entry })
            .collect(),
        sections: sections.iter().enumerate().map(section).collect(),
    }
}

fn layout() -> TableLayout {
    layout_of(&[("win", EntryType::U32), ("depth", EntryType::U8)], &SECTIONS)
}

fn value(column: usize, entry: u64) -> u32 {
    let mixed = (entry ^ (column as u64) << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    if column == 0 { (mixed >> 40) as u32 } else { (mixed >> 61) as u32 }
}

/// The raw values of some entries of a column.
fn raw(column: usize, entries: std::ops::Range<u64>) -> Vec<u8> {
    let bytes = [4, 1][column];
    entries.flat_map(|e| value(column, e).to_le_bytes().into_iter().take(bytes)).collect()
}

fn shard(layout: &TableLayout, range: UnitRange) -> Vec<u8> {
    let first = layout.first_entry(range.section) + range.first;
    let columns = [0, 1].map(|column| raw(column, first..first + range.entries));
    encode_shard(JobDigest([1; 32]), UnitId(0), range, layout, &columns.each_ref().map(|c| &c[..]))
        .unwrap()
}

fn open_shard(bytes: &[u8], layout: &TableLayout) -> Shard {
    Shard::open(Box::new(bytes.to_vec()), Path::new("the shard"), layout).unwrap()
}

/// Every section cut into units of these lengths in frames, used in turn.
fn units(lengths: &[u64]) -> Vec<UnitRange> {
    let mut lengths = lengths.iter().cycle();
    let mut units = Vec::new();
    for (i, &all) in SECTIONS.iter().enumerate() {
        let mut first = 0;
        while first < all {
            let entries = (lengths.next().unwrap() * ALIGNMENT).min(all - first);
            units.push(UnitRange { section: SectionId(i as u32), first, entries });
            first += entries;
        }
    }
    units
}

fn write(dir: &Path, lengths: &[u64]) -> Result<Manifest, TableError> {
    let layout = layout();
    let shards: Vec<Vec<u8>> = units(lengths).iter().map(|&unit| shard(&layout, unit)).collect();
    let mut writer = TableWriter::create(dir, spec(), layout.clone())?;
    for column in 0..layout.columns.len() {
        for bytes in &shards {
            assert_eq!(writer.column(), Some(column));
            writer.append(&open_shard(bytes, &layout), |_| ())?;
        }
    }
    assert_eq!(writer.column(), None);
    writer.finish(Made::default())
}

fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let name = |path: &PathBuf| path.file_name().unwrap().into();
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    files.sort();
    files
}

/// The files of the table written in one unit for each section.
static WHOLE: LazyLock<Vec<(PathBuf, Vec<u8>)>> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[100]).unwrap();
    files(dir.path())
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn the_bytes_do_not_depend_on_the_units(lengths in prop::collection::vec(1u64..4, 1..6)) {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &lengths).unwrap();
        prop_assert!(files(dir.path()) == *WHOLE);
    }
}

#[test]
fn columns_stand_in_files_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = write(dir.path(), &[2]).unwrap();
    let names: Vec<PathBuf> = WHOLE.iter().map(|(name, _)| name.clone()).collect();
    let expected = ["SHA256SUMS", "depth.000.u8.zst", "manifest.json", "win.000.u32.zst"];
    assert_eq!(names, expected.map(PathBuf::from));

    let entries = layout().entries();
    let mut all = Vec::new();
    for (column, name) in ["win.000.u32.zst", "depth.000.u8.zst"].iter().enumerate() {
        let file = fs::read(dir.path().join(name)).unwrap();
        let plain = zstd::stream::decode_all(&file[..]).unwrap();
        assert!(plain == raw(column, 0..entries), "plain zstd gives the raw array of {name}");
        all.extend(plain);
    }
    assert_eq!(manifest.identity, blake3::hash(&all).to_string());
}

#[test]
fn a_table_is_read_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = write(dir.path(), &[2]).unwrap();
    let in_memory = |file: &retrotab_tablefmt::manifest::FileManifest| {
        let bytes = fs::read(dir.path().join(&file.name)).unwrap();
        Ok((Box::new(bytes) as _, PathBuf::from("in memory")))
    };
    let table = Table::from_files(manifest, &layout(), 1 << 20, in_memory).unwrap();
    let entries = layout().entries();
    for column in [0, 1] {
        for entry in (0..entries).step_by(991).chain([4, 5, entries - 1]) {
            assert_eq!(table.value(column, entry).unwrap(), value(column, entry), "{entry}");
        }
    }
    assert!(table.value(1, entries).unwrap_err().is_users());
}

/// Values of several files, every frame of which has a number of its own.
#[test]
fn a_new_file_starts_within_a_unit() {
    let full = FILE_RAW / 2;
    let frame = FRAME_RAW / 2;
    // The short section shifts the limit by a frame, into the last unit.
    let layout = layout_of(&[("value", EntryType::U16)], &[3, full + 2 * frame]);
    let numbered = |first: u64, entries: u64| -> Vec<u8> {
        let mut raw = vec![0; entries as usize * 2];
        for (i, frame_raw) in raw.chunks_mut(FRAME_RAW as usize).enumerate() {
            frame_raw[..2].copy_from_slice(&((first / frame) as u16 + i as u16).to_le_bytes());
        }
        raw
    };
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::create(dir.path(), spec(), layout.clone()).unwrap();
    let mut identity = blake3::Hasher::new();
    for (section, all) in layout.sections.iter().enumerate() {
        for first in (0..all.entries).step_by(1000 * frame as usize) {
            let entries = (1000 * frame).min(all.entries - first);
            let raw = numbered(first, entries);
            identity.update(&raw);
            let range = UnitRange { section: SectionId(section as u32), first, entries };
            let bytes =
                encode_shard(JobDigest([1; 32]), UnitId(0), range, &layout, &[&raw]).unwrap();
            writer.append(&open_shard(&bytes, &layout), |_| ()).unwrap();
        }
    }
    let manifest = writer.finish(Made::default()).unwrap();
    assert_eq!(manifest.identity, identity.finalize().to_string());
    let spans: Vec<_> = manifest.columns[0]
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.first_entry, file.entries))
        .collect();
    let first = 3 + full - frame;
    assert_eq!(spans, [("000.u16.zst", 0, first), ("001.u16.zst", first, 3 * frame)]);

    let files = |file: &retrotab_tablefmt::manifest::FileManifest| {
        let path = dir.path().join(&file.name);
        Ok((open(&path, Access::Map)?, path))
    };
    let table = Table::from_files(manifest, &layout, 1 << 20, files).unwrap();
    for number in [0, 1, 4094, 4095, 4096, 4097] {
        assert_eq!(table.value(0, 3 + number * frame).unwrap(), number as u32);
    }
}

/// A writer of the table and its shards, each with its place.
fn started(dir: &Path) -> (TableWriter, Vec<Vec<u8>>) {
    let writer = TableWriter::create(dir, spec(), layout()).unwrap();
    (writer, units(&[1]).iter().map(|&unit| shard(&layout(), unit)).collect())
}

/// That the writer makes no table any more and leaves nothing that looks like one.
fn is_broken(mut writer: TableWriter, dir: &Path, next: &[u8]) {
    let more = writer.append(&open_shard(next, &layout()), |_| ());
    assert!(matches!(more, Err(TableError::Bug(_))));
    assert!(matches!(writer.finish(Made::default()), Err(TableError::Bug(_))));
    assert_eq!(files(dir), []);
}

#[test]
fn shards_out_of_order_are_refused() {
    for wrong in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let (mut writer, shards) = started(dir.path());
        writer.append(&open_shard(&shards[0], &layout()), |_| ()).unwrap();
        let repeated_or_skipped = open_shard(&shards[(wrong - 1) * 2], &layout());
        let error = writer.append(&repeated_or_skipped, |_| ()).unwrap_err();
        assert!(matches!(error, TableError::Bug(_)), "{error}");
        is_broken(writer, dir.path(), &shards[1]);
    }
}

#[test]
fn shards_of_another_layout_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, shards) = started(dir.path());
    let other = layout_of(&[("value", EntryType::U16)], &SECTIONS);
    let range = UnitRange { section: SectionId(0), first: 0, entries: 5 };
    let bytes = encode_shard(JobDigest([1; 32]), UnitId(0), range, &other, &[&[0; 10]]).unwrap();
    let error = writer.append(&open_shard(&bytes, &other), |_| ()).unwrap_err();
    assert!(matches!(error, TableError::Bug(_)), "{error}");
    is_broken(writer, dir.path(), &shards[0]);
}

#[test]
fn an_unfinished_table_is_not_finished() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, shards) = started(dir.path());
    for bytes in &shards {
        writer.append(&open_shard(bytes, &layout()), |_| ()).unwrap();
    }
    let error = writer.finish(Made::default()).unwrap_err();
    assert!(error.to_string().contains("1 of 2 columns"), "{error}");
    assert!(!dir.path().join("manifest.json").exists());
}

#[test]
fn a_damaged_shard_is_named_and_stops_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, mut shards) = started(dir.path());
    writer.append(&open_shard(&shards[0], &layout()), |_| ()).unwrap();
    let sound = shards[1].clone();
    let middle = sound.len() / 2;
    shards[1][middle] ^= 4;
    let error = writer.append(&open_shard(&shards[1], &layout()), |_| ()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TableError::Corrupt { .. }), "{text}");
    assert!(text.contains("the shard") && text.contains("frame"), "{text}");
    is_broken(writer, dir.path(), &sound);
}

#[test]
fn leftovers_are_removed_and_other_files_kept() {
    let dir = tempfile::tempdir().unwrap();
    let leftover = dir.path().join(".win.000.u32.zst.4242-0.retrotab-tmp");
    let kept = [dir.path().join("film.part"), dir.path().join(".notes.tmp")];
    for path in kept.iter().chain([&leftover]) {
        fs::write(path, "x").unwrap();
    }
    write(dir.path(), &[1]).unwrap();
    assert!(!leftover.exists() && kept.iter().all(|path| path.exists()));
}

#[test]
fn values_that_do_not_fit_make_no_shard() {
    let layout = layout();
    let range = |section, first, entries| UnitRange { section: SectionId(section), first, entries };
    let encode = |range, columns: &[&[u8]]| {
        encode_shard(JobDigest([1; 32]), UnitId(7), range, &layout, columns)
    };
    let (win, depth): (&[u8], &[u8]) = (&[0; 20], &[0; 5]);
    encode(range(0, 0, 5), &[win, depth]).unwrap();
    for wrong in [
        encode(range(0, 0, 5), &[win]),
        encode(range(0, 0, 5), &[win, depth, depth]),
        encode(range(0, 0, 5), &[depth, win]),
        encode(range(0, 0, 4), &[&win[..16], &depth[..4]]),
        encode(range(0, 1, 4), &[&win[..16], &depth[..4]]),
        encode(range(4, 0, 5), &[win, depth]),
        encode(range(1, 0, 0), &[&[], &[]]),
    ] {
        let error = wrong.unwrap_err();
        assert!(error.to_string().contains("unit 7"), "{error}");
    }
}
