//! Fetching tables from servers that are good, slow to stay, or gone.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod random_table;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod web;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use random_table::names;
use retrotab_tablefmt::fetch::{FetchError, FetchOptions, Fetched, How, Wanted, fetch};
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::remote::Patience;
use retrotab_tablefmt::{TableError, verify};
use web::{Reply, Server, good, place};

const DATA: &str = "000.u16.zst";

/// A table of one file and several pieces.
static TABLE: LazyLock<PathBuf> =
    LazyLock::new(|| made("fetch-stack", |table| random_table::stack(table, 1)));

/// A table of three files.
static HANDS: LazyLock<PathBuf> =
    LazyLock::new(|| made("fetch-hands", |table| random_table::holdem(table, 1)));

/// A table in the target folder, made anew.
fn made(name: &str, write: impl FnOnce(&Path) -> Result<Manifest, TableError>) -> PathBuf {
    let table = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&table);
    write(&table).unwrap();
    table
}

fn options() -> FetchOptions {
    FetchOptions { patience: Patience { retries: 1 }, ..FetchOptions::default() }
}

fn fetch_all(url: &str, out: &Path, options: &FetchOptions) -> Result<Fetched, FetchError> {
    fetch(url, out, options, &mut |_| ControlFlow::Continue(()))
}

/// All files of the table are there, to the byte, and nothing else.
fn assert_is_copy(out: &Path, table: &Path) {
    assert_eq!(names(out), names(table));
    for name in names(table) {
        assert!(
            fs::read(out.join(&name)).unwrap() == fs::read(table.join(&name)).unwrap(),
            "{name}"
        );
    }
    verify(out, |_| ControlFlow::Continue(())).unwrap();
}

#[test]
fn a_table_is_fetched_and_is_the_same() {
    for table in [&*TABLE, &*HANDS] {
        let server = Server::of_folder(table);
        let (_dir, out) = place();
        let mut last = 0;
        let fetched = fetch(&server.url(), &out, &options(), &mut |progress| {
            assert!(last <= progress.done && progress.done <= progress.total);
            last = progress.done;
            ControlFlow::Continue(())
        });
        let fetched = fetched.unwrap();
        assert_eq!((fetched.how, fetched.resumed), (How::Table, 0));
        assert_eq!(last, fetched.manifest.bytes());
        assert_is_copy(&out, table);
        let requests = server.requests();
        assert_eq!(fetched.servers[0].requests, requests.len() as u64);
        // After the first answer for a file, all others are asked for under its tag.
        for file in fetched.manifest.files() {
            let asked: Vec<_> = requests.iter().filter(|r| r.file == file.name).collect();
            assert!(asked.len() >= 2 && asked[0].if_match.is_none());
            assert!(asked[1..].iter().all(|r| r.if_match == Some(format!("\"{}\"", file.blake3))));
        }

        let again = fetch_all(&server.url(), &out, &options()).unwrap();
        assert_eq!(again.how, How::WasHere);
        assert_eq!(again.servers[0].requests, 1, "the manifest alone");
    }
}

#[test]
fn connections_that_break_are_made_again_where_they_broke() {
    let table = &*TABLE;
    let cuts = Arc::new(AtomicUsize::new(0));
    let (folder, counted) = (table.clone(), Arc::clone(&cuts));
    let server = Server::start(move |request| {
        let reply = good(&folder, request);
        let half = reply.body.len() / 2;
        let is_data = request.file == DATA && half > 100_000;
        match is_data && counted.fetch_add(1, Ordering::SeqCst) < 5 {
            true => reply.cut_after(half),
            false => reply,
        }
    });
    let (_dir, out) = place();
    let fetched = fetch_all(&server.url(), &out, &options()).unwrap();
    assert_is_copy(&out, table);
    assert!(cuts.load(Ordering::SeqCst) >= 5);
    // Bytes that came before a cut did not come again.
    let (small, bytes) = (64 << 10, fetched.manifest.bytes());
    assert!(fetched.servers[0].bytes < bytes + small, "{fetched:?}");
    assert!(fetched.failed.is_empty());
}

#[test]
fn a_fetch_goes_on_where_it_was_stopped() {
    let table = &*TABLE;
    let server = Server::of_folder(table);
    let (_dir, out) = place();
    let stopped = fetch(&server.url(), &out, &options(), &mut |progress| match progress.done
        > progress.total / 2
    {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Err(FetchError::Table(TableError::Stopped))));
    assert_eq!(names(&out), [format!("{DATA}.part")], "no table yet");
    let part = out.join(format!("{DATA}.part"));
    let left = fs::metadata(&part).unwrap().len();
    let fetched = fetch_all(&server.url(), &out, &options()).unwrap();
    assert_eq!((fetched.how, fetched.resumed), (How::Table, left));
    assert!(fetched.servers[0].bytes < fetched.manifest.bytes() - left + (64 << 10));
    assert_is_copy(&out, table);
}

#[test]
fn what_an_earlier_fetch_left_is_checked_again() {
    let table = &*TABLE;
    let server = Server::of_folder(table);
    let whole = fs::read(table.join(DATA)).unwrap();
    let (half, end) = (whole.len() / 2, whole.len());
    let mut damaged = whole.clone();
    damaged[end - end / 8] ^= 1;
    let other = vec![7; end + 1000];
    // Each is what a crash, a full disk or another version of the table may leave.
    for (left, resumes) in [
        (whole.clone(), true),
        (whole[..half].to_vec(), true),
        (damaged, true),
        (other, false),
        (Vec::new(), false),
        ([&whole[..], b"more"].concat(), true),
    ] {
        for name in [DATA.to_owned(), format!("{DATA}.part")] {
            let (_dir, out) = place();
            fs::create_dir(&out).unwrap();
            fs::write(out.join(name), &left).unwrap();
            let fetched = fetch_all(&server.url(), &out, &options()).unwrap();
            assert_eq!(fetched.resumed > 0, resumes, "{} bytes", left.len());
            assert_is_copy(&out, table);
        }
    }
}

#[test]
fn the_next_mirror_takes_over() {
    let table = &*TABLE;
    let good_one = Server::of_folder(table);
    let whole = fs::read(table.join(DATA)).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() * 2 / 3] ^= 1;
    let folder = table.clone();
    let damaged_one = Server::start(move |request| match request.file == DATA {
        true => Reply::of(request, &damaged, "\"x\""),
        false => good(&folder, request),
    });
    let folder = table.clone();
    let without_data = Server::start(move |request| match request.file == DATA {
        true => Reply::status(404),
        false => good(&folder, request),
    });
    let nobody = "http://127.0.0.1:9/tables/t".to_owned();
    let (_dir, out) = place();
    let mirrors = vec![without_data.url(), damaged_one.url(), good_one.url()];
    let options = FetchOptions { mirrors, ..options() };
    let fetched = fetch_all(&nobody, &out, &options).unwrap();
    assert_is_copy(&out, table);
    let failed: Vec<_> = fetched.failed.iter().map(|failed| failed.url.clone()).collect();
    assert_eq!(failed, [nobody, without_data.url(), damaged_one.url()]);
    let what: Vec<_> = fetched.failed.iter().map(|failed| failed.error.to_string()).collect();
    assert!(what[1].contains("no such file"), "{}", what[1]);
    assert!(
        what[2].contains("corrupt: frame") && what[2].contains(&damaged_one.url()),
        "{}",
        what[2]
    );
    // What the damaged one gave before the damage was good, and did not come again.
    let from_damaged = fetched.servers[2].bytes;
    assert!(from_damaged > 1 << 20 && fetched.servers[3].bytes < whole.len() as u64, "{fetched:?}");
}

#[test]
fn a_mirror_with_other_values_is_found_out() {
    let table = &*HANDS;
    let (_other_dir, other) = place();
    random_table::holdem(&other, 2).unwrap();
    let (liar_folder, file) = (other.clone(), random_table::FILES[1]);
    let folder = table.clone();
    // Sound frames, sound seek table, even the right tag: only the digest shows it.
    let liar = Server::start(move |request| match request.file == file {
        true => good(&liar_folder, request).without("etag"),
        false => good(&folder, request),
    });
    let honest = Server::of_folder(table);
    let (_dir, out) = place();
    let options = FetchOptions { mirrors: vec![honest.url()], ..options() };
    let fetched = fetch_all(&liar.url(), &out, &options).unwrap();
    assert_is_copy(&out, table);
    let said = fetched.failed[0].error.to_string();
    assert!(said.contains(&format!("{}/{file}", liar.url())) && said.contains("digest"), "{said}");
}

#[test]
fn single_files_are_fetched_and_the_rest_later() {
    let table = &*HANDS;
    let server = Server::of_folder(table);
    let (_dir, out) = place();
    let some = |names: &[&str]| {
        let wanted = Wanted::Files(names.iter().map(|name| (*name).to_owned()).collect());
        fetch_all(&server.url(), &out, &FetchOptions { wanted, ..options() })
    };
    let [win, tie, placements] = random_table::FILES;
    let fetched = some(&[tie, placements]).unwrap();
    assert_eq!(fetched.how, How::Files);
    assert_eq!(names(&out), [placements, tie]);
    let error = some(&["../manifest.json"]).unwrap_err();
    assert!(error.is_users() && error.to_string().contains(win), "{error}");
    let before = server.requests().len();
    assert_eq!(fetch_all(&server.url(), &out, &options()).unwrap().how, How::Table);
    assert_is_copy(&out, table);
    // Of the files that were there, only the seek tables came again.
    let again = server.requests().split_off(before);
    assert_eq!(again.iter().filter(|r| r.file == tie || r.file == placements).count(), 2);
}

#[test]
fn other_tables_are_neither_written_over_nor_taken() {
    let table = &*HANDS;
    let (_other_dir, other) = place();
    random_table::holdem(&other, 2).unwrap();
    let server = Server::of_folder(table);
    let error = fetch_all(&server.url(), &other, &options()).unwrap_err();
    assert!(error.is_users(), "{error}");
    assert_eq!(names(&other).len(), 5);

    let (_dir, out) = place();
    let asked = FetchOptions { identity: Some("ab".repeat(32)), ..options() };
    let error = fetch_all(&server.url(), &out, &asked).unwrap_err();
    assert!(error.to_string().contains("not the one asked for"), "{error}");
    assert!(!out.exists());
}
