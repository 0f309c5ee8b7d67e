//! Hand and stick tables by a coordinator and workers, one of which dies: the same as in one
//! process.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fleet::Fleet;
use program::{folder, retrotab, succeed, verified_identity};

/// The data files of a table, by name.
fn data(table: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(table).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "zst"));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

/// Whether two tables are the same to the byte; says how many data files they have.
fn same(one: &Path, other: &Path) -> usize {
    assert_eq!(verified_identity(one), verified_identity(other));
    let (one, other) = (data(one), data(other));
    assert!(one.keys().eq(other.keys()), "{:?}, {:?}", one.keys(), other.keys());
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{name}");
    }
    one.len()
}

/// Makes a table with two workers, of which the first is killed when it has a unit and `units` are
/// done; compares it with those made in one process, and says how many data files it has.
fn killed_on_the_way(job: &[&str], units: u64) -> usize {
    let mut fleet = Fleet::start(5);
    fleet.submit_job(job);
    let victim = fleet.start_worker("victim", &[]);
    fleet.coordinator().says("unit leased");
    fleet.start_worker("steady", &[]);
    fleet.wait_units(units);
    fleet.workers[victim].kill();
    fleet.finishes();
    let files = [&[][..], &["--threads", "1"]].map(|threads| {
        let (_dir, alone) = folder();
        succeed(retrotab(&["run"]).args(job).args(threads).arg("--out").arg(&alone));
        same(&fleet.table(), &alone)
    });
    files[0]
}

/// One unit of three columns: whoever has it dies with it.
#[test]
fn the_holdem_table_is_the_same() {
    assert_eq!(killed_on_the_way(&["holdem"], 0), 3);
}

/// Units that need those before them.
#[test]
fn a_stick_table_is_the_same() {
    assert_eq!(killed_on_the_way(&["sticks", "--rows", "8"], 15), 1);
}
