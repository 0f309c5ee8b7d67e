//! Workers that die, hang, come back late or are slow: the table is the undisturbed one.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use fleet::{Fleet, Running, seed, until};

#[test]
fn two_workers_finish_a_job_and_leave_when_it_is_done() {
    let mut fleet = Fleet::start(60);
    fleet.submit();
    for name in ["anna", "bert"] {
        fleet.start_worker(name, &["--until-finished"]);
    }
    fleet.finishes_undisturbed();
    for worker in &mut fleet.workers {
        assert!(worker.wait().success(), "{}", worker.log());
    }
}

#[test]
fn killed_workers_cost_no_more_than_their_units() {
    let mut random = fastrand::Rng::with_seed(seed());
    let mut fleet = Fleet::start(2);
    fleet.submit();
    fleet.start_worker("steady", &[]);
    for round in 0..5 {
        let worker = fleet.start_worker(&format!("victim-{round}"), &[]);
        fleet.workers[worker].says("registered");
        std::thread::sleep(Duration::from_millis(random.u64(..700)));
        fleet.workers[worker].kill();
    }
    fleet.finishes_undisturbed();
}

#[test]
fn a_worker_stopped_past_its_lease_comes_back_to_a_unit_given_away() {
    let mut fleet = Fleet::start(1);
    fleet.submit();
    let sleeper = fleet.start_worker("sleeper", &[]);
    fleet.wait_units(5);
    // It must stop within a unit, not between two.
    until("it stops with a lease", || {
        let before = fleet.coordinator().log().len();
        fleet.workers[sleeper].signal("STOP");
        let mut ended = false;
        // What it had sent arrives; then its leases end, or it had none.
        until("it has no lease any more", || {
            let none = fleet.units_running() == 0;
            ended = fleet.coordinator().log()[before..].contains("no progress for");
            none || ended
        });
        if !ended {
            fleet.workers[sleeper].signal("CONT");
        }
        ended
    });
    fleet.start_worker("other", &[]);
    fleet.wait_units(20);
    fleet.workers[sleeper].signal("CONT");
    fleet.finishes_undisturbed();
}

#[test]
fn a_slow_worker_does_not_hold_up_the_others() {
    let mut fleet = Fleet::start(2);
    fleet.submit();
    let slow = fleet.start_worker("slow", &[]);
    fleet.start_worker("quick", &[]);
    let manifest = fleet.table().join("manifest.json");
    // One tenth of its time it runs; for a minute, lest a slow machine takes all day.
    let start = Instant::now();
    while !manifest.exists() && start.elapsed() < Duration::from_secs(60) {
        fleet.workers[slow].signal("STOP");
        std::thread::sleep(Duration::from_millis(180));
        fleet.workers[slow].signal("CONT");
        std::thread::sleep(Duration::from_millis(20));
    }
    fleet.finishes_undisturbed();
}

#[test]
fn two_workers_share_a_cache_and_a_damaged_one_is_noticed() {
    let mut fleet = Fleet::start(60);
    fleet.submit();
    let cache = fleet.dir.path().join("cache");
    let path = cache.to_str().unwrap().to_owned();
    let first = fleet.start_worker("first", &["--cache", &path]);
    fleet.wait_units(15);
    fleet.workers[first].kill();
    let mut damaged = 0;
    for file in files(&cache) {
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&file, bytes).unwrap();
        damaged += 1;
    }
    assert!(damaged > 0, "the cache is empty");
    for name in ["second", "third"] {
        fleet.start_worker(name, &["--cache", &path]);
    }
    fleet.finishes_undisturbed();
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "shard") {
            found.push(path);
        }
    }
    found
}

#[test]
fn sigterm_gives_leases_back_at_once() {
    // Leases so long that waiting for them would end the test.
    let mut fleet = Fleet::start(3600);
    fleet.submit();
    let leaving = fleet.start_worker("leaving", &[]);
    fleet.wait_units(5);
    fleet.workers[leaving].signal("TERM");
    let status = fleet.workers[leaving].wait();
    assert!(status.success(), "{}", fleet.workers[leaving].log());
    fleet.start_worker("staying", &[]);
    fleet.finishes_undisturbed();
}

#[test]
fn without_workers_the_job_waits_and_says_so() {
    let mut fleet = Fleet::start(1);
    fleet.submit();
    let worker = fleet.start_worker("last", &[]);
    fleet.wait_units(5);
    fleet.workers[worker].kill();
    until("the job says that it waits", || {
        let status = fleet.status();
        status["message"].as_str().unwrap_or_default().contains("waits")
    });
    fleet.start_worker("next", &[]);
    fleet.finishes_undisturbed();
}

#[test]
fn a_worker_whose_clock_is_a_month_off_is_as_good_as_any() {
    let mut fleet = Fleet::start(5);
    fleet.submit();
    let real = fleet.worker_command("late", &[]);
    let mut command = Command::new("faketime");
    // Leases and pauses are measured on the monotonic clock, which a wrong date leaves alone.
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").arg("+31 days");
    command.arg(real.get_program()).args(real.get_args());
    if Command::new("faketime").arg("--version").output().is_err() {
        eprintln!("skipped: the program `faketime` is not installed");
        return;
    }
    command.process_group(0);
    let log = fleet.dir.path().join("late.log");
    fleet.workers.push(Running::start(&mut command, "late", log));
    fleet.finishes_undisturbed();
    // `faketime` waits for the program that it has started: killed alone, it leaves it behind.
    fleet.workers[0].kill_all();
}
