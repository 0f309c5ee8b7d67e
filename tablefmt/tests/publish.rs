//! Publishing tables to folders.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod random_table;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod small_table;

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use random_table::{FILES, names};
use retrotab_tablefmt::objects::{StoreError, StoreOptions};
use retrotab_tablefmt::publish::{
    Existing, PublishError, PublishOptions, Published, Step, Target, publish,
};
use retrotab_tablefmt::{TableError, verify};

/// A table and a place to publish it in.
struct Home {
    dir: tempfile::TempDir,
    table: PathBuf,
    to: PathBuf,
}

fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let (table, to) = (dir.path().join("table"), dir.path().join("published/holdem"));
    random_table::holdem(&table, 1).unwrap();
    Home { dir, table, to }
}

fn options(existing: Existing) -> PublishOptions {
    let urls = ["https://one.example/tables/holdem", "https://two.example/h/holdem"];
    PublishOptions { urls: urls.map(str::to_owned).to_vec(), existing }
}

impl Home {
    fn publish_from(&self, table: &Path, existing: Existing) -> Result<Published, PublishError> {
        let target = Target::open(self.to.to_str().unwrap(), &StoreOptions::default()).unwrap();
        publish(table, &target, &options(existing), &mut |_| ControlFlow::Continue(()))
    }

    fn publish(&self) -> Result<Published, PublishError> {
        self.publish_from(&self.table, Existing::Keep)
    }

    fn other(&self, seed: u64) -> PathBuf {
        let other = self.dir.path().join(format!("other{seed}"));
        random_table::holdem(&other, seed).unwrap();
        other
    }

    fn assert_published(&self, table: &Path) {
        for name in names(table) {
            assert!(fs::read(self.to.join(&name)).unwrap() == fs::read(table.join(&name)).unwrap());
        }
        verify(&self.to, |_| ControlFlow::Continue(())).unwrap();
    }
}

const TEXTS: [&str; 5] =
    ["SHA256SUMS", "urls.txt", "holdem.torrent", "index.html", "manifest.json"];

#[test]
fn data_files_come_first_and_the_manifest_last() {
    let home = home();
    let published = home.publish().unwrap();
    assert_eq!(published.written, [&FILES[..], &TEXTS[..]].concat());
    assert_eq!(published.copied, published.manifest.bytes());
    home.assert_published(&home.table);
    let before: Vec<_> = written_at(&home.to);
    let again = home.publish().unwrap();
    assert!(again.written.is_empty() && again.removed.is_empty(), "{again:?}");
    assert_eq!(written_at(&home.to), before);
}

fn written_at(folder: &Path) -> Vec<std::time::SystemTime> {
    let modified = |name: &String| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    names(folder).iter().map(modified).collect()
}

#[test]
fn an_interrupted_publication_goes_on() {
    let home = home();
    let target = Target::open(home.to.to_str().unwrap(), &StoreOptions::default()).unwrap();
    let first = fs::metadata(home.table.join(FILES[0])).unwrap().len();
    let stopped = publish(&home.table, &target, &options(Existing::Keep), &mut |step| match step {
        Step::Copying(bytes) if bytes > first => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let is_stopped = |error: &PublishError| {
        matches!(error, PublishError::Store(StoreError::Table(TableError::Stopped)))
    };
    assert!(stopped.as_ref().is_err_and(is_stopped), "{stopped:?}");
    assert_eq!(names(&home.to), [FILES[0]], "whole files alone");
    let published = home.publish().unwrap();
    assert_eq!(published.written[..2], FILES[1..]);
    home.assert_published(&home.table);
}

#[test]
fn another_table_is_refused_or_replaced() {
    let home = home();
    home.publish().unwrap();
    let other = home.other(2);
    let refused = home.publish_from(&other, Existing::Keep).unwrap_err();
    assert!(matches!(refused, PublishError::Different { .. }) && refused.is_users(), "{refused}");
    home.assert_published(&home.table);
    let replaced = home.publish_from(&other, Existing::Replace).unwrap();
    assert!(replaced.removed.is_empty());
    home.assert_published(&other);

    // One with other files: the old ones go.
    let stack = home.dir.path().join("stack");
    small_table::write(&stack, 1 << 18).unwrap();
    let replaced = home.publish_from(&stack, Existing::Replace).unwrap();
    assert_eq!(replaced.removed, FILES);
    home.assert_published(&stack);
}

#[test]
fn what_is_not_ours_is_not_written_over() {
    let home = home();
    fs::create_dir_all(&home.to).unwrap();
    fs::write(home.to.join(FILES[1]), "somebody's").unwrap();
    let refused = home.publish().unwrap_err();
    assert!(matches!(&refused, PublishError::OtherFile { file, .. } if file == FILES[1]));
    assert_eq!(names(&home.to), [FILES[1]], "nothing was written");
    fs::write(home.to.join("manifest.json"), "{}").unwrap();
    assert!(matches!(home.publish(), Err(PublishError::Different { .. })));
    home.publish_from(&home.table, Existing::Replace).unwrap();
    home.assert_published(&home.table);
}

#[test]
fn files_that_got_lost_are_published_again() {
    let home = home();
    home.publish().unwrap();
    fs::remove_file(home.to.join(FILES[2])).unwrap();
    fs::remove_file(home.to.join("index.html")).unwrap();
    let published = home.publish().unwrap();
    assert_eq!(published.written, [FILES[2], "index.html"]);
    home.assert_published(&home.table);
}

#[test]
fn a_damaged_table_is_not_published() {
    for name in [FILES[0], "SHA256SUMS"] {
        let home = home();
        let path = home.table.join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[30] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = home.publish().unwrap_err();
        assert!(
            error.to_string().contains(name) && error.to_string().contains("corrupt"),
            "{error}"
        );
        assert!(!home.to.exists(), "nothing was written");
    }
}

#[test]
fn the_page_and_the_list_say_what_is_needed() {
    let home = home();
    let manifest = home.publish().unwrap().manifest;
    let page = fs::read_to_string(home.to.join("index.html")).unwrap();
    assert!(!page.contains("<script") && page.starts_with("<!DOCTYPE html>"));
    for file in manifest.files() {
        assert!(page.contains(&file.name) && page.contains(&file.sha256));
    }
    for text in [
        &manifest.identity,
        "CC0-1.0",
        "retrotab fetch https://one.example/tables/holdem --mirror https://two.example/h/holdem",
        "sha256sum -c SHA256SUMS",
        "holdem.torrent",
        "14 365",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let list = fs::read_to_string(home.to.join("urls.txt")).unwrap();
    assert_eq!(list.lines().count(), 5);
    assert!(list.lines().all(|line| line.starts_with("https://one.example/tables/holdem/")));
}

#[test]
fn the_torrent_is_of_the_files_one_after_the_other() {
    let home = home();
    home.publish().unwrap();
    let torrent = fs::read(home.to.join("holdem.torrent")).unwrap();
    let has = |text: &str| torrent.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("8:url-listl27:https://one.example/tables/22:https://two.example/h/e"));
    assert!(has("4:name6:holdem"));
    // All files together fill less than a piece, so there is one digest; `sha1sum` knows it.
    let files = [&FILES[..], &["SHA256SUMS", "manifest.json"]].concat();
    let all: Vec<u8> =
        files.iter().flat_map(|name| fs::read(home.to.join(name)).unwrap()).collect();
    assert!(all.len() < 256 << 10);
    let at = torrent.windows(11).position(|window| window == b"6:pieces20:").unwrap() + 11;
    assert_eq!(hex::encode(&torrent[at..at + 20]), sha1sum(&all));
}

fn sha1sum(bytes: &[u8]) -> String {
    let mut command = Command::new("sha1sum");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()[..40].to_owned()
}

#[test]
fn public_urls_must_be_urls() {
    let home = home();
    let target = Target::open(home.to.to_str().unwrap(), &StoreOptions::default()).unwrap();
    for url in ["host/x", "ftp://host/x", "https://host/x/", "https://host/x y", "https://host/x\n"]
    {
        let options = PublishOptions { urls: vec![url.to_owned()], existing: Existing::Keep };
        let error = publish(&home.table, &target, &options, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(error, Err(PublishError::PublicUrl(_))), "{url:?}");
    }
}
