//! `export` that is stopped, watched, or sent where it cannot write.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod terminal;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use program::{fail, folder, retrotab, run_stack, succeed};
use terminal::Terminal;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(240);
/// An export of a table of 45 sections takes a minute and a half then.
const SLOWLY: &str = "export::read=sleep(2000)";

/// Names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_stopped_export_leaves_nothing_and_the_old_file_as_it_was() {
    let (dir, table) = folder();
    succeed(&mut run_stack(2, 8, &table, &[]));
    let exports = dir.path().join("exports");
    fs::create_dir(&exports).unwrap();
    let out = exports.join("table");
    fs::write(&out, "old").unwrap();
    for (format, signal) in [("csv", "INT"), ("parquet", "TERM")] {
        let mut command = retrotab(&["export", "--format", format, "--out"]);
        command.arg(&out).arg(&table).env("FAILPOINTS", SLOWLY).stderr(Stdio::piped());
        let mut export = command.spawn().unwrap();
        let begin = Instant::now();
        while names(&exports).len() < 2 {
            assert!(begin.elapsed() < PATIENCE, "no temporary file appears");
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut kill = Command::new("kill");
        kill.arg(format!("-{signal}")).arg(export.id().to_string());
        assert!(kill.status().unwrap().success());
        assert_eq!(export.wait().unwrap().code(), Some(1));
        let mut error = String::new();
        export.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        assert!(error.contains("retrotab: stopping") && error.ends_with("stopped\n"), "{error}");
        assert_eq!(names(&exports), ["table"]);
        assert_eq!(fs::read(&out).unwrap(), b"old");
    }
    succeed(retrotab(&["export", "--format", "csv", "--out"]).arg(&out).arg(&table));
    assert!(fs::read(&out).unwrap().starts_with(b"lane1,lane2,value,share\n"));
}

#[test]
fn places_that_cannot_be_written_are_named_before_anything_is_read() {
    let (dir, table) = folder();
    let refused = |out: &Path| {
        // There is no table, but that is not what is said.
        let command = ["export", "--format", "csv", table.to_str().unwrap(), "--out"];
        fail(retrotab(&command).arg(out), 2)
    };
    assert!(refused(dir.path()).contains("this is a folder; --out names a file"));
    assert!(refused(&dir.path().join("new/")).contains("the name of a folder"));
    assert!(refused(Path::new("/dev/null")).contains("no plain file"));
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn a_terminal_shows_how_far_an_export_is_and_stops_it() {
    let (dir, table) = folder();
    succeed(&mut run_stack(2, 8, &table, &[]));
    let exports = dir.path().join("exports");
    fs::create_dir(&exports).unwrap();
    let (table, out) = (table.display(), exports.join("table.csv"));
    let arguments = format!("export {table} --format csv --out {}", out.display());
    let mut export = Terminal::open(&arguments, &[("FAILPOINTS", SLOWLY)]);
    export.wait_for(&["exporting [", "ETA"]);
    export.press("\x03");
    assert_eq!(export.end().code(), Some(1));
    assert_eq!(names(&exports), [""; 0]);
}
