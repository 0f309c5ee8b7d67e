//! The worker as a process; what it does with a coordinator is tested in its own crate.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use program::{fail, folder, retrotab};

#[test]
fn wrong_options_are_the_users_mistake() {
    let error = fail(&mut retrotab(&["worker", "--coordinator", "ftp://here"]), 2);
    assert!(error.contains("http://localhost:7420"), "{error}");
    let (_dir, file) = folder();
    std::fs::write(&file, b"").unwrap();
    let mut worker = retrotab(&["worker", "--coordinator", "http://127.0.0.1:9", "--cache"]);
    let error = fail(worker.arg(&file), 2);
    assert!(error.contains("cannot create the folder"), "{error}");
}

#[test]
fn a_worker_without_a_coordinator_says_so_and_waits_until_told_to_stop() {
    let (_dir, temporary) = folder();
    std::fs::create_dir(&temporary).unwrap();
    for signal in ["-TERM", "-INT"] {
        let mut worker = retrotab(&["worker", "--coordinator", "http://127.0.0.1:9"]);
        worker.env("TMPDIR", &temporary).stderr(Stdio::piped());
        let mut worker = worker.spawn().unwrap();
        let mut lines = BufReader::new(worker.stderr.take().unwrap()).lines();
        let away = |line: &String| line.contains("cannot reach the coordinator");
        assert!(lines.any(|line| away(&line.unwrap())));
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 1);
        let sent = Command::new("kill").arg(signal).arg(worker.id().to_string()).status();
        assert!(sent.unwrap().success());
        // Reads on, for a worker that cannot write its log would not end well.
        lines.for_each(drop);
        assert!(worker.wait().unwrap().success(), "{signal}");
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "its folder goes with it");
    }
}
