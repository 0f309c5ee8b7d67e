//! The small files that stand beside the data files of a published table.

use super::page::{Page, Style};
use super::source::Checked;
use super::torrent::TorrentFile;
use crate::manifest::{MANIFEST, Manifest, SHA256SUMS};

/// Name of the page.
pub(super) const INDEX: &str = "index.html";
/// Name of the list of URLs.
pub(super) const URLS: &str = "urls.txt";

/// A small file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) name: String,
    /// Its type, as browsers know it.
    pub(super) kind: &'static str,
    pub(super) bytes: Vec<u8>,
}

/// All of them, the manifest left out. `urls` are those of the table's folder, without a slash
/// at the end.
pub(super) fn texts(
    name: &str,
    manifest: &Manifest,
    checked: Checked,
    urls: &[String],
) -> Vec<Text> {
    let sums = manifest.sha256_sums();
    let torrent_name = format!("{name}.torrent");
    let others = [URLS.to_owned(), torrent_name.clone()];
    let page = Page { name, manifest, urls, others: &others, style: Style::Inside };
    let mut pieces = checked.pieces;
    pieces.update(sums.as_bytes());
    pieces.update(&checked.manifest);
    let mut files: Vec<TorrentFile> = manifest
        .files()
        .map(|file| TorrentFile { name: file.name.clone(), bytes: file.bytes })
        .collect();
    files.push(TorrentFile { name: SHA256SUMS.to_owned(), bytes: sums.len() as u64 });
    files.push(TorrentFile { name: MANIFEST.to_owned(), bytes: checked.manifest.len() as u64 });
    let torrent = pieces.torrent(name, &files, &seeds(name, urls));
    let text = |name: &str, kind, bytes| Text { name: name.to_owned(), kind, bytes };
    vec![
        text(SHA256SUMS, "text/plain; charset=utf-8", sums.into_bytes()),
        text(URLS, "text/plain; charset=utf-8", url_list(manifest, urls).into_bytes()),
        text(&torrent_name, "application/x-bittorrent", torrent),
        text(INDEX, "text/html; charset=utf-8", page.html().into_bytes()),
    ]
}

/// One file a line, for `wget -i` and the like: at the first URL, or by their names alone, which
/// `wget --base` takes, if no URL is known.
fn url_list(manifest: &Manifest, urls: &[String]) -> String {
    let names = manifest.files().map(|file| file.name.as_str()).chain([SHA256SUMS, MANIFEST]);
    match urls.first() {
        Some(url) => names.map(|name| format!("{url}/{name}\n")).collect(),
        None => names.map(|name| format!("{name}\n")).collect(),
    }
}

/// Web seeds: the folders that hold the table's folder, where that has the table's name.
fn seeds(name: &str, urls: &[String]) -> Vec<String> {
    let above =
        |url: &String| Some(url.strip_suffix(name)?.to_owned()).filter(|u| u.ends_with('/'));
    urls.iter().filter_map(above).collect()
}
