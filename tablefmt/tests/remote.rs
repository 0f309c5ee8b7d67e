//! Single values of published tables.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod random_table;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod small_table;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod web;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::remote::{Bearer, FrameCache, Patience, Remote, RemoteError, RemoteTable};
use web::{Reply, Server, good, place};

const PATIENCE: Patience = Patience { retries: 1 };
const DATA: &str = "000.u16.zst";

fn try_open(url: &str, cache: Option<FrameCache>) -> Result<RemoteTable, RemoteError> {
    RemoteTable::open(Remote::open(url, PATIENCE)?, cache)
}

fn open(server: &Server, cache: Option<&FrameCache>) -> RemoteTable {
    try_open(&server.url(), cache.cloned()).unwrap()
}

#[test]
fn a_value_takes_three_requests_and_the_next_one_fewer() {
    let (dir, table) = place();
    small_table::write(&table, 1 << 18).unwrap();
    // In a section of several frames.
    let entry = 600_000;
    let server = Server::of_folder(&table);
    let cache = FrameCache::new(&dir.path().join("cache"), 1 << 30);
    let remote = open(&server, Some(&cache));
    assert_eq!(remote.remote().meter().requests(), 1);
    let value = |remote: &RemoteTable, entry| remote.table().value(0, entry).unwrap();
    assert_eq!(value(&remote, entry), u32::from(small_table::value(entry)));
    assert_eq!(remote.remote().meter().requests(), 3);
    // The manifest, the seek table, a frame.
    let manifest = fs::metadata(table.join("manifest.json")).unwrap().len();
    let bytes = remote.remote().meter().received();
    assert!(bytes < manifest + (300 << 10) && bytes > manifest, "{bytes}");
    value(&remote, entry + 1);
    assert_eq!(remote.remote().meter().requests(), 3, "the same frame");
    assert_eq!(value(&remote, 0), u32::from(small_table::value(0)));
    assert_eq!(remote.remote().meter().requests(), 4);

    // Another process finds what this one has read.
    let later = open(&server, Some(&cache));
    for entry in [0, entry] {
        assert_eq!(value(&later, entry), u32::from(small_table::value(entry)));
    }
    assert_eq!(later.remote().meter().requests(), 1);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.range.is_some() || request.file == "manifest.json")
    );
}

#[test]
fn only_the_files_that_are_needed_are_opened() {
    let (_dir, table) = place();
    random_table::holdem(&table, 1).unwrap();
    let server = Server::of_folder(&table);
    let remote = open(&server, None);
    remote.table().value(2, 5).unwrap();
    let asked: Vec<String> = server.requests().into_iter().map(|request| request.file).collect();
    let placements = random_table::FILES[2];
    assert_eq!(asked, ["manifest.json", placements, placements]);
}

#[test]
fn what_is_damaged_on_its_way_is_not_kept() {
    let (dir, table) = place();
    small_table::write(&table, 1 << 18).unwrap();
    let damaging = Arc::new(AtomicBool::new(true));
    let (folder, damage) = (table.clone(), Arc::clone(&damaging));
    let server = Server::start(move |request| {
        let mut reply = good(&folder, request);
        let is_bad = request.file == DATA && damage.load(Ordering::SeqCst);
        if let Some(byte) = reply.body.get_mut(40).filter(|_| is_bad) {
            *byte ^= 0x55;
        }
        reply
    });
    let cache = FrameCache::new(&dir.path().join("cache"), 1 << 30);
    // The seek table is bad, then a frame.
    let error = open(&server, Some(&cache)).table().value(0, 0).unwrap_err();
    assert!(matches!(error, TableError::Corrupt { .. }), "{error}");
    damaging.store(false, Ordering::SeqCst);
    let remote = open(&server, Some(&cache));
    remote.table().value(0, 0).unwrap();
    damaging.store(true, Ordering::SeqCst);
    let later = 600_000;
    let error = remote.table().value(0, later).unwrap_err();
    assert!(matches!(error, TableError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains(&server.url()), "{error}");
    damaging.store(false, Ordering::SeqCst);
    let value = open(&server, Some(&cache)).table().value(0, later).unwrap();
    assert_eq!(value, u32::from(small_table::value(later)));
}

#[test]
fn servers_that_cannot_be_probed_are_named() {
    let (_dir, table) = place();
    small_table::write(&table, 1 << 18).unwrap();
    let folder = table.clone();
    let without_ranges = Server::start(move |request| {
        Reply::whole(fs::read(folder.join(&request.file)).unwrap_or_default())
    });
    let error = open(&without_ranges, None).table().value(0, 0).unwrap_err().to_string();
    assert!(
        error.contains("status 200 to a Range") && error.contains(&without_ranges.url()),
        "{error}"
    );
    let gone = try_open("http://127.0.0.1:9/x", None).map(|_| ()).unwrap_err();
    assert!(matches!(gone, RemoteError::Unreachable { .. }), "{gone}");
    let empty = Server::start(|_| Reply::status(404));
    let error = try_open(&empty.url(), None).map(|_| ()).unwrap_err();
    assert!(matches!(error, RemoteError::Missing { .. }), "{error}");
}

#[test]
fn a_token_goes_to_the_server_it_is_for_and_to_no_other() {
    let (_dir, table) = place();
    small_table::write(&table, 1 << 18).unwrap();
    let elsewhere = Server::of_folder(&table);
    let (other, folder) = (elsewhere.url(), table.clone());
    let redirects = Arc::new(AtomicBool::new(false));
    let redirecting = Arc::clone(&redirects);
    let server = Server::start(move |request| match request.authorization.as_deref() {
        Some("Bearer the-right-token-of-all") if redirecting.load(Ordering::Relaxed) => {
            Reply::status(302).with("location", &format!("{other}/{}", request.file))
        }
        Some("Bearer the-right-token-of-all") => good(&folder, request),
        _ => Reply::status(401),
    });
    let error = try_open(&server.url(), None).map(|_| ()).unwrap_err();
    assert!(matches!(error, RemoteError::Refused { status: 401, .. }), "{error}");

    let bearer = Bearer::new("the-right-token-of-all").unwrap();
    assert!(!format!("{bearer:?}").contains("token"));
    let remote = Remote::open_as(Some(bearer), &server.url(), PATIENCE).unwrap();
    let remote = RemoteTable::open(remote, None).unwrap();
    assert_eq!(remote.table().value(0, 7).unwrap(), u32::from(small_table::value(7)));
    redirects.store(true, Ordering::Relaxed);
    assert!(remote.table().value(0, 600_000).unwrap_err().to_string().contains("000.u16.zst"));
    assert_eq!(elsewhere.requests().len(), 0);
    assert!(Bearer::new("a\nb").is_none());
}
