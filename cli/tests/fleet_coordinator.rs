//! Coordinators that are killed, restarted, damaged or out of disk: nothing is lost.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::process::Command;
use std::time::Duration;

use fleet::{Fleet, seed};
use program::{fail, retrotab, succeed};

/// Every step of taking in a shard and of putting the table together at which a coordinator
/// may die, and how often it passes that step before it does.
const STEPS: [(&str, u32); 8] = [
    ("submit::received", 5),
    ("commit::checked", 9),
    ("commit::stored", 13),
    ("commit::recorded", 17),
    ("submit::before-answer", 21),
    ("merge::started", 0),
    ("merge::appended", 7),
    ("merge::finished", 0),
];

#[test]
fn killed_at_every_step_and_restarted_it_goes_on() {
    let mut fleet = Fleet::prepare();
    for worker in ["anna", "bert"] {
        fleet.start_worker(worker, &[]);
    }
    let mut submitted = false;
    for (step, passes) in STEPS {
        let when = format!("{step}={passes}*off->return");
        fleet.start_coordinator(&["--lease-seconds", "5"], &[("FAILPOINTS", &when)]);
        if !std::mem::replace(&mut submitted, true) {
            fleet.submit();
        }
        let status = fleet.coordinator().wait();
        assert!(!status.success(), "{step}: the coordinator ended by itself");
    }
    fleet.start_coordinator(&[], &[]);
    fleet.finishes_undisturbed();
}

#[test]
fn killed_at_random_moments_it_goes_on() {
    let mut random = fastrand::Rng::with_seed(seed());
    let mut fleet = Fleet::start(5);
    fleet.submit();
    for worker in ["anna", "bert"] {
        fleet.start_worker(worker, &[]);
    }
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(random.u64(100..900)));
        fleet.coordinator().kill();
        fleet.start_coordinator(&["--lease-seconds", "5"], &[]);
    }
    fleet.finishes_undisturbed();
}

#[test]
fn sigterm_during_a_merge_ends_it_and_the_next_start_goes_on() {
    let mut fleet = Fleet::prepare();
    // Each shard takes its time, so that there is a middle to be interrupted in.
    let slow = [("FAILPOINTS", "merge::appended=sleep(1000)")];
    fleet.start_coordinator(&[], &slow);
    fleet.submit();
    fleet.start_worker("anna", &[]);
    fleet.coordinator().says("putting the table together");
    std::thread::sleep(Duration::from_millis(200));
    fleet.coordinator().signal("TERM");
    let status = fleet.coordinator().wait();
    assert!(status.success(), "{}", fleet.coordinator().log());
    assert!(!fleet.table().join("manifest.json").exists());
    fleet.start_coordinator(&[], &[]);
    fleet.finishes_undisturbed();
}

#[test]
fn a_second_coordinator_on_the_folder_is_refused() {
    let mut fleet = Fleet::start(60);
    let mut second = retrotab(&["coordinator", "--listen", "127.0.0.1:0"]);
    second.args(["--http", "127.0.0.1:0", "--data"]).arg(fleet.data());
    let error = fail(&mut second, 2);
    assert!(error.contains("in use by another retrotab"), "{error}");
    let mut same_port = fleet.coordinator_command(&[]);
    let error = fail(&mut same_port, 1);
    assert!(error.contains("cannot listen"), "{error}");
    assert!(fleet.coordinator().ended().is_none());
}

#[test]
fn a_damaged_state_is_named_and_rebuilt_on_request() {
    let mut fleet = Fleet::start(60);
    fleet.submit();
    let worker = fleet.start_worker("anna", &[]);
    fleet.wait_units(20);
    fleet.coordinator().kill();
    fleet.workers[worker].kill();
    let job = fs::read_dir(fleet.data().join("jobs")).unwrap().next().unwrap().unwrap();
    let file = job.path().join("work/state/db");
    let torn = fs::read(&file).unwrap();
    fs::write(&file, &torn[..torn.len() / 3]).unwrap();
    let mut garbled = torn[..torn.len() / 3].to_vec();
    garbled.iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(&file, garbled).unwrap();
    let error = fail(&mut fleet.coordinator_command(&[]), 1);
    assert!(error.contains("damaged") && error.contains("--rebuild"), "{error}");
    fleet.start_coordinator(&["--rebuild"], &[]);
    let found = fleet.units_done();
    assert!(found >= 20, "only {found} units were found again");
    fleet.start_worker("bert", &[]);
    fleet.finishes_undisturbed();
}

#[test]
fn a_full_disk_holds_the_job_up_until_it_is_freed() {
    let mut fleet = Fleet::prepare();
    fs::create_dir(fleet.data()).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=96M", "tmpfs"])
        .arg(fleet.data())
        .output()
        .unwrap();
    if !mounted.status.success() {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    }
    let unmount = Unmount(fleet.data());
    let ballast = fleet.data().join("ballast");
    fs::write(&ballast, vec![0; 94 << 20]).unwrap();
    fleet.start_coordinator(&["--lease-seconds", "5"], &[]);
    fleet.submit();
    fleet.start_worker("anna", &[]);
    fleet.coordinator().says("No space left");
    let before = fleet.units_done();
    fs::remove_file(&ballast).unwrap();
    fleet.finishes_undisturbed();
    let units = fleet.status()["units"].as_u64().unwrap();
    assert!(before < units, "all {before} units were done before the disk was full");
    fleet.coordinator().kill();
    drop(fleet.coordinator.take());
    drop(unmount);
}

struct Unmount(std::path::PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn cancel_and_submit_again() {
    let mut fleet = Fleet::prepare();
    // For some seconds there is something to be cancelled.
    fleet.start_coordinator(&[], &[("FAILPOINTS", "commit::recorded=5*off->20*sleep(500)->off")]);
    fleet.submit();
    fleet.start_worker("anna", &[]);
    fleet.wait_units(5);
    let url = fleet.url();
    let said = succeed(&mut retrotab(&["cancel", fleet::NAME, "--coordinator", &url]));
    assert!(said.contains("cancelled"), "{said}");
    let before = fleet.units_done();
    assert!(fleet.submit().contains("submitted before"));
    assert!(fleet.units_done() >= before.min(5));
    fleet.finishes_undisturbed();
    let unknown = &mut retrotab(&["cancel", "nothing", "--coordinator", &url]);
    assert!(fail(unknown, 2).contains("no job"));
}
