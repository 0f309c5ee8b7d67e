//! Publishing at a running coordinator, and fetching from its HTTP port.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
#[path = "../../tablefmt/tests/random_table/mod.rs"]
mod random_table;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use fleet::{Fleet, Running, until};
use program::{fail, retrotab, run_stack, run_sticks, succeed, verified_identity};

/// A coordinator without workers, and places for tables.
fn fleet() -> Fleet {
    let mut fleet = Fleet::prepare();
    fleet.start_coordinator(&[], &[]);
    fleet
}

fn place(fleet: &Fleet, name: &str) -> PathBuf {
    fleet.dir.path().join(name)
}

/// Tables of random values: one data file of 4.8 MB, and three small ones.
fn stack(fleet: &Fleet) -> PathBuf {
    let table = place(fleet, "stack");
    random_table::stack(&table, 1).unwrap();
    table
}

fn holdem(fleet: &Fleet, name: &str, seed: u64) -> PathBuf {
    let table = place(fleet, name);
    random_table::holdem(&table, seed).unwrap();
    table
}

fn publish(fleet: &Fleet, table: &Path, more: &[&str]) -> Command {
    let mut command = retrotab(&["publish", "--to", &fleet.url()]);
    command.args(more).arg(table);
    command
}

/// A publisher that has sent a chunk or two and then stops, for ever or for some seconds.
fn stopping_publisher(fleet: &Fleet, table: &Path, how: &str) -> Running {
    let mut command = publish(fleet, table, &[]);
    command.env("FAILPOINTS", format!("publish::sent=1*off->{how}"));
    Running::start(&mut command, "the publisher", place(fleet, "publisher.log"))
}

fn published(fleet: &Fleet, name: &str) -> PathBuf {
    fleet.data().join("published").join(name)
}

fn incoming(fleet: &Fleet, name: &str) -> PathBuf {
    fleet.data().join("incoming").join(name)
}

/// Waits until a part of the data file has arrived, but not all.
fn wait_part(fleet: &Fleet, least: u64) -> u64 {
    let part = incoming(fleet, "stack").join("000.u16.zst.part");
    let length = || fs::metadata(&part).map_or(0, |found| found.len());
    until("some of the file has arrived", || length() >= least);
    length()
}

/// Names of what is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The files of a table are the same to the byte.
fn assert_is_copy(copy: &Path, table: &Path) {
    for name in names(table) {
        let read = |folder: &Path| fs::read(folder.join(&name)).unwrap();
        assert!(read(copy) == read(table), "{name}");
    }
    assert_eq!(verified_identity(copy), verified_identity(table));
}

/// Fetches a table from the coordinator's HTTP port and compares it.
fn assert_handed_out(fleet: &Fleet, name: &str, table: &Path) {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("fetched");
    let url = format!("{}/tables/{name}", fleet.http());
    succeed(retrotab(&["fetch", &url, "--out"]).arg(&out));
    assert_is_copy(&out, table);
}

/// What a page of the HTTP port says.
fn page(fleet: &Fleet, path: &str) -> String {
    page_with(fleet, path, "")
}

fn page_with(fleet: &Fleet, path: &str, header: &str) -> String {
    let address = fleet.http().replace("http://", "");
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn tables_of_all_families_are_published_and_fetched() {
    let fleet = fleet();
    let (stack, sticks) = (place(&fleet, "small-stack"), place(&fleet, "sticks"));
    succeed(&mut run_stack(2, 5, &stack, &[]));
    succeed(&mut run_sticks(3, &sticks, &[]));
    let hands = holdem(&fleet, "hands", 1);
    for (name, table) in [("small-stack", &stack), ("sticks", &sticks), ("hands", &hands)] {
        let url = format!("https://tables.example/{name}");
        let said = succeed(&mut publish(&fleet, table, &["--public-url", &url]));
        assert!(said.contains(": published\n") && !said.contains("web seeds"), "{said}");
        assert_handed_out(&fleet, name, table);
        let list = fs::read_to_string(published(&fleet, name).join("urls.txt")).unwrap();
        assert!(list.starts_with(&url), "{list}");
        let before = names(&published(&fleet, name));
        let again = succeed(&mut publish(&fleet, table, &["--public-url", &url]));
        assert!(again.contains("published before, nothing to do"), "{again}");
        assert!(again.contains("written    0 files"), "{again}");
        assert_eq!(names(&published(&fleet, name)), before);
    }
    assert_eq!(names(&fleet.data().join("incoming")), [""; 0]);
    // The pages beside the dashboard, and the dashboard.
    let list = page(&fleet, "/tables/");
    assert!(
        list.contains("href=\"hands/\"") && list.contains("href=\"../openapi.json\""),
        "{list}"
    );
    assert!(page(&fleet, "/tables/hands/").contains("SHA-256"));
    assert!(page(&fleet, "/tables/sticks/probe?position=1+2").contains("200 OK"));
    assert!(page(&fleet, "/tables/hands/hands.torrent").contains("tables.example"));
    assert!(page(&fleet, "/tables/small-stack/stats.svg").contains("<svg"));
    assert!(page(&fleet, "/").contains("assets/main.js"));
    assert!(page(&fleet, "/healthz").ends_with("ok\n"));
    let url = format!("{}/tables/sticks", fleet.http());
    let cache = place(&fleet, "cache");
    succeed(retrotab(&["probe", &url, "1", "2", "--cache"]).arg(cache));
}

#[test]
fn either_side_killed_it_goes_on_at_the_byte_where_it_stopped() {
    let mut fleet = Fleet::prepare();
    // The file comes in five chunks; a sixth would be one that had come before.
    let no_chunk_twice = [("FAILPOINTS", "publish::appended=5*off->return")];
    fleet.start_coordinator(&[], &no_chunk_twice);
    let table = stack(&fleet);
    let mut publisher = stopping_publisher(&fleet, &table, "pause");
    wait_part(&fleet, 1 << 20);
    publisher.kill();
    assert!(!published(&fleet, "stack").exists());
    let said = succeed(&mut publish(&fleet, &table, &[]));
    assert!(said.contains("stack at http") && said.contains("written    6 files"), "{said}");
    assert_handed_out(&fleet, "stack", &table);

    // Now the coordinator: the publisher waits for it to come back.
    fs::remove_dir_all(published(&fleet, "stack")).unwrap();
    fleet.coordinator().kill();
    fleet.start_coordinator(&[], &[]);
    let mut publisher = stopping_publisher(&fleet, &table, "1*sleep(10000)->off");
    let part = wait_part(&fleet, 1 << 20);
    fleet.coordinator().kill();
    let left = ["nothing-offered", ".stack.replaced"].map(|name| incoming(&fleet, name));
    for folder in &left {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("000.u16.zst.part"), "x").unwrap();
    }
    let four_more = format!("publish::appended={}*off->return", 5 - part / (1 << 20));
    fleet.start_coordinator(&[], &[("FAILPOINTS", &four_more)]);
    // It listens before it has looked at them.
    until("leftovers are removed", || left.iter().all(|folder| !folder.exists()));
    let status = publisher.wait();
    assert!(status.success(), "{}", publisher.log());
    assert!(publisher.log().contains("going on in a moment"), "{}", publisher.log());
    assert_handed_out(&fleet, "stack", &table);
}

#[test]
fn a_coordinator_that_dies_at_any_step_ends_up_with_the_whole_table() {
    let mut fleet = Fleet::prepare();
    let (table, other) = (holdem(&fleet, "one", 1), holdem(&fleet, "other", 2));
    for (step, passes) in
        [("appended", 1), ("kept", 1), ("checked", 0), ("written", 0), ("placed", 0)]
    {
        let when = format!("publish::{step}={passes}*off->return");
        fleet.start_coordinator(&[], &[("FAILPOINTS", &when)]);
        let mut command = publish(&fleet, &table, &["--name", step]);
        let log = place(&fleet, "publisher.log");
        let mut publisher = Running::start(&mut command, "the publisher", log);
        assert!(!fleet.coordinator().wait().success(), "{step}");
        let is_there = published(&fleet, step).exists();
        assert_eq!(is_there, step == "placed", "{step}");
        fleet.start_coordinator(&[], &[]);
        assert!(publisher.wait().success(), "{step}: {}", publisher.log());
        assert_handed_out(&fleet, step, &table);
        fleet.coordinator().kill();
    }
    // While one table takes the place of another.
    fleet.start_coordinator(&[], &[("FAILPOINTS", "publish::replacing=return")]);
    let mut command = publish(&fleet, &other, &["--name", "kept", "--replace"]);
    let log = place(&fleet, "publisher.log");
    let mut publisher = Running::start(&mut command, "the publisher", log);
    assert!(!fleet.coordinator().wait().success());
    fleet.start_coordinator(&[], &[]);
    assert!(publisher.wait().success(), "{}", publisher.log());
    assert_handed_out(&fleet, "kept", &other);
    assert_handed_out(&fleet, "placed", &table);
    assert_eq!(names(&fleet.data().join("incoming")), [""; 0]);
}

#[test]
fn another_table_is_refused_or_replaces_it() {
    let mut fleet = fleet();
    let (hands, stack) = (holdem(&fleet, "hands", 1), stack(&fleet));
    succeed(&mut publish(&fleet, &hands, &["--name", "t"]));
    let refused = fail(&mut publish(&fleet, &stack, &["--name", "t"]), 2);
    assert!(refused.contains("tables/t: there is another table here"), "{refused}");
    assert!(refused.contains("publish elsewhere, or give --replace"), "{refused}");
    assert_handed_out(&fleet, "t", &hands);
    let said = succeed(&mut publish(&fleet, &stack, &["--name", "t", "--replace"]));
    assert!(said.contains("removed    win.000.u32.zst"), "{said}");
    assert_handed_out(&fleet, "t", &stack);
    fleet.coordinator().kill();
    fleet.start_coordinator(&[], &[]);
    assert_handed_out(&fleet, "t", &stack);
    let again = succeed(&mut publish(&fleet, &stack, &["--name", "t", "--replace"]));
    assert!(again.contains("published before"), "{again}");

    // One that was interrupted is in the way, too.
    let mut publisher = stopping_publisher(&fleet, &stack, "pause");
    wait_part(&fleet, 1 << 20);
    publisher.kill();
    let refused = fail(&mut publish(&fleet, &hands, &["--name", "stack"]), 2);
    assert!(refused.contains("000.u16.zst that is not of this table"), "{refused}");
    succeed(&mut publish(&fleet, &hands, &["--name", "stack", "--replace"]));
    assert_handed_out(&fleet, "stack", &hands);
}

#[test]
fn only_who_has_the_token_may_publish() {
    let mut fleet = Fleet::prepare();
    let (right, wrong) = (place(&fleet, "right"), place(&fleet, "wrong"));
    for token in [&right, &wrong] {
        succeed(retrotab(&["token", "--out"]).arg(token));
    }
    let (right, wrong) = (right.to_str().unwrap(), wrong.to_str().unwrap());
    fleet.start_coordinator(&["--token-file", right], &[]);
    let table = holdem(&fleet, "hands", 1);
    for (more, says) in
        [(&[][..], "needs a token"), (&["--token-file", wrong], "not the one of this coordinator")]
    {
        let error = fail(&mut publish(&fleet, &table, more), 1);
        assert!(error.contains(says), "{error}");
        assert_eq!(names(&fleet.data().join("incoming")), [""; 0]);
    }
    succeed(&mut publish(&fleet, &table, &["--token-file", right]));
    assert_is_copy(&published(&fleet, "hands"), &table);
    // The HTTP port asks for it as well.
    assert!(page(&fleet, "/tables/hands/").contains("401"));
    let token = fs::read_to_string(right).unwrap();
    let header = format!("Authorization: Bearer {}\r\n", token.trim());
    assert!(page_with(&fleet, "/tables/hands/", &header).contains("SHA-256"));
    let url = format!("{}/tables/hands", fleet.http());
    let back = place(&fleet, "back");
    let fetch = || {
        let mut fetch = retrotab(&["fetch", &url, "--out"]);
        fetch.arg(&back);
        fetch
    };
    assert!(fail(&mut fetch(), 1).contains("--token-file"));
    succeed(fetch().args(["--token-file", right]));
    assert_is_copy(&back, &table);
    let mut probe = retrotab(&["probe", &url, "AKs", "22", "--cache-bytes", "0"]);
    assert!(fail(&mut probe, 1).contains("--token-file"));
    // The values came; only that they are made up stands in the way.
    let error = fail(probe.args(["--token-file", right]), 1);
    assert!(error.contains("contradict each other"), "{error}");
}

#[test]
fn mistakes_are_told_and_leave_nothing() {
    let fleet = fleet();
    let table = holdem(&fleet, "hands", 1);
    let bad = table.join(random_table::FILES[1]);
    let good = fs::read(&bad).unwrap();
    let mut damaged = good.clone();
    damaged[100] ^= 1;
    fs::write(&bad, damaged).unwrap();
    let error = fail(&mut publish(&fleet, &table, &[]), 1);
    assert!(error.contains(random_table::FILES[1]) && error.contains("corrupt"), "{error}");
    fs::write(&bad, good).unwrap();
    for (more, says) in [
        (&["--name", "../up"][..], "no name for a table"),
        (&["--name=-x"], "begin with a letter"),
        (&["--public-url", "ftp://host/x"], "no URL"),
        (&["--tls-domain", "x"], "does not start with https://"),
    ] {
        let error = fail(&mut publish(&fleet, &table, more), 2);
        assert!(error.contains(says), "{more:?}: {error}");
    }
    let mut elsewhere = retrotab(&["publish", "--name", "x", "--to", "out"]);
    let error = fail(elsewhere.arg(&table).current_dir(fleet.dir.path()), 2);
    assert!(error.contains("--name is for a coordinator"), "{error}");
    let mut nobody = retrotab(&["publish", "--to", "http://127.0.0.1:9"]);
    let error = fail(nobody.arg(&table), 1);
    assert!(error.contains("is the coordinator running"), "{error}");
    for room in ["incoming", "published"] {
        assert_eq!(names(&fleet.data().join(room)), [""; 0]);
    }
}

#[test]
fn a_full_disk_is_told_and_later_it_goes_on() {
    let mut fleet = Fleet::prepare();
    fs::create_dir(fleet.data()).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=16M", "tmpfs"]).arg(fleet.data());
    if !mount.output().unwrap().status.success() {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    }
    let unmount = Unmount(fleet.data());
    fleet.start_coordinator(&[], &[]);
    let table = stack(&fleet);
    let ballast = fleet.data().join("ballast");
    fs::write(&ballast, vec![0; 13 << 20]).unwrap();
    let error = fail(&mut publish(&fleet, &table, &[]), 1);
    assert!(error.contains("No space left") && error.contains("make room"), "{error}");
    assert!(!published(&fleet, "stack").exists());
    let part = wait_part(&fleet, 1 << 20);
    assert!(part < fs::metadata(table.join("000.u16.zst")).unwrap().len());
    fs::remove_file(&ballast).unwrap();
    succeed(&mut publish(&fleet, &table, &[]));
    assert_handed_out(&fleet, "stack", &table);
    fleet.coordinator().kill();
    drop(fleet.coordinator.take());
    drop(unmount);
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
