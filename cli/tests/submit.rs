//! Submitting, waiting and cancelling, as a user does; and a coordinator that is not ready yet.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use fleet::{Fleet, NAME, Running, until};
use program::{fail, retrotab, succeed};

fn submit(fleet: &Fleet, cards: &str, name: &str, more: &[&str]) -> Command {
    let mut command = retrotab(&["submit", "stack", "--stacks", "3", "--cards", cards]);
    command.args(["--name", name, "--coordinator", &fleet.url()]).args(more);
    command
}

#[test]
fn waiting_outlives_the_coordinator() {
    let mut fleet = Fleet::start(60);
    let log = fleet.dir.path().join("waiting.log");
    let mut command = submit(&fleet, "6", NAME, &["--wait"]);
    let mut waiting = Running::start(&mut command, "who waits", log);
    waiting.says(NAME);
    fleet.coordinator().kill();
    waiting.says("waiting for it");
    fleet.start_coordinator(&[], &[]);
    fleet.start_worker("anna", &[]);
    assert!(waiting.wait().success(), "{}", waiting.log());
    let identity = program::verified_identity(&fleet.table());
    assert!(waiting.log().contains(&identity), "{}", waiting.log());
}

#[test]
fn jobs_are_named_with_care() {
    let fleet = Fleet::start(60);
    let said = succeed(&mut submit(&fleet, "4", "mine", &[]));
    let digest = said.rsplit(' ').next().unwrap().trim();
    let said = succeed(&mut submit(&fleet, "4", "yours", &[]));
    assert!(said.starts_with("mine:") && said.contains("the name stays"), "{said}");
    let error = fail(&mut submit(&fleet, "5", "mine", &[]), 2);
    assert!(error.contains("taken"), "{error}");
    let error = fail(&mut submit(&fleet, "5", "../mine", &[]), 2);
    assert!(error.contains("../mine"), "{error}");

    let url = fleet.url();
    let cancel = |job: &str| retrotab(&["cancel", job, "--coordinator", &url]);
    for job in ["", &digest[..3], "min"] {
        let error = fail(&mut cancel(job), 2);
        assert!(error.contains("at least 4 digits"), "{error}");
    }
    let said = succeed(&mut cancel(&digest[..4]));
    assert!(said.contains("mine: cancelled"), "{said}");
}

#[test]
fn a_coordinator_that_opens_its_folder_lives_is_not_ready_and_can_be_stopped() {
    let mut fleet = Fleet::prepare();
    fs::create_dir(fleet.data()).unwrap();
    // Its shared store takes calls and never answers.
    let store = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = fleet.coordinator_command(&["--store", "s3://tables"]);
    command.env("AWS_ENDPOINT", format!("http://{}", store.local_addr().unwrap()));
    command.envs([("AWS_ALLOW_HTTP", "true"), ("AWS_SKIP_SIGNATURE", "true")]);
    let log = fleet.dir.path().join("coordinator.log");
    fleet.coordinator = Some(Running::start(&mut command, "the coordinator", log));
    until("the HTTP port listens", || {
        assert!(fleet.coordinator().ended().is_none(), "{}", fleet.coordinator().log());
        TcpStream::connect(fleet.http().trim_start_matches("http://")).is_ok()
    });
    assert!(fleet.page("/healthz").starts_with("HTTP/1.1 200"));
    let answer = fleet.page("/readyz");
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("being opened"), "{answer}");
    assert!(fleet.page("/metrics").contains("retrotab_ready 0\n"));
    fleet.coordinator().signal("TERM");
    assert!(fleet.coordinator().wait().success(), "{}", fleet.coordinator().log());
    drop(store);

    fleet.start_coordinator(&[], &[]);
    assert!(fleet.page("/readyz").starts_with("HTTP/1.1 200"));
}
