//! Publishing a finished table: data files first, the manifest last.
//!
//! The table is checked before anything is written. A data file that is there already is not
//! copied again, so an interrupted publication goes on where it stopped, file by file, and
//! publishing the same table again writes nothing. Beside the files of the table stand
//! `index.html`, `urls.txt` and a torrent with web seeds.

mod arrival;
mod error;
pub mod page;
mod source;
mod target;
mod texts;
mod torrent;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use crate::error::TableError;
use crate::manifest::{FileManifest, MANIFEST, Manifest};
use crate::objects::StoreError;

pub use arrival::{Arrived, ArrivingFile, CheckedTable, arrived};
pub use error::PublishError;
pub use target::Target;

use target::Present;
use texts::Text;

/// What is done about another table in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// It stays, and the call fails.
    #[default]
    Keep,
    /// It is replaced.
    Replace,
}

/// How a table is published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublishOptions {
    /// URLs at which others will find the table's folder; the first one is written into
    /// `urls.txt` and the page, all become web seeds of the torrent.
    pub urls: Vec<String>,
    /// What is done about another table.
    pub existing: Existing,
}

/// What a publication does at the moment, and how many bytes of it are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading the table, to check it.
    Checking(u64),
    /// Copying data files.
    Copying(u64),
}

/// A published table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// What is known of it.
    pub manifest: Manifest,
    /// Names of the files that were written; none if all were there.
    pub written: Vec<String>,
    /// Names of files of the table before that were removed.
    pub removed: Vec<String>,
    /// Bytes of data files that were copied.
    pub copied: u64,
}

/// Publishes the table in a folder. Works on the threads of the rayon pool it is called in.
/// `progress` is told what is being done, and answers whether to go on.
///
/// # Errors
/// [`PublishError`]; [`PublishError::Different`] if another table is there.
pub fn publish(
    dir: &Path,
    target: &Target,
    options: &PublishOptions,
    progress: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Result<Published, PublishError> {
    let (mut manifest, _) = Manifest::read(dir)?;
    let name = table_name(target, options)?;
    let before = Before::read(target)?;
    let other = before.manifest.as_ref().is_some_and(|found| !found.is_same_table(&manifest));
    if (other || before.is_damaged()) && options.existing == Existing::Keep {
        return Err(before.refusal(target));
    }
    let mut done = 0;
    let mut checked = source::check(dir, &manifest, &mut |bytes| {
        done += bytes;
        progress(Step::Checking(done))
    })?;
    // Of two accounts of how the same table was made, the published one stays.
    if let Some(found) = before.manifest.clone().filter(|_| !other) {
        (manifest, checked.manifest) = (found, before.bytes.clone().unwrap_or_default());
    }
    let missing = missing(target, &manifest, options.existing)?;
    target.prepare()?;
    let is_new = other || before.is_damaged();
    if is_new {
        // From now on, and until the end, the place holds no table.
        target.remove(MANIFEST)?;
    }
    let mut published = Published { manifest, written: Vec::new(), removed: Vec::new(), copied: 0 };
    for file in missing {
        let before = published.copied;
        target.put_data(dir, &file, &mut |bytes| {
            published.copied += bytes;
            progress(Step::Copying(published.copied))
        })?;
        published.copied = before + file.bytes;
        published.written.push(file.name);
    }
    let last = Text {
        name: MANIFEST.to_owned(),
        kind: "application/json",
        bytes: checked.manifest.clone(),
    };
    for text in texts::texts(&name, &published.manifest, checked, &options.urls) {
        put_text(target, text, &mut published.written)?;
    }
    put_text(target, last, &mut published.written)?;
    if let Some(old) = before.manifest.filter(|_| other) {
        remove_old(target, &old, &mut published)?;
    }
    Ok(published)
}

/// What was published in a place before.
struct Before {
    bytes: Option<Vec<u8>>,
    /// `None` also if it cannot be read.
    manifest: Option<Manifest>,
}

impl Before {
    fn read(target: &Target) -> Result<Before, StoreError> {
        let bytes = target.text(MANIFEST)?;
        let path = format!("{}/{MANIFEST}", target.shown());
        let parsed = bytes.as_ref().map(|bytes| Manifest::parse(bytes, path.as_ref()));
        let manifest = parsed.and_then(Result::ok).map(|(manifest, _)| manifest);
        Ok(Before { bytes, manifest })
    }

    /// Whether there is a manifest that says nothing.
    fn is_damaged(&self) -> bool {
        self.bytes.is_some() && self.manifest.is_none()
    }

    fn refusal(&self, target: &Target) -> PublishError {
        PublishError::different(target.shown(), self.manifest.as_ref())
    }
}

/// Reads a table that is to be published: its manifest, and the manifest's bytes. The digests of
/// the data files must be the manifest's. `progress` is told the bytes read, and answers whether
/// to go on.
///
/// # Errors
/// [`PublishError`].
pub fn check(
    dir: &Path,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(Manifest, Vec<u8>), PublishError> {
    let (manifest, _) = Manifest::read(dir)?;
    let checked = source::check(dir, &manifest, progress)?;
    Ok((manifest, checked.manifest))
}

/// Whether others could find a table's folder at these URLs.
///
/// # Errors
/// [`PublishError::PublicUrl`].
pub fn check_urls(urls: &[String]) -> Result<(), PublishError> {
    for url in urls {
        let is_web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
        if !is_web || url.ends_with('/') || url.chars().any(|c| c.is_whitespace() || c.is_control())
        {
            return Err(PublishError::PublicUrl(url.clone()));
        }
    }
    Ok(())
}

/// The name that the table has for others.
fn table_name(target: &Target, options: &PublishOptions) -> Result<String, PublishError> {
    check_urls(&options.urls)?;
    let public = options.urls.first().and_then(|url| url.rsplit('/').next());
    let name = public.map(str::to_owned).or_else(|| target.name());
    name.ok_or_else(|| PublishError::NoName(target.shown().to_owned()))
}

/// The data files that are not there yet. One with other contents is replaced only if it may be.
fn missing(
    target: &Target,
    manifest: &Manifest,
    existing: Existing,
) -> Result<Vec<FileManifest>, PublishError> {
    let mut missing = Vec::new();
    for file in manifest.files() {
        match target.present(file)? {
            Present::Same => {}
            Present::Other if existing == Existing::Keep => {
                let (target, file) = (target.shown().to_owned(), file.name.clone());
                return Err(PublishError::OtherFile { target, file });
            }
            Present::Other | Present::Nothing => missing.push(file.clone()),
        }
    }
    Ok(missing)
}

fn put_text(target: &Target, text: Text, written: &mut Vec<String>) -> Result<(), StoreError> {
    if target.text(&text.name)?.is_some_and(|found| found == text.bytes) {
        return Ok(());
    }
    target.put_text(&text)?;
    written.push(text.name);
    Ok(())
}

/// Removes data files of the table before that the new one has no others for.
fn remove_old(
    target: &Target,
    old: &Manifest,
    published: &mut Published,
) -> Result<(), StoreError> {
    let kept: BTreeSet<&str> = published.manifest.files().map(|file| file.name.as_str()).collect();
    let stale: Vec<String> = old.files().map(|file| file.name.clone()).collect();
    let stale: Vec<String> =
        stale.into_iter().filter(|name| !kept.contains(name.as_str())).collect();
    for name in stale {
        target.remove(&name)?;
        published.removed.push(name);
    }
    Ok(())
}

impl From<TableError> for PublishError {
    fn from(error: TableError) -> PublishError {
        PublishError::Store(error.into())
    }
}
