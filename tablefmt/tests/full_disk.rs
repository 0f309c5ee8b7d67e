//! A disk that is full, or read-only, while a table is written.
//!
//! The disk is a small tmpfs in a mount namespace of its own, which vanishes with the process
//! that made it; where the system allows no such namespace, the test says so and passes.

mod small_table;

use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use retrotab_tablefmt::{TableError, verify};
use small_table::write;

const FOLDER: &str = "RETROTAB_TEST_FULL_DISK";
const PAGE: u64 = 4096;
const UNIT: u64 = 131_072;

fn mount(arguments: &[&str], at: &Path) -> bool {
    Command::new("mount").args(arguments).arg(at).status().is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk_makes_no_table() {
    let dir = tempfile::tempdir().unwrap();
    let mut probe = Command::new("unshare");
    let probe = probe.args(["-rm", "mount", "-t", "tmpfs", "none"]).arg(dir.path()).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: mount namespaces are not allowed here");
        return;
    }
    let status = Command::new("unshare")
        .arg("-rm")
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "in_a_namespace_of_its_own", "--nocapture"])
        .env(FOLDER, dir.path())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
#[ignore = "started by the other test, in a mount namespace"]
fn in_a_namespace_of_its_own() {
    // Whoever runs all ignored tests has no such folder, and nothing to mount.
    let Some(disk) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let whole = tempfile::tempdir().unwrap();
    write(whole.path(), UNIT).unwrap();
    let data = fs::metadata(whole.path().join("000.u16.zst")).unwrap().len();

    let resize = |bytes: u64| {
        assert!(mount(&["-o", &format!("remount,size={}", bytes.next_multiple_of(PAGE))], &disk));
    };
    assert!(mount(
        &["-t", "tmpfs", "-o", &format!("size={}", data / 2 / PAGE * PAGE), "none"],
        &disk
    ));
    assert_eq!(refused(&disk, ErrorKind::StorageFull, "make room"), [] as [&str; 0]);

    // Room for the data and SHA256SUMS, but none for the manifest.
    resize(data.next_multiple_of(PAGE) + PAGE);
    let left = refused(&disk, ErrorKind::StorageFull, "make room");
    assert_eq!(left, ["000.u16.zst", "SHA256SUMS"]);

    resize(2 * data + (1 << 20));
    assert!(mount(&["-o", "remount,ro"], &disk));
    let left = refused(&disk, ErrorKind::ReadOnlyFilesystem, "writable disk");
    assert_eq!(left, ["000.u16.zst", "SHA256SUMS"]);

    assert!(mount(&["-o", "remount,rw"], &disk));
    let manifest = write(&disk, UNIT).unwrap();
    assert_eq!(verify(&disk, |_| ControlFlow::Continue(())).unwrap(), manifest);
}

/// Tries to write the table; says what is left in the folder.
fn refused(disk: &Path, kind: ErrorKind, hint: &str) -> Vec<String> {
    let error = write(disk, UNIT).unwrap_err();
    let text = error.to_string();
    let TableError::Io { source, .. } = error else { panic!("{text}") };
    assert_eq!(source.kind(), kind, "{text}");
    assert!(text.contains(hint), "{text}");
    let found = fs::read_dir(disk).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = found.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}
