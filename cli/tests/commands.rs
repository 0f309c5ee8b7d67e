//! Every command on a small table, and what bad input says.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use program::{fail, folder, manifest, retrotab, run_stack, succeed, verified_identity};

fn share(dir: &Path, lanes: [&str; 2]) -> f64 {
    let line = succeed(retrotab(&["probe", "--json"]).arg(dir).args(lanes));
    serde_json::from_str::<serde_json::Value>(&line).unwrap()["share"].as_f64().unwrap()
}

#[test]
fn a_table_is_made_described_verified_and_probed() {
    let (_dir, table) = folder();
    let first = succeed(&mut run_stack(3, 6, &table, &[]));
    assert!(!table.join("work").exists(), "the work folder is removed");
    let manifest = manifest(&table);
    assert_eq!(manifest["table"]["rule"], "sorted-1");
    let info = succeed(retrotab(&["info"]).arg(&table));
    for text in [&first, &info] {
        assert!(text.contains(manifest["identity"].as_str().unwrap()), "{text}");
    }
    assert!(info.contains(&format!("positions  {}", manifest["positions"])), "{info}");

    let exact = [(["....", "...."], 95.0 / 96.0), (["..", "....."], 104.0 / 105.0)];
    for (lanes, exact) in exact {
        assert!((share(&table, lanes) - exact).abs() < 24.0 / 65535.0, "{lanes:?}");
    }
    assert_eq!(share(&table, ["-", "-"]), 1.0);
    assert_eq!(share(&table, ["..1.0", ".2."]), share(&table, [".0.", "..2.1"]));

    let identity = verified_identity(&table);
    let again = succeed(&mut run_stack(3, 6, &table, &[]));
    assert!(again.contains("finished before") && again.contains(&identity), "{again}");
}

#[test]
fn many_positions_are_probed_from_standard_input() {
    let (_dir, table) = folder();
    succeed(&mut run_stack(2, 4, &table, &[]));
    let probe = |input: &str| {
        let mut command = retrotab(&["probe"]);
        command.arg(&table).arg("-").stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = probe("... ...\n\n.1. -\n");
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    let output = probe("... ...\n.x ..\n");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("line 2") && error.contains(".x"), "{error}");
}

#[test]
fn rules_give_different_tables() {
    let (_dir, sorted) = folder();
    let (_dir2, choice) = folder();
    succeed(&mut run_stack(2, 6, &sorted, &["--rule", "sorted"]));
    succeed(&mut run_stack(2, 6, &choice, &["--rule", "choice"]));
    assert_ne!(verified_identity(&sorted), verified_identity(&choice));
    let lanes = ["......", "......"];
    assert!(share(&choice, lanes) > share(&sorted, lanes), "some choice helps");
}

#[test]
fn users_mistakes_have_exit_code_2_and_a_message() {
    let (dir, table) = folder();
    succeed(&mut run_stack(3, 4, &table, &[]));
    let path = table.to_str().unwrap();
    let probe = |lanes: &[&str]| fail(retrotab(&["probe", path]).args(lanes), 2);
    assert!(probe(&["..5", "."]).contains("stack 5"));
    assert!(probe(&["..a", "."]).contains("`a`"));
    assert!(probe(&[".....", "."]).contains("at most 4"));
    assert!(probe(&["...."]).contains("two lanes"));
    assert!(probe(&["", "."]).contains("two lanes"));
    for args in [
        &["run", "stack", "--stacks", "0", "--out", "x"][..],
        &["run", "stack", "--stacks", "6", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--cards", "0", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--cards", "14", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--rule", "other", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--threads", "0", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--memory", "lots", "--out", "x"],
        &["run", "stack", "--stacks", "3", "--unknown", "--out", "x"],
        &["run", "stack", "--stacks", "3"],
        &["nonsense"],
        &[],
    ] {
        fail(retrotab(args).current_dir(dir.path()), 2);
        assert!(!dir.path().join("x").exists(), "{args:?} leaves nothing behind");
    }
    let nowhere = dir.path().join("nowhere");
    fs::create_dir(&nowhere).unwrap();
    for command in ["info", "verify"] {
        assert!(fail(retrotab(&[command]).arg(&nowhere), 2).contains("not a table"));
    }
    let other = fail(&mut run_stack(2, 4, &table, &[]), 2);
    assert!(other.contains("3 stacks") && other.contains("2 stacks"), "{other}");
    let other = fail(&mut run_stack(3, 4, &table, &["--rule", "choice"]), 2);
    assert!(other.contains("choice-1"), "{other}");
}

#[test]
fn damage_has_exit_code_1_and_names_the_file() {
    let (_dir, table) = folder();
    succeed(&mut run_stack(3, 6, &table, &[]));
    let data = table.join("000.u16.zst");
    let whole = fs::read(&data).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    let cut = whole[..whole.len() - 5].to_vec();
    for damaged in [flipped, cut] {
        fs::write(&data, damaged).unwrap();
        let error = fail(retrotab(&["verify"]).arg(&table), 1);
        assert!(error.contains("000.u16.zst") && error.contains("corrupt"), "{error}");
    }
    fs::remove_file(&data).unwrap();
    assert!(fail(retrotab(&["verify"]).arg(&table), 1).contains("missing"));
    let manifest = table.join("manifest.json");
    let newer = fs::read_to_string(&manifest).unwrap().replace("\"1.0\"", "\"2.0\"");
    fs::write(&manifest, newer).unwrap();
    for command in ["info", "verify"] {
        assert!(fail(retrotab(&[command]).arg(&table), 1).contains("2.0"));
    }
    assert!(fail(&mut run_stack(3, 6, &table, &[]), 1).contains("2.0"));
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let (dir, _) = folder();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = fail(&mut run_stack(2, 3, &file.join("table"), &[]), 1);
    assert!(error.contains("file/table"), "{error}");
    // Not even root may make folders there.
    let error = fail(&mut run_stack(2, 3, Path::new("/proc/retrotab"), &[]), 1);
    assert!(error.contains("/proc/retrotab"), "{error}");
}

#[test]
fn version_help_and_completions() {
    assert!(succeed(&mut retrotab(&["--version"])).starts_with("retrotab "));
    assert!(succeed(&mut retrotab(&["run", "stack", "--help"])).contains("--keep-work"));
    assert!(succeed(&mut retrotab(&["completions", "bash"])).contains("retrotab"));
}

#[test]
fn json_log_lines_are_json() {
    let (_dir, table) = folder();
    let output = run_stack(2, 5, &table, &["--log-format", "json"]).output().unwrap();
    let lines = String::from_utf8(output.stderr).unwrap();
    assert!(lines.lines().count() > 0);
    for line in lines.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}
