//! Running the program as a person does.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A command of the program.
pub fn retrotab(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrotab"));
    command.args(args).env_remove("RETROTAB_LOG").env_remove("RETROTAB_LOG_FORMAT");
    command
}

/// `run stack` into `out`.
pub fn run_stack(stacks: u8, cards: u8, out: &Path, more: &[&str]) -> Command {
    let (stacks, cards) = (stacks.to_string(), cards.to_string());
    let mut command = retrotab(&["run", "stack", "--stacks", &stacks, "--cards", &cards]);
    command.arg("--out").arg(out).args(more);
    command
}

/// `run sticks` into `out`.
pub fn run_sticks(rows: u8, out: &Path, more: &[&str]) -> Command {
    let mut command = retrotab(&["run", "sticks", "--rows", &rows.to_string(), "--out"]);
    command.arg(out).args(more);
    command
}

pub fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Standard output of a command that must succeed.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a command that must fail with an exit code.
pub fn fail(command: &mut Command, code: i32) -> String {
    let output: Output = command.output().unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{command:?}: {error}");
    assert!(!error.contains("panicked"), "{error}");
    assert!(!error.trim().is_empty(), "{command:?} says nothing");
    error
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a command that reads `input`.
pub fn feed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The manifest of a table.
pub fn manifest(dir: &Path) -> serde_json::Value {
    let json = succeed(retrotab(&["info", "--json"]).arg(dir));
    serde_json::from_str(&json).unwrap()
}

/// The identity of a table that passes `verify`.
pub fn verified_identity(dir: &Path) -> String {
    succeed(retrotab(&["verify"]).arg(dir));
    manifest(dir)["identity"].as_str().unwrap().to_owned()
}

/// The files of a table are in another folder, the same to the byte.
pub fn assert_is_copy(copy: &Path, table: &Path) {
    for entry in fs::read_dir(table).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |folder: &Path| fs::read(folder.join(&name)).unwrap();
        assert!(read(copy) == read(table), "{}", name.display());
    }
    assert_eq!(verified_identity(copy), verified_identity(table));
    let mut sums = Command::new("sha256sum");
    sums.args(["--quiet", "-c", "SHA256SUMS"]).current_dir(copy);
    assert!(sums.status().unwrap().success());
}

/// A folder that disappears with the test, and a place for a table in it.
pub fn folder() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("table");
    (dir, table)
}
