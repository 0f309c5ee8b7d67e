//! Writing, reading and verifying tables, and what happens to damaged ones.

mod small_table;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::source::Access;
use retrotab_tablefmt::{ReadOptions, Table, TableError, verify};
use small_table::{spec, value, write};

const FRAME: u64 = 131_072;

fn check(dir: &Path) -> Result<Manifest, TableError> {
    verify(dir, |_| ControlFlow::Continue(()))
}

/// A table and its one data file.
fn table() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), FRAME).unwrap();
    let data = dir.path().join("000.u16.zst");
    (dir, data)
}

#[test]
fn the_bytes_do_not_depend_on_the_units() {
    let (one, data) = table();
    let two = tempfile::tempdir().unwrap();
    write(two.path(), 5 * FRAME).unwrap();
    for name in ["000.u16.zst", "manifest.json", "SHA256SUMS"] {
        assert_eq!(
            fs::read(one.path().join(name)).unwrap(),
            fs::read(two.path().join(name)).unwrap()
        );
    }
    assert_eq!(fs::read_dir(two.path()).unwrap().count(), 3);
    check(one.path()).unwrap();

    let raw = zstd::stream::decode_all(fs::File::open(data).unwrap()).unwrap();
    let expected: Vec<u8> =
        (0..spec().layout().entries()).flat_map(|entry| value(entry).to_le_bytes()).collect();
    assert!(raw == expected, "plain zstd gives the raw array");
    let identity = check(one.path()).unwrap().identity;
    assert_eq!(identity, blake3::hash(&raw).to_string());
}

#[test]
fn the_digests_are_those_of_the_files() {
    use sha2::{Digest, Sha256};
    let (dir, data) = table();
    let bytes = fs::read(data).unwrap();
    let sha256 = hex::encode(Sha256::digest(&bytes));
    let sums = fs::read_to_string(dir.path().join("SHA256SUMS")).unwrap();
    assert_eq!(sums, format!("{sha256}  000.u16.zst\n"));
    let manifest = check(dir.path()).unwrap();
    let file = &manifest.columns[0].files[0];
    assert_eq!((&file.sha256, &file.blake3), (&sha256, &blake3::hash(&bytes).to_string()));
    assert_eq!(file.bytes, bytes.len() as u64);
    assert_eq!(manifest.compression.file_bytes, 1 << 30);
    assert_eq!(manifest.compression.zstd_version, zstd::zstd_safe::version_string());
}

#[test]
fn a_sum_list_that_is_no_text_is_corrupt() {
    let (dir, _) = table();
    let sums = dir.path().join("SHA256SUMS");
    let whole = fs::read(&sums).unwrap();
    for bytes in [vec![0xFF; whole.len()], whole[1..].to_vec(), [&whole[..], b"\n"].concat()] {
        fs::write(&sums, bytes).unwrap();
        is_corrupt(check(dir.path()), "SHA256SUMS");
    }
}

#[test]
fn every_value_can_be_read() {
    let (dir, _) = table();
    for access in [Access::Read, Access::Map] {
        let options = ReadOptions { access, cache_bytes: 3 << 18 };
        let table = Table::open(dir.path(), options).unwrap();
        let entries = table.manifest().entries;
        for entry in (0..entries).step_by(997).chain([entries - 1]) {
            assert_eq!(table.value(0, entry).unwrap(), u32::from(value(entry)), "{entry}");
        }
        let past = table.value(0, entries).unwrap_err();
        assert!(past.is_users(), "{past}");
    }
}

#[test]
fn runs_of_values_can_be_read() {
    let (dir, _) = table();
    let table = Table::open(dir.path(), ReadOptions::default()).unwrap();
    let entries = table.manifest().entries;
    for run in [0..entries, 5..6, FRAME - 3..2 * FRAME + 4, entries - 1..entries, 7..7] {
        let expected: Vec<u32> = run.clone().map(|entry| value(entry).into()).collect();
        assert!(table.values(0, run.clone()).unwrap() == expected, "{run:?}");
    }
    let past = table.values(0, entries - 1..entries + 1).unwrap_err();
    assert!(past.is_users(), "{past}");
}

#[test]
fn a_table_is_not_written_over() {
    let (dir, _) = table();
    assert!(matches!(write(dir.path(), FRAME), Err(TableError::Exists { .. })));
}

#[test]
fn a_folder_without_manifest_is_no_table() {
    let (dir, data) = table();
    for place in [dir.path().join("nowhere"), data.clone()] {
        assert!(matches!(check(&place), Err(TableError::NotATable { .. })));
    }
    fs::remove_file(dir.path().join("manifest.json")).unwrap();
    assert!(matches!(check(dir.path()), Err(TableError::NotATable { .. })));
}

#[test]
fn missing_files_are_named() {
    for name in ["000.u16.zst", "SHA256SUMS"] {
        let (dir, _) = table();
        fs::remove_file(dir.path().join(name)).unwrap();
        let error = check(dir.path()).unwrap_err();
        assert!(
            matches!(&error, TableError::MissingFile { path } if path.ends_with(name)),
            "{error}"
        );
    }
}

fn is_corrupt(result: Result<Manifest, TableError>, name: &str) -> String {
    match result {
        Err(TableError::Corrupt { path, at, what }) => {
            assert!(path.ends_with(name), "{}", path.display());
            format!("{at}: {what}")
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{name} is damaged but passes"),
    }
}

#[test]
fn files_of_another_length_are_corrupt() {
    let (dir, data) = table();
    let whole = fs::read(&data).unwrap();
    let first_frame = zstd::zstd_safe::find_frame_compressed_size(&whole).unwrap();
    for cut in [0, 1, first_frame, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        fs::write(&data, &whole[..cut]).unwrap();
        is_corrupt(check(dir.path()), "000.u16.zst");
        let open = Table::open(dir.path(), ReadOptions::default()).map(|t| t.manifest().clone());
        is_corrupt(open, "000.u16.zst");
    }
    fs::write(&data, [&whole[..], &[0]].concat()).unwrap();
    is_corrupt(check(dir.path()), "000.u16.zst");
}

#[test]
fn flipped_bits_are_found_and_placed() {
    let (dir, data) = table();
    let whole = fs::read(&data).unwrap();
    for part in 0..40 {
        let byte = (whole.len() - 1) * part / 39;
        let mut flipped = whole.clone();
        flipped[byte] ^= 1 << (part % 8);
        fs::write(&data, &flipped).unwrap();
        is_corrupt(check(dir.path()), "000.u16.zst");
    }
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(&data, &flipped).unwrap();
    let place = is_corrupt(check(dir.path()), "000.u16.zst");
    assert!(place.contains("frame") && place.contains("entries"), "{place}");
    let table = Table::open(dir.path(), ReadOptions::default()).unwrap();
    let bad = (0..table.manifest().entries).step_by(FRAME as usize / 2);
    let bad: Vec<_> = bad.filter(|&entry| table.value(0, entry).is_err()).collect();
    assert!((1..=2).contains(&bad.len()), "one frame is bad: {bad:?}");
}

#[test]
fn a_whole_frame_of_other_values_is_found() {
    let (dir, data) = table();
    let other = tempfile::tempdir().unwrap();
    write(other.path(), FRAME).unwrap();
    let mut bytes = fs::read(&data).unwrap();
    let path = dir.path().join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // A liar who fixes the digests of the file is still caught by the identity.
    manifest["identity"] = serde_json::json!("0".repeat(64));
    fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    assert!(is_corrupt(check(dir.path()), "manifest.json").contains("identity"));
    bytes[100] ^= 1;
    fs::write(&data, bytes).unwrap();
    is_corrupt(check(dir.path()), "000.u16.zst");
}

/// Changes one value of the manifest and says how reading it fails.
fn with_manifest(pointer: &str, new: serde_json::Value) -> TableError {
    let (dir, _) = table();
    let path = dir.path().join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    *manifest.pointer_mut(pointer).unwrap() = new;
    fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
    match check(dir.path()) {
        Err(error) => error,
        Ok(_) => panic!("{pointer} was changed, and the table passes"),
    }
}

#[test]
fn a_manifest_can_claim_nothing() {
    use serde_json::json;
    for (pointer, new) in [
        ("/entries", json!(5)),
        ("/entries", json!(u64::MAX)),
        ("/positions", json!(5)),
        ("/rule", json!("other")),
        ("/rule_blake3", json!("0".repeat(64))),
        ("/table/cards", json!(8)),
        ("/table/cards", json!(200)),
        ("/table/family", json!("unknown")),
        ("/identity", json!("xyz")),
        ("/sections/3/entries", json!(1)),
        ("/columns", json!([])),
        ("/columns/0/entry", json!("u32")),
        ("/columns/0/name", json!("other")),
        ("/columns/0/files", json!([])),
        ("/columns/0/files/0/name", json!("../000.u16.zst")),
        ("/columns/0/files/0/name", json!("/etc/passwd")),
        ("/columns/0/files/0/first_entry", json!(1)),
        ("/columns/0/files/0/raw_bytes", json!(u64::MAX)),
        ("/columns/0/files/0/blake3", json!("")),
        ("/columns/0/files/0/sha256", json!("..")),
        ("/columns/0/files/0/bytes", json!(u64::MAX)),
        ("/compression/frame_bytes", json!(1u64 << 40)),
        ("/compression/file_bytes", json!(0)),
        ("/format", json!("retrotab-shard")),
        ("/table/stacks", json!(0)),
    ] {
        let error = with_manifest(pointer, new.clone());
        assert!(matches!(error, TableError::Corrupt { .. }), "{pointer} {new}: {error}");
    }
    // A length beyond all bounds is refused before the file is looked at, so that lengths can
    // be summed.
    let error = with_manifest("/columns/0/files/0/bytes", json!(u64::MAX));
    assert!(error.to_string().contains("bytes is 18446744073709551615, more than"), "{error}");
    // Lengths and digests of files are checked against the files.
    let error = with_manifest("/columns/0/files/0/bytes", json!(1));
    assert!(error.to_string().contains("000.u16.zst"), "{error}");
    let error = with_manifest("/columns/0/files/0/sha256", json!("0".repeat(64)));
    assert!(error.to_string().contains("SHA256SUMS"), "{error}");
    let error = with_manifest("/version", json!("2.0"));
    assert!(matches!(error, TableError::UnsupportedVersion { .. }), "{error}");
    assert!(error.to_string().contains("2.0"), "{error}");
}

#[test]
fn a_manifest_that_is_not_json_is_corrupt() {
    let (dir, _) = table();
    let path = dir.path().join("manifest.json");
    let whole = fs::read(&path).unwrap();
    for cut in [0, 1, whole.len() / 2, whole.len() - 3] {
        fs::write(&path, &whole[..cut]).unwrap();
        is_corrupt(check(dir.path()), "manifest.json");
    }
    let huge = fs::File::create(&path).unwrap();
    huge.set_len(1 << 40).unwrap();
    is_corrupt(check(dir.path()), "manifest.json");
}

#[test]
fn a_failed_write_leaves_no_table() {
    // A folder in the place of the data file stands for a disk that refuses.
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("000.u16.zst")).unwrap();
    assert!(matches!(write(dir.path(), FRAME), Err(TableError::Io { .. })));
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["000.u16.zst"], "only what was there before");
}
