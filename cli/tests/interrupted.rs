//! Runs that are stopped, killed, starved or damaged end with the undisturbed table.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use program::{fail, folder, manifest, run_stack, start, succeed, verified_identity};

/// Small units, so that there is something between them to be interrupted.
const UNITS: [&str; 2] = ["--unit-size", "256KiB"];

/// Identity and data file of the 3-stack, 10-card table, made in one go, and how long it took.
fn undisturbed() -> &'static (String, Vec<u8>, Duration) {
    static TABLE: OnceLock<(String, Vec<u8>, Duration)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let (_dir, table) = folder();
        let begin = Instant::now();
        succeed(&mut run_stack(3, 10, &table, &UNITS));
        let time = begin.elapsed();
        (verified_identity(&table), data(&table), time)
    })
}

fn data(table: &Path) -> Vec<u8> {
    fs::read(table.join("000.u16.zst")).unwrap()
}

fn assert_undisturbed(table: &Path) {
    assert_eq!(verified_identity(table), undisturbed().0);
    assert!(data(table) == undisturbed().1, "the files are the same too");
    let names = fs::read_dir(table).unwrap().count();
    assert_eq!(names, 3, "data, manifest and digests, and nothing else");
}

fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).status();
    assert!(sent.unwrap().success());
}

#[test]
fn threads_memory_and_units_do_not_matter() {
    for options in [
        &["--threads", "1"][..],
        &["--threads", "2"],
        &["--threads", "5"],
        &["--memory", "600MiB"],
        &["--unit-size", "1MiB"],
    ] {
        let (_dir, table) = folder();
        succeed(&mut run_stack(3, 10, &table, options));
        assert_undisturbed(&table);
    }
}

#[test]
fn sections_that_do_not_fit_are_read_from_disk() {
    let (_dir, table) = folder();
    let options = ["--memory", "72MiB", "--unit-size", "256KiB", "--threads", "1"];
    let mut run = run_stack(3, 10, &table, &options);
    let output = run.env("RETROTAB_LOG", "debug").output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    assert!(log.contains("into a scratch file"), "the memory was too large for this test");
    assert_undisturbed(&table);

    let (_dir, table) = folder();
    let error = fail(&mut run_stack(3, 10, &table, &["--memory", "10MiB"]), 1);
    assert!(error.contains("--memory") && error.contains("MiB"), "{error}");
}

#[test]
fn killed_at_twenty_moments_and_resumed() {
    let mut time = undisturbed().2;
    let seed = std::process::id().into();
    println!("seed {seed}");
    let mut random: u64 = seed;
    let (_dir, table) = folder();
    let mut killed = 0;
    for _ in 0..20 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let part = (random >> 40) as f64 / (1u64 << 24) as f64;
        let mut run = start(&mut run_stack(3, 10, &table, &UNITS));
        std::thread::sleep(time.mul_f64(part * 0.5));
        match run.try_wait().unwrap() {
            None => killed += 1,
            // The one that was timed may have been held up.
            Some(_) => time = time.mul_f64(0.6),
        }
        run.kill().unwrap();
        run.wait().unwrap();
        if table.join("manifest.json").exists() {
            assert_undisturbed_or_with_work(&table);
            fs::remove_dir_all(&table).unwrap();
        }
    }
    assert!(killed >= 5, "only {killed} runs were still going when killed");
    succeed(&mut run_stack(3, 10, &table, &UNITS));
    assert_undisturbed(&table);
}

/// A table is whole as soon as it has a manifest; the kill may have come before its work
/// folder was removed.
fn assert_undisturbed_or_with_work(table: &Path) {
    assert_eq!(verified_identity(table), undisturbed().0);
    assert!(data(table) == undisturbed().1);
}

/// Starts a run and waits until it has stored a few shards.
fn with_some_shards(table: &Path, then: impl FnOnce(&mut std::process::Child)) {
    let mut command = run_stack(3, 10, table, &UNITS);
    // Then it goes on slowly, so that it is still there to be interrupted.
    let mut run = start(command.env("FAILPOINTS", "commit::recorded=15*off->20*sleep(500)->off"));
    let begin = Instant::now();
    while shards(table).len() < 15 {
        assert!(begin.elapsed() < Duration::from_secs(240), "no shards appear");
        assert!(run.try_wait().unwrap().is_none(), "the run ended too soon for this test");
        std::thread::sleep(Duration::from_millis(2));
    }
    then(&mut run);
}

fn shards(table: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(table.join("work/shards")) else { return Vec::new() };
    let paths = files.filter_map(|entry| Some(entry.ok()?.path()));
    let mut shards: Vec<_> =
        paths.filter(|p| p.to_string_lossy().ends_with(".shard.zst")).collect();
    shards.sort();
    shards
}

#[test]
fn ctrl_c_stops_cleanly_and_the_same_command_goes_on() {
    let (_dir, table) = folder();
    with_some_shards(&table, |run| {
        signal(run.id(), "INT");
        assert_eq!(run.wait().unwrap().code(), Some(1));
    });
    assert!(!table.join("manifest.json").exists());
    succeed(&mut run_stack(3, 10, &table, &UNITS));
    assert_undisturbed(&table);
}

#[test]
fn a_second_run_on_the_folder_is_refused() {
    let (_dir, table) = folder();
    with_some_shards(&table, |run| {
        signal(run.id(), "STOP");
        let error = fail(&mut run_stack(3, 10, &table, &UNITS), 2);
        assert!(error.contains("in use") && error.contains(&run.id().to_string()), "{error}");
        signal(run.id(), "CONT");
        assert!(run.wait().unwrap().success());
    });
    assert_undisturbed(&table);
}

#[test]
fn another_job_in_the_folder_is_refused() {
    let (_dir, table) = folder();
    with_some_shards(&table, |run| {
        run.kill().unwrap();
        run.wait().unwrap();
    });
    let error = fail(&mut run_stack(3, 9, &table, &UNITS), 2);
    assert!(error.contains("9 cards") && error.contains("10 cards"), "{error}");
    let error = fail(&mut run_stack(3, 10, &table, &["--rule", "choice", UNITS[0], UNITS[1]]), 2);
    assert!(error.contains("choice-1"), "{error}");
}

#[test]
fn damaged_shards_and_a_damaged_state_are_made_good() {
    let (_dir, table) = folder();
    with_some_shards(&table, |run| {
        run.kill().unwrap();
        run.wait().unwrap();
    });
    let shards = shards(&table);
    // One with flipped bits, one cut short, one gone.
    let mut bytes = fs::read(&shards[10]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(&shards[10], &bytes).unwrap();
    fs::write(&shards[7], &bytes[..bytes.len() / 3]).unwrap();
    fs::remove_file(&shards[4]).unwrap();
    for file in fs::read_dir(table.join("work/state")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            fs::write(path, b"torn").unwrap();
        }
    }
    succeed(&mut run_stack(3, 10, &table, &UNITS));
    assert_undisturbed(&table);
}

#[test]
fn a_kept_work_folder_makes_the_table_again() {
    let (_dir, table) = folder();
    succeed(&mut run_stack(3, 10, &table, &["--keep-work", UNITS[0], UNITS[1]]));
    assert!(shards(&table).len() > 50);
    fs::remove_file(table.join("manifest.json")).unwrap();
    succeed(&mut run_stack(3, 10, &table, &UNITS));
    assert_undisturbed(&table);
    assert_eq!(manifest(&table)["made"]["workers"], 1);
}

/// A file system of its own, of a given size.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let disk = SmallDisk(tempfile::tempdir().unwrap());
        disk.run_mount(&format!("size={size}")).then_some(disk)
    }

    fn grow(&self, size: &str) {
        assert!(self.run_mount(&format!("remount,size={size}")));
    }

    fn run_mount(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(self.0.path());
        mount.output().is_ok_and(|output| output.status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_is_named_and_the_run_goes_on_with_more_room() {
    let Some(disk) = SmallDisk::mount("12m") else {
        eprintln!("not run: mounting a small disk needs root");
        return;
    };
    let table = disk.0.path().join("table");
    let error = fail(&mut run_stack(3, 10, &table, &UNITS), 1);
    assert!(error.contains("No space left") && error.contains("table"), "{error}");
    assert!(!table.join("manifest.json").exists());
    disk.grow("200m");
    succeed(&mut run_stack(3, 10, &table, &UNITS));
    assert_undisturbed(&table);
}
