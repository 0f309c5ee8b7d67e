//! Manifests, data files and positions that somebody made up or damaged.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::layout::{SectionId, UnitRange};
use retrotab_tablefmt::lookup::{Asked, Lookup};
use retrotab_tablefmt::manifest::{FileManifest, Made, Manifest};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::sticks::{Rows, SticksSpec};
use retrotab_tablefmt::{Table, TableError, TableWriter};

/// Manifest and data file of a small table, with sections of several frames.
pub static TABLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| made(&stack(3, 8)));

/// Those of a table that is quickly sent and checked.
pub static TINY_TABLE: LazyLock<(Vec<u8>, Vec<u8>)> = LazyLock::new(|| made(&stack(2, 3)));

fn stack(stacks: u8, cards: u8) -> TableSpec {
    let (stacks, cards) = (Stacks::try_from(stacks).unwrap(), Cards::try_from(cards).unwrap());
    TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted })
}

fn made(spec: &TableSpec) -> (Vec<u8>, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), spec).unwrap();
    let read = |name| std::fs::read(dir.path().join(name)).unwrap();
    (read("manifest.json"), read("000.u16.zst"))
}

fn value(entry: u64) -> u16 {
    (entry.wrapping_mul(0x9E37_79B9) >> 11) as u16
}

fn write(dir: &Path, spec: &TableSpec) -> Result<(), TableError> {
    let layout = spec.layout();
    let mut writer = TableWriter::create(dir, spec.clone(), layout.clone())?;
    for (i, section) in layout.sections.iter().enumerate() {
        let range = UnitRange { section: SectionId(i as u32), first: 0, entries: section.entries };
        let raw: Vec<u8> =
            layout.entries_of(&range).flat_map(|entry| value(entry).to_le_bytes()).collect();
        let unit = UnitId(i as u32);
        let bytes = encode_shard(JobDigest([7; 32]), unit, range, &layout, &[&raw])?;
        writer.append(&Shard::open(Box::new(bytes), Path::new("shard"), &layout)?, |_| ())?;
    }
    writer.finish(Made::default()).map(|_| ())
}

/// Parses a manifest: what passes claims nothing that does not follow from its parameters.
///
/// # Panics
/// If it is treated wrongly.
pub fn manifest(bytes: &[u8]) {
    match Manifest::parse(bytes, Path::new("made up")) {
        Ok((manifest, layout)) => {
            assert_eq!(manifest.entries, layout.entries());
            for file in manifest.files() {
                let fits = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
                assert!(file.name.chars().all(fits) && !file.name.starts_with('.'));
            }
            manifest.bytes();
        }
        Err(TableError::Corrupt { .. } | TableError::UnsupportedVersion { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

/// Opens bytes as the data file of the small table, of a manifest that agrees with their number,
/// and reads values: right ones, or an error that says what is wrong.
///
/// # Panics
/// If they are treated wrongly.
pub fn data_file(bytes: &[u8]) {
    let Ok((listed, layout)) = Manifest::parse(&TABLE.0, Path::new("m")) else { return };
    let mut json = serde_json::to_value(listed).unwrap();
    json["columns"][0]["files"][0]["bytes"] = bytes.len().into();
    // The manifest bounds the number of bytes.
    let Ok((manifest, _)) = Manifest::parse(json.to_string().as_bytes(), Path::new("m")) else {
        return;
    };
    let open = |_: &FileManifest| Ok((Box::new(bytes.to_vec()) as _, PathBuf::from("data")));
    let entries = layout.entries();
    let read = Table::from_files(manifest, &layout, 1 << 20, open).and_then(|table| {
        (0..entries).step_by(100_000).try_for_each(|entry| table.value(0, entry).map(|_| ()))
    });
    if let Err(error) = read {
        assert!(matches!(error, TableError::Corrupt { .. }), "{error}");
    }
}

static LOOKUPS: LazyLock<Vec<(Lookup, u64)>> = LazyLock::new(|| {
    let sticks = TableSpec::Sticks(SticksSpec { rows: Rows::try_from(5).unwrap() });
    let hands = |game| TableSpec::Hands(HandsSpec { game });
    [stack(3, 8), sticks, hands(Game::Holdem), hands(Game::Omaha)]
        .map(|spec| (Lookup::new(&spec), spec.layout().entries()))
        .into()
});

/// Reads a text as a position of each family: an entry of the table, or the user's mistake.
///
/// # Panics
/// If it is treated wrongly.
pub fn notation(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    for (lookup, entries) in LOOKUPS.iter() {
        for asked in [Asked::Words(&words), Asked::Board(&text)] {
            match lookup.entry(asked) {
                Ok(entry) => assert!(entry < *entries, "{text}"),
                Err(error) => {
                    assert!(error.is_users(), "{text}: {error}");
                    assert!(error.to_string().len() < 1000, "{text}");
                }
            }
        }
    }
}
