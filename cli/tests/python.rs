//! A reader and a worker in Python, which were written from docs/format.md and docs/protocol.md
//! alone, on tables and with a coordinator of this program.

use std::path::Path;
use std::process::Command;

#[test]
fn python_reads_all_families_and_works_for_a_coordinator_without_this_code() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/test-python");
    let mut command = Command::new(script);
    command.arg(env!("CARGO_BIN_EXE_retrotab")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    // Once for the reader, once for the worker.
    assert_eq!(said.matches("\nOK\n").count(), 2, "{said}");
}
