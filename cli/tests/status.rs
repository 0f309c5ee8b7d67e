//! `retrotab status` of a real coordinator: as text, as JSON, and on a terminal.

#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod terminal;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use own_address::own_address;
use program::{fail, retrotab, succeed};
use terminal::Terminal;

/// A coordinator with one job, until it is killed.
struct Coordinator {
    process: Child,
    address: String,
}

impl Coordinator {
    fn start(data: &Path, address: &str) -> Coordinator {
        let mut command = retrotab(&["coordinator", "--listen", address, "--http", "127.0.0.1:0"]);
        command.arg("--data").arg(data).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let started = lines.find(|line| line.as_ref().unwrap().contains("coordinator started"));
        let started = started.expect("it starts").unwrap();
        let address = started.split("address=").nth(1).unwrap().split(' ').next().unwrap();
        // Else it could not write any more.
        std::thread::spawn(move || lines.for_each(drop));
        Coordinator { process, address: address.to_owned() }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn submit(&self) {
        let url = self.url();
        let job = ["submit", "stack", "--stacks", "3", "--cards", "4", "--name", "looked-at"];
        succeed(retrotab(&job).args(["--coordinator", &url]));
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn status_is_told_as_text_and_json() {
    let data = tempfile::tempdir().unwrap();
    let coordinator = Coordinator::start(data.path(), "127.0.0.1:0");
    let url = coordinator.url();
    let status = |more: &[&str]| succeed(retrotab(&["status", "--coordinator", &url]).args(more));
    assert_eq!(status(&[]), "no jobs\n\nno workers\n");
    coordinator.submit();
    let text = status(&[]);
    assert!(text.starts_with("looked-at  running  0.0 %"), "{text}");
    assert!(text.contains("0 of 15 sections complete; open: 0,0 (0.0 %)"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&status(&["--json"])).unwrap();
    let job = &json["jobs"][0];
    assert_eq!((&job["name"], &job["phase"]), (&"looked-at".into(), &"running".into()));
    assert_eq!(job["sections"].as_array().unwrap().len(), 15);
    assert_eq!(json["workers"], serde_json::json!([]));
}

#[test]
fn a_coordinator_that_is_not_there_is_named() {
    // Nobody listens on the discard port.
    let error = fail(&mut retrotab(&["status", "--coordinator", "http://127.0.0.1:9"]), 1);
    assert!(error.contains("no answer from the coordinator at http://127.0.0.1:9"), "{error}");
    assert!(error.contains("refused"), "{error}");
    let error = fail(&mut retrotab(&["status", "--coordinator", "no url"]), 2);
    assert!(error.contains("no url"), "{error}");
}

#[test]
fn without_a_terminal_watching_repeats_the_text() {
    let data = tempfile::tempdir().unwrap();
    let coordinator = Coordinator::start(data.path(), "127.0.0.1:0");
    coordinator.submit();
    let mut command = retrotab(&["status", "--watch", "--coordinator", &coordinator.url()]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let told = lines.map(Result::unwrap).filter(|line| line.starts_with("looked-at  running"));
    assert_eq!(told.take(2).count(), 2);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_terminal_view_survives_a_restart_of_the_coordinator() {
    let data = tempfile::tempdir().unwrap();
    let address = own_address().to_string();
    let coordinator = Coordinator::start(data.path(), &address);
    coordinator.submit();
    let url = coordinator.url();
    let mut view = Terminal::open(&format!("status --watch --coordinator {url}"), &[]);
    view.wait_for(&["live", "looked-at"]);
    drop(coordinator);
    view.wait_for(&["no answer for"]);
    let _again = Coordinator::start(data.path(), &address);
    view.wait_for(&["live"]);
    view.press("q");
    assert!(view.end().success(), "q quits");
}
