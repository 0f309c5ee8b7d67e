//! The page of a published table: what it is, how to fetch and how to read it. Needs no scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value as Json;

use crate::layout::EntryType;
use crate::manifest::{FileManifest, MANIFEST, Manifest, SHA256SUMS};

/// Where a page's style is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// In the page itself, which is one file.
    Inside,
    /// At this path of the server.
    At(&'static str),
}

/// The style of the page.
pub const STYLE: &str = include_str!("page.css");

/// What a page tells of.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// Name of the table.
    pub name: &'a str,
    /// The table.
    pub manifest: &'a Manifest,
    /// Where it can be fetched from, without a slash at the end; none if that is not known.
    pub urls: &'a [String],
    /// Other files that stand beside it, such as a torrent.
    pub others: &'a [String],
    /// Where the style is.
    pub style: Style,
}

/// The head of a page about tables.
pub fn head(title: &str, style: Style) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) }
            @match style {
                Style::Inside => { style { (PreEscaped(STYLE)) } }
                Style::At(path) => { link rel="stylesheet" href=(path); }
            }
        }
    }
}

impl Page<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let title = format!("{}: {}", self.name, self.manifest.table);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&title, self.style))
                body {
                    h1 { (title) }
                    (self.facts())
                    h2 { "Files" }
                    (self.files())
                    h2 { "How to fetch it" }
                    (self.fetching())
                    h2 { "How to read it" }
                    (self.reading())
                    h2 { "Licence" }
                    p { (self.manifest.licence) ": facts, free for any use." }
                }
            }
        };
        page.into_string()
    }

    fn facts(&self) -> Markup {
        let manifest = self.manifest;
        let parameters = match serde_json::to_value(&manifest.table) {
            Ok(Json::Object(parameters)) => parameters,
            _ => serde_json::Map::new(),
        };
        let plain = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        html! {
            table {
                @for (name, value) in &parameters { tr { th { (name) } td { (plain(value)) } } }
                tr { th { "positions" } td { (grouped(manifest.positions)) } }
                tr { th { "entries" } td { (grouped(manifest.entries)) } }
                tr { th { "size" } td { (grouped(manifest.bytes())) " bytes" } }
                tr { th { "identity" } td { code { (manifest.identity) } " (BLAKE3 of all raw values)" } }
                tr { th { "rules" } td { (manifest.rule) } }
                tr { th { "made by" } td { (manifest.software) } }
            }
        }
    }

    fn files(&self) -> Markup {
        let row = |file: &FileManifest| {
            html! {
                tr {
                    td { a href=(file.name) { (file.name) } }
                    td.number { (grouped(file.bytes)) }
                    td.number { (grouped(file.first_entry)) }
                    td.number { (grouped(file.entries)) }
                    td { code { (file.sha256) } }
                }
            }
        };
        html! {
            table {
                tr { th { "file" } th { "bytes" } th { "first entry" } th { "entries" } th { "SHA-256" } }
                @for file in self.manifest.files() { (row(file)) }
            }
            p {
                "Also: "
                @for name in [MANIFEST, SHA256SUMS] { a href=(name) { (name) } " " }
                @for name in self.others { a href=(name) { (name) } " " }
            }
        }
    }

    fn fetching(&self) -> Markup {
        let url = self.urls.first().map_or("URL", String::as_str);
        let mirrors = self.urls.iter().skip(1).map(|url| format!(" --mirror {url}"));
        let mirrors: String = mirrors.collect();
        let curl = format!(
            "curl -fO {url}/{SHA256SUMS} && curl -fO {url}/{MANIFEST}\n\
             for file in $(cut -c67- {SHA256SUMS}); do curl -fO -C - {url}/$file; done\n\
             sha256sum -c {SHA256SUMS}"
        );
        html! {
            @if self.urls.is_empty() { p { "URL stands for the address of this page's folder." } }
            pre { "retrotab fetch " (url) (mirrors) }
            p { "checks every frame on its way and the identity at the end. Plain tools do, too:" }
            pre { (curl) }
        }
    }

    fn reading(&self) -> Markup {
        let Some(file) = self.manifest.files().next() else { return html! {} };
        let column = &self.manifest.columns[0];
        let kind = match column.entry {
            EntryType::U8 => "u1",
            EntryType::U16 => "<u2",
            EntryType::U32 => "<u4",
        };
        let plain = format!(
            "zstd -dc {} > values\npython3 -c \"import numpy as np; v = np.memmap('values', '{kind}'); \
             print(len(v), v[:10])\"",
            file.name
        );
        html! {
            p {
                "The files of a column are one array of little-endian integers, by entry: zstd "
                "frames of at most " (grouped(self.manifest.compression.frame_bytes))
                " raw bytes, and a seek table at the end of each file."
            }
            pre { (plain) }
            p { "One value, without fetching the table:" }
            pre { "retrotab probe " (self.urls.first().map_or("URL", String::as_str)) " POSITION" }
        }
    }
}

/// A count in groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(" ")
}
