//! The Python reader, which was written from docs/format.md alone, on tables of this program.

use std::path::Path;
use std::process::Command;

#[test]
fn python_reads_all_families_without_this_code() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/test-python");
    let mut command = Command::new(script);
    command.arg(env!("CARGO_BIN_EXE_retrotab")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stdout));
    assert!(said.contains("OK"), "{said}");
}
