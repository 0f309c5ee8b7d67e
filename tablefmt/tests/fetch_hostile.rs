//! Servers that lie, break off, or want to do harm: refused, named, and nothing of theirs kept.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod random_table;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod web;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use random_table::names;
use retrotab_tablefmt::fetch::{FetchError, FetchOptions, How, fetch};
use retrotab_tablefmt::remote::Patience;
use serde_json::{Value, json};
use web::{Reply, Request, Server, good, place};

static TABLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let table = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-hands");
    let _ = fs::remove_dir_all(&table);
    random_table::holdem(&table, 1).unwrap();
    table
});

/// The first data file, whose frames every test may spoil.
const DATA: &str = random_table::FILES[0];

fn table() -> &'static Path {
    &TABLE
}

fn data() -> Vec<u8> {
    fs::read(table().join(DATA)).unwrap()
}

fn run(url: &str, out: &Path) -> Result<How, FetchError> {
    let options = FetchOptions { patience: Patience { retries: 1 }, ..FetchOptions::default() };
    fetch(url, out, &options, &mut |_| ControlFlow::Continue(())).map(|fetched| fetched.how)
}

/// Fetches from a server that answers like this. The fetch must fail, name the server and say
/// `what`; nothing may be left but checked frames of files that are not complete.
fn is_refused(what: &str, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
    let server = Server::start(answer);
    let (dir, out) = place();
    let error = run(&server.url(), &out).expect_err(what);
    let said = error.to_string();
    assert!(said.contains(what) && said.contains(&server.url()), "{what:?}: {said}");
    assert!(!error.is_users(), "{said}");
    assert!(said.len() < 1000, "{said}");
    assert!(names(dir.path()).iter().all(|name| name == "out"), "{:?}", names(dir.path()));
    for name in names(&out) {
        let left = fs::read(out.join(&name)).unwrap();
        let whole = fs::read(table().join(name.trim_end_matches(".part"))).unwrap();
        assert!(name.ends_with(".part") || left == whole, "{what}: {name} is left");
        assert!(whole.starts_with(&left), "{what}: {name} holds other bytes");
        assert!(!left.is_empty(), "{what}: {name} is empty");
    }
}

/// Spoils answers for parts of the data file.
fn spoil(what: &str, spoiled: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static) {
    is_refused(what, move |request| {
        let reply = good(table(), request);
        if request.file == DATA { spoiled(request, reply) } else { reply }
    });
}

#[test]
fn answers_that_are_not_what_was_asked_for() {
    spoil("status 200 to a Range request", |_, _| Reply::whole(data()));
    spoil("does not say which part", |_, reply| reply.without("content-range"));
    spoil("it gives `bytes 0-9/10`", |_, reply| reply.with("content-range", "bytes 0-9/10"));
    let longer = |request: &Request| {
        let range = request.range.clone().unwrap();
        format!("bytes {}-{}/{}", range.start, range.end - 1, u64::MAX)
    };
    spoil("instead of `bytes", move |request, reply| reply.with("content-range", &longer(request)));
    spoil("encodes the file", |_, reply| reply.with("content-encoding", "gzip"));
    spoil("shorter than the manifest says", |_, _| Reply::status(416));
    spoil("no such file", |_, _| Reply::status(404));
    spoil("no such file", |_, _| Reply::status(410));
    spoil("refuses to give it (status 403)", |_, _| Reply::status(403));
    spoil("status 503", |_, _| Reply::status(503));
    spoil("refuses to give it (status 418)", |_, _| Reply::status(418));
    spoil("refuses to give it (status 204)", |_, _| Reply::status(204));
}

#[test]
fn lengths_that_are_wrong() {
    spoil("is said to have 5", |_, reply| reply.with("content-length", "5"));
    spoil("is said to have 4611686018427387904", |_, reply| {
        reply.with("content-length", &(1_u64 << 62).to_string())
    });
    // Without a length, the end of the connection is the end of the answer.
    spoil("the server stopped after", |_, reply| {
        let half = reply.body.len() / 2;
        // Never a byte more than before, so it does not help to ask again.
        reply.without("content-length").cut_after(half.min(1)).with("connection", "close")
    });
    spoil("more than", |_, reply| {
        let body = [&reply.body[..], &[7; 100_000]].concat();
        let all = body.len();
        Reply { body, ..reply }.without("content-length").with("connection", "close").cut_after(all)
    });
}

#[test]
fn connections_that_break_off() {
    spoil("the server stopped after 0 of", |_, reply| reply.cut_after(0));
    // The first half again and again would help; nothing does not.
    let asked = AtomicUsize::new(0);
    spoil("the server stopped after 0 of", move |_, reply| {
        let bytes = if asked.fetch_add(1, Ordering::SeqCst) == 0 { reply.body.len() } else { 0 };
        reply.cut_after(bytes)
    });
}

#[test]
fn redirects_are_followed_on_the_same_host_only() {
    spoil(
        "sends us to http://127.0.0.1:9/x, and redirects are followed on the same host only",
        |_, _| Reply::status(302).with("location", "http://127.0.0.1:9/x"),
    );
    spoil("sends us to file:///etc/passwd", |_, _| {
        Reply::status(302).with("location", "file:///etc/passwd")
    });
    // In circles.
    spoil("sends us to /tables/t/", |_, _| {
        Reply::status(307).with("location", &format!("/tables/t/{DATA}"))
    });
    let server = Server::start(|request| match request.path.starts_with("/tables/t/") {
        true => Reply::status(301).with("location", &format!("/elsewhere/{}", request.file)),
        false => good(table(), request),
    });
    let (_dir, out) = place();
    assert_eq!(run(&server.url(), &out).unwrap(), How::Table);
}

#[test]
fn files_that_change_in_the_middle() {
    let asked = AtomicUsize::new(0);
    // A server that minds If-Match.
    spoil("has changed on the server", move |request, _| {
        let tag = format!("\"{}\"", asked.fetch_add(1, Ordering::SeqCst));
        Reply::of(request, &data(), &tag)
    });
    // One that does not.
    let asked = AtomicUsize::new(0);
    spoil("has changed on the server", move |_, reply| {
        reply.with("etag", &format!("\"{}\"", asked.fetch_add(1, Ordering::SeqCst)))
    });
    // One that does not even say so: the frames or the digest tell.
    let asked = AtomicUsize::new(0);
    let (_dir, other) = place();
    random_table::holdem(&other, 2).unwrap();
    let other = fs::read(other.join(DATA)).unwrap();
    spoil("the digest of the whole file", move |request, reply| {
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => reply.without("etag"),
            _ => Reply::of(request, &other, "\"x\"").without("etag"),
        }
    });
}

#[test]
fn data_that_is_not_what_the_manifest_says() {
    // Sound frames of other values, under the right tag.
    let (_dir, other) = place();
    random_table::holdem(&other, 2).unwrap();
    let folder = other.clone();
    spoil("the digest of the whole file", move |request, _| good(&folder, request).without("etag"));
    // A bit in a frame, in the seek table, at the very end.
    for (place, what) in [
        (50, "corrupt: frame 0"),
        (data().len() - 12, "corrupt: seek table"),
        (data().len() - 1, "corrupt: seek table"),
    ] {
        let mut damaged = data();
        damaged[place] ^= 8;
        spoil(what, move |request, _| Reply::of(request, &damaged, "\"x\""));
    }
}

/// A frame of so many zeros.
fn bomb(zeros: usize) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 19).unwrap();
    encoder.include_checksum(true).unwrap();
    for _ in 0..zeros >> 20 {
        std::io::Write::write_all(&mut encoder, &[0; 1 << 20]).unwrap();
    }
    encoder.finish().unwrap()
}

#[test]
fn bombs_do_not_go_off() {
    // As many bytes as the first frame has, that decode to 64 MiB. (The seek table must fit.)
    let whole = data();
    let first = zstd::zstd_safe::find_frame_compressed_size(&whole).unwrap();
    let bomb = bomb(64 << 20);
    assert!(bomb.len() + 8 < first, "{}", bomb.len());
    let mut spoiled = whole.clone();
    spoiled[..bomb.len()].copy_from_slice(&bomb);
    spoil("corrupt: frame 0", move |request, _| Reply::of(request, &spoiled, "\"x\""));
    // The same with a seek table that says how long it is, and a skippable frame in between.
    let mut spoiled = whole.clone();
    spoiled[..bomb.len()].copy_from_slice(&bomb);
    let rest = (first - bomb.len() - 8) as u32;
    spoiled[bomb.len()..bomb.len() + 4].copy_from_slice(&0x184D_2A50_u32.to_le_bytes());
    spoiled[bomb.len() + 4..bomb.len() + 8].copy_from_slice(&rest.to_le_bytes());
    spoil("corrupt: frame 0", move |request, _| Reply::of(request, &spoiled, "\"x\""));
}

/// Spoils the manifest as JSON.
fn spoil_manifest(what: &str, change: impl Fn(&mut Value)) {
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(table().join("manifest.json")).unwrap()).unwrap();
    change(&mut manifest);
    let bytes = serde_json::to_vec(&manifest).unwrap();
    is_refused(what, move |request| match request.file.as_str() {
        "manifest.json" => Reply::whole(bytes.clone()),
        _ => good(table(), request),
    });
}

#[test]
fn manifests_that_want_to_do_harm() {
    let escapes = [
        "../evil",
        "/etc/cron.d/evil",
        "a/../../evil",
        "..",
        "",
        "manifest.json",
        "x\0y",
        "C:\\evil",
    ];
    for name in escapes {
        spoil_manifest("its name is", |manifest| {
            manifest["columns"][0]["files"][0]["name"] = json!(name);
        });
    }
    let twice = |manifest: &mut Value| {
        let file = manifest["columns"][0]["files"][0].clone();
        manifest["columns"][0]["files"].as_array_mut().unwrap().push(file);
    };
    spoil_manifest("corrupt: files", twice);
    spoil_manifest("its name is", |manifest| {
        manifest["columns"][1]["files"] = manifest["columns"][0]["files"].clone();
    });
    for key in ["bytes", "raw_bytes", "entries", "first_entry"] {
        spoil_manifest("corrupt", |manifest| {
            manifest["columns"][0]["files"][0][key] = json!(u64::MAX);
        });
    }
    for length in [0, 16] {
        spoil_manifest("too few for its frames", |manifest| {
            manifest["columns"][0]["files"][0]["bytes"] = json!(length);
        });
    }
    spoil_manifest("shorter than the manifest says", |manifest| {
        manifest["columns"][0]["files"][0]["bytes"] = json!(data().len() + 40);
    });
    spoil_manifest("the digest of the whole file", |manifest| {
        manifest["columns"][0]["files"][0]["blake3"] = json!("0".repeat(64));
    });
    spoil_manifest("corrupt: entries", |manifest| manifest["entries"] = json!(1_u64 << 60));
    spoil_manifest("corrupt", |manifest| manifest["table"]["game"] = json!("omaha"));
    spoil_manifest("version 9.0", |manifest| manifest["version"] = json!("9.0"));
}

#[test]
fn manifests_that_are_none() {
    let manifest = |body: Vec<u8>| {
        move |request: &Request| match request.file.as_str() {
            "manifest.json" => Reply::whole(body.clone()),
            _ => Reply::status(404),
        }
    };
    is_refused("corrupt", manifest(b"<html>Welcome</html>".to_vec()));
    is_refused("corrupt", manifest(vec![b'['; 100_000]));
    is_refused("corrupt", manifest(Vec::new()));
    is_refused("more than 16777216", manifest(vec![b' '; (16 << 20) + 1]));
    is_refused("more than 16777216 bytes", |request| match request.file.as_str() {
        "manifest.json" => {
            let body = vec![b' '; 17 << 20];
            Reply::whole(body)
                .without("content-length")
                .with("connection", "close")
                .cut_after(usize::MAX)
        }
        _ => Reply::status(404),
    });
    is_refused("no such file", |_| Reply::status(404));
    is_refused("the server does not tell the truth", |_| {
        Reply::whole(b"{}".to_vec()).with("content-encoding", "br")
    });
}

#[test]
fn a_manifest_with_a_false_identity_leaves_nothing() {
    spoil_manifest("the values have the identity", |manifest| {
        manifest["identity"] = json!("0".repeat(64));
    });
    let server = Server::of_folder(table());
    let (_dir, out) = place();
    run(&server.url(), &out).unwrap();
    assert_eq!(names(&out).len(), 5, "the same table from an honest server");
}

#[test]
fn links_in_the_folder_are_not_followed() {
    let server = Server::of_folder(table());
    let (dir, out) = place();
    fs::create_dir(&out).unwrap();
    let outside = dir.path().join("outside");
    fs::write(&outside, "mine").unwrap();
    std::os::unix::fs::symlink(&outside, out.join(format!("{DATA}.part"))).unwrap();
    let error = run(&server.url(), &out).unwrap_err();
    assert!(error.to_string().contains("not a file"), "{error}");
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
}
