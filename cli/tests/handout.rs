//! Publishing, serving, fetching and probing with the program.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod cutting_line;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
#[path = "../../coordinator/tests/s3_server/mod.rs"]
mod s3_server;

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cutting_line::Line;
use fleet::{Running, until};
use own_address::own_address;
use program::{assert_is_copy, fail, retrotab, run_stack, succeed};
use s3_server::BUCKET;

/// A table whose file has some pieces, made once.
static TABLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let table = Path::new(env!("CARGO_TARGET_TMPDIR")).join("handout/stack");
    let _ = fs::remove_dir_all(&table);
    succeed(&mut run_stack(3, 9, &table, &[]));
    table
});

struct Home {
    dir: tempfile::TempDir,
    table: &'static Path,
}

fn home() -> Home {
    Home { dir: tempfile::tempdir().unwrap(), table: &TABLE }
}

impl Home {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Serves a folder; the address, and the process.
    fn serve(&self, folder: &Path) -> (SocketAddr, Running) {
        let address = own_address();
        let mut command = retrotab(&["serve", "--http", &address.to_string()]);
        let log = self.path(&format!("serve-{address}.log"));
        let mut running = Running::start(command.arg(folder), "the server", log);
        until("the server listens", || {
            assert!(running.ended().is_none(), "the server ended: {}", running.log());
            TcpStream::connect(address).is_ok()
        });
        (address, running)
    }
}

fn publish(table: &Path, to: &str, more: &[&str]) -> Command {
    let mut command = retrotab(&["publish", "--to", to]);
    command.args(more).arg(table);
    command
}

fn fetch(url: &str, out: &Path, more: &[&str]) -> Command {
    let mut command = retrotab(&["fetch", url, "--out"]);
    command.arg(out).args(more);
    command
}

#[test]
fn a_published_table_is_fetched_over_a_line_that_is_cut_five_times() {
    let home = home();
    let published = home.path("published/stack");
    let said = succeed(&mut publish(home.table, published.to_str().unwrap(), &[]));
    assert!(said.contains("published\n") && said.contains("note"), "{said}");
    assert_is_copy(&published, home.table);

    let (address, _server) = home.serve(&home.path("published"));
    let line = Line::to(address, 5, 300_000);
    let out = home.path("fetched");
    let url = format!("http://{}/tables/stack", line.address);
    let said = succeed(&mut fetch(&url, &out, &[]));
    assert_eq!(line.cuts(), 5, "{said}");
    assert!(said.contains("whole and unchanged") && said.contains("requests"), "{said}");
    assert_is_copy(&out, home.table);
    let again = succeed(&mut fetch(&url, &out, &[]));
    assert!(again.contains("here already"), "{again}");
}

#[test]
fn publishing_to_a_bucket_and_fetching_from_it() {
    let home = home();
    let server = s3_server::Server::start();
    server.make_public();
    let to = format!("s3://{BUCKET}/tables/stack");
    let publish_there = |table: &Path, more: &[&str]| {
        let mut command = publish(table, &to, more);
        command.envs(server.options().environment);
        command
    };
    let url = format!("http://{}/{BUCKET}/tables/stack", server.address());
    let public = ["--public-url", url.as_str()];
    let said = succeed(&mut publish_there(home.table, &public));
    assert!(said.contains("written    6 files") && !said.contains("note"), "{said}");
    let again = succeed(&mut publish_there(home.table, &public));
    assert!(again.contains("published before") && again.contains("written    0 files"), "{again}");

    let line = Line::to(server.address(), 5, 300_000);
    let cut_url = format!("http://{}/{BUCKET}/tables/stack", line.address);
    let out = home.path("fetched");
    succeed(&mut fetch(&cut_url, &out, &[]));
    assert_eq!(line.cuts(), 5);
    assert_is_copy(&out, home.table);

    let other = home.path("other");
    succeed(&mut run_stack(2, 5, &other, &[]));
    let refused = fail(&mut publish_there(&other, &public), 2);
    assert!(refused.contains("another table") && refused.contains("--replace"), "{refused}");
    succeed(&mut publish_there(&other, &["--replace", public[0], public[1]]));
    let out = home.path("replaced");
    succeed(&mut fetch(&url, &out, &[]));
    assert_is_copy(&out, &other);
}

#[test]
fn values_are_probed_without_fetching() {
    let home = home();
    let (address, _server) = home.serve(home.table);
    let url = format!("http://{address}/tables/stack");
    let cache = home.path("cache");
    let probe = |table: &str, position: &str| {
        let mut command = retrotab(&["probe", "--json", table, position]);
        let output = command.arg("--cache").arg(&cache).output().unwrap();
        let (said, told) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        assert!(output.status.success(), "{}", told.unwrap());
        (said.unwrap(), told.unwrap())
    };
    let local = home.table.to_str().unwrap();
    for (position, requests) in [
        ("......... .........", 3),
        // The seek table is here now.
        (".... ....", 2),
        // The frame, too: only the manifest is looked at.
        (".... ....", 1),
    ] {
        let (found, told) = probe(&url, position);
        assert_eq!(found, probe(local, position).0);
        assert!(told.contains(&format!("in {requests} request")), "{told}");
    }
    // A damaged cache is no cache.
    let frames = walk(&cache.join("frames"));
    assert_eq!(frames.len(), 3);
    frames.iter().for_each(|frame| fs::write(frame, "x").unwrap());
    let (found, told) = probe(&url, ".... ....");
    assert_eq!(found, probe(local, ".... ....").0);
    assert!(told.contains("in 3 requests"), "{told}");
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn mistakes_have_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("stack");
    succeed(&mut run_stack(1, 2, &table, &[]));
    let table = table.to_str().unwrap();
    for (args, what) in [
        (&["publish", table, "--to", "ftp://host/x"][..], "no such kind"),
        (&["publish", table, "--to", "out", "--public-url", "host/x"], "no URL"),
        (&["publish", "nowhere", "--to", "out"], "not a table"),
        (&["fetch", "ftp://host/x"], "http://"),
        (&["fetch", "http://127.0.0.1:9"], "--out"),
        (&["serve", "."], "neither a table"),
        (&["probe", "ftp://host/x", "."], "http://"),
    ] {
        let empty = tempfile::tempdir().unwrap();
        let error = fail(retrotab(args).current_dir(empty.path()), 2);
        assert!(error.contains(what), "{args:?}: {error}");
        assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "{args:?} leaves something");
    }
    let empty = tempfile::tempdir().unwrap();
    let nobody = ["fetch", "http://127.0.0.1:9/tables/x", "--retries", "0"];
    let error = fail(retrotab(&nobody).current_dir(empty.path()), 1);
    assert!(error.contains("http://127.0.0.1:9/tables/x/manifest.json"), "{error}");
}
