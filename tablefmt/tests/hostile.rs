//! Files that somebody made up or damaged: never a panic, never a wrong value.

mod small_table;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use proptest::prelude::*;
use retrotab_tablefmt::frame::MAX_COMPRESSED;
use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::manifest::{FileManifest, Manifest};
use retrotab_tablefmt::shard::{Shard, UnitId};
use retrotab_tablefmt::source::ReadAt;
use retrotab_tablefmt::{ReadOptions, Table, TableError};
use small_table::{shard_bytes, spec, value, write};

const UNIT: u64 = 131_072;

/// The manifest and the data file of a table.
static TABLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), UNIT).unwrap();
    let read = |name| fs::read(dir.path().join(name)).unwrap();
    (read("manifest.json"), read("000.u16.zst"))
});

/// The table's parameters say that a shard of this range is a unit.
static LAYOUT: LazyLock<TableLayout> = LazyLock::new(|| spec().layout());

fn a_unit() -> UnitRange {
    let long = LAYOUT.sections.iter().position(|s| s.entries > 2 * UNIT + 1000).unwrap();
    UnitRange { section: SectionId(long as u32), first: UNIT, entries: UNIT }
}

/// One way to damage a file.
#[derive(Debug, Clone)]
enum Damage {
    Set(u8),
    Insert(Vec<u8>),
    Remove(usize),
    Truncate,
}

impl Damage {
    fn at(&self, place: usize, bytes: &mut Vec<u8>) {
        match self {
            Damage::Set(byte) => bytes[place] = *byte,
            Damage::Insert(more) => drop(bytes.splice(place..place, more.iter().copied())),
            Damage::Remove(count) => drop(bytes.drain(place..(place + count).min(bytes.len()))),
            Damage::Truncate => bytes.truncate(place),
        }
    }
}

fn damage() -> impl Strategy<Value = (Damage, prop::sample::Index)> {
    let kind = prop_oneof![
        4 => any::<u8>().prop_map(Damage::Set),
        4 => (0u8..10).prop_map(|digit| Damage::Set(b'0' + digit)),
        1 => prop::collection::vec(any::<u8>(), 1..20).prop_map(Damage::Insert),
        1 => (1usize..200).prop_map(Damage::Remove),
        1 => Just(Damage::Truncate),
    ];
    (kind, any::<prop::sample::Index>())
}

/// What a manifest may say freely: nothing in a reader depends on it.
fn bound(manifest: &Manifest) -> impl PartialEq + std::fmt::Debug + use<> {
    let files = manifest.columns.iter().flat_map(|column| &column.files);
    let files: Vec<_> = files
        .map(|f| (f.name.clone(), f.first_entry, f.entries, f.raw_bytes, f.bytes < 1 << 40))
        .collect();
    (
        manifest.table.clone(),
        manifest.rule.clone(),
        (manifest.positions, manifest.entries),
        manifest.sections.clone(),
        files,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_manifest_changes_nothing_that_counts((damage, place) in damage()) {
        let mut bytes = TABLE.0.clone();
        damage.at(place.index(bytes.len()), &mut bytes);
        match Manifest::parse(&bytes, Path::new("manifest.json")) {
            Ok((manifest, _)) => {
                let (whole, _) = Manifest::parse(&TABLE.0, Path::new("m")).unwrap();
                prop_assert_eq!(bound(&manifest), bound(&whole));
                manifest.bytes();
            }
            Err(TableError::Corrupt { .. } | TableError::UnsupportedVersion { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn made_up_manifests_are_refused(text in "\\PC{0,200}") {
        prop_assert!(Manifest::parse(text.as_bytes(), Path::new("m")).is_err());
    }
}

/// Opens the table with another data file, which the manifest is made to agree with.
fn with_data(data: &[u8]) -> Result<Table, TableError> {
    let (mut manifest, layout) = Manifest::parse(&TABLE.0, Path::new("m")).unwrap();
    manifest.columns[0].files[0].bytes = data.len() as u64;
    let open = |_: &FileManifest| Ok((Box::new(data.to_vec()) as _, PathBuf::from("data")));
    Table::from_files(manifest, &layout, 1 << 20, open)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_damaged_data_file_gives_no_wrong_value(
        (damage, place) in damage(),
        entries in prop::collection::vec(any::<prop::sample::Index>(), 8),
    ) {
        let mut data = TABLE.1.clone();
        damage.at(place.index(data.len()), &mut data);
        let table = match with_data(&data) {
            Err(TableError::Corrupt { .. }) => return Ok(()),
            opened => opened.unwrap(),
        };
        for entry in entries {
            let entry = entry.index(LAYOUT.entries() as usize) as u64;
            match table.value(0, entry) {
                Ok(found) => prop_assert_eq!(found, u32::from(value(entry))),
                Err(TableError::Corrupt { .. }) => {}
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }

    #[test]
    fn any_part_of_a_shard_can_be_read(from in 0..2 * UNIT, len in 0..2 * UNIT) {
        let range = a_unit();
        static SHARD: LazyLock<Vec<u8>> =
            LazyLock::new(|| shard_bytes(&LAYOUT, UnitId(0), a_unit()));
        let shard = Shard::open(Box::new(SHARD.clone()), Path::new("s"), &LAYOUT).unwrap();
        let len = len.min(2 * range.entries - from);
        let mut part = vec![0; len as usize];
        shard.read_raw(0, from, &mut part).unwrap();
        let first = LAYOUT.first_entry(range.section) + range.first;
        for (i, &byte) in part.iter().enumerate() {
            let at = from + i as u64;
            prop_assert_eq!(byte, value(first + at / 2).to_le_bytes()[at as usize % 2]);
        }
    }
}

/// A seek table that sums up to the right length, with one frame that would need far more
/// memory than a frame can.
#[test]
fn a_frame_that_claims_too_much_is_refused() {
    /// Says that it is long, without being so.
    struct Long(Vec<u8>, u64);
    impl ReadAt for Long {
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<()> {
            assert!(buf.len() <= 1 << 20, "{} bytes are asked for at once", buf.len());
            match offset.checked_sub(self.1) {
                Some(offset) => self.0.read_exact_at(offset, buf),
                None => {
                    buf.fill(0);
                    Ok(())
                }
            }
        }
        fn len(&self) -> std::io::Result<u64> {
            Ok(self.0.len() as u64 + self.1)
        }
    }
    let more = u64::from(MAX_COMPRESSED);
    let (mut manifest, layout) = Manifest::parse(&TABLE.0, Path::new("m")).unwrap();
    let frames = retrotab_tablefmt::layout::Frames::new(&layout, layout.columns[0].entry).count();
    let mut data = TABLE.1.clone();
    let first = data.len() - (9 + 8 * frames as usize);
    let stored = u32::from_le_bytes(data[first..first + 4].try_into().unwrap());
    data[first..first + 4].copy_from_slice(&(stored + more as u32).to_le_bytes());
    let long = Long(data, more);
    manifest.columns[0].files[0].bytes = long.len().unwrap();
    let long = std::sync::Mutex::new(Some(long));
    let open = |_: &FileManifest| {
        Ok((Box::new(long.lock().unwrap().take().unwrap()) as _, PathBuf::from("data")))
    };
    let error = Table::from_files(manifest, &layout, 1 << 20, open).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("frame 0 is said to be stored in"), "{error}");
}

/// Replaces a text in a file by another of the same length.
fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let at = bytes.windows(old.len()).position(|w| w == old.as_bytes()).unwrap();
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

#[test]
fn newer_shards_are_refused_by_their_version() {
    let bytes = shard_bytes(&LAYOUT, UnitId(0), a_unit());
    let newer = replaced(&bytes, "\"version\":1", "\"version\":2");
    // They may lack what this version needs.
    let other = replaced(&newer, "\"entries\"", "\"numbers\"");
    for bytes in [newer, other] {
        let error = Shard::open(Box::new(bytes), Path::new("s"), &LAYOUT).unwrap_err();
        assert!(matches!(error, TableError::UnsupportedVersion { .. }), "{error}");
    }
    let none = replaced(&bytes, "retrotab-shard", "retrotab-table");
    let error = Shard::open(Box::new(none), Path::new("s"), &LAYOUT).unwrap_err();
    assert!(error.to_string().contains("retrotab-table"), "{error}");
}

#[test]
fn shards_that_end_inside_a_frame_are_refused() {
    let whole = a_unit();
    let mut short = LAYOUT.clone();
    short.sections[whole.section.0 as usize].entries = 1000;
    let range = UnitRange { first: 0, entries: 1000, ..whole };
    let bytes = shard_bytes(&short, UnitId(0), range);
    Shard::open(Box::new(bytes.clone()), Path::new("s"), &short).unwrap().check().unwrap();
    let error = Shard::open(Box::new(bytes), Path::new("s"), &LAYOUT).unwrap_err();
    assert!(matches!(error, TableError::Corrupt { .. }), "{error}");
}

#[test]
fn newer_minor_versions_with_more_keys_are_read() {
    let text = String::from_utf8(TABLE.0.clone()).unwrap();
    let newer = text.replacen('{', "{\"news\": [1, 2],", 1).replace("\"1.0\"", "\"1.7\"");
    assert!(newer.contains("\"1.7\""));
    Manifest::parse(newer.as_bytes(), Path::new("m")).unwrap();
    for version in ["2.0", "0.9", "x", "", "-1"] {
        let other = text.replace("\"1.0\"", &format!("\"{version}\""));
        let error = Manifest::parse(other.as_bytes(), Path::new("m")).unwrap_err();
        assert!(matches!(error, TableError::UnsupportedVersion { .. }), "{version}: {error}");
    }
}

#[test]
fn names_in_a_manifest_lead_nowhere_else() {
    let text = String::from_utf8(TABLE.0.clone()).unwrap();
    for name in ["../000.u16.zst", "/etc/passwd", "", ".", "001.u16.zst", "a/000.u16.zst"] {
        let other = text.replace("000.u16.zst", name);
        let error = Manifest::parse(other.as_bytes(), Path::new("m")).unwrap_err();
        assert!(error.to_string().contains(&format!("its name is {name:?}")), "{error}");
    }
}

/// A folder with the table's manifest and something else for its data file.
#[test]
fn what_is_not_a_file_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let (manifest, data) = (dir.path().join("manifest.json"), dir.path().join("000.u16.zst"));
    fs::create_dir(&manifest).unwrap();
    let open = || Table::open(dir.path(), ReadOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(open(), TableError::Corrupt { path, .. } if path == manifest));
    fs::remove_dir(&manifest).unwrap();
    // Endless, and of no length.
    std::os::unix::fs::symlink("/dev/zero", &manifest).unwrap();
    assert!(matches!(open(), TableError::Corrupt { path, .. } if path == manifest));
    fs::remove_file(&manifest).unwrap();

    fs::write(&manifest, &TABLE.0).unwrap();
    assert!(matches!(open(), TableError::MissingFile { path } if path == data));
    fs::create_dir(&data).unwrap();
    assert!(matches!(open(), TableError::Corrupt { path, .. } if path == data));
}
