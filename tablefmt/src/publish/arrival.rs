//! A table that arrives from elsewhere, data file by data file, in a folder of its own.
//!
//! A file has its name when it is whole and has the digests of the manifest; until then it is
//! `NAME.part`. When all have arrived, every frame is decoded for the identity. Only then are the
//! small files written, the manifest last.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::source::Checked;
use super::texts::{self, Text};
use super::torrent::Pieces;
use crate::durable::write_durably;
use crate::error::TableError;
use crate::hashing::FileHasher;
use crate::manifest::{FileManifest, MANIFEST, Manifest};
use crate::part::PartFile;
use crate::verify::verify_data;

/// Bytes of an earlier attempt that are read at a time.
const CHUNK: u64 = 1 << 20;

/// How much of a data file is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    /// All of it, with the right digests.
    Whole,
    /// So many bytes from its beginning, which nobody has checked.
    Part(u64),
}

/// How much of a data file is in a folder.
///
/// # Errors
/// [`TableError::Io`].
pub fn arrived(dir: &Path, file: &FileManifest) -> Result<Arrived, TableError> {
    if length(&dir.join(&file.name))? == Some(file.bytes) {
        return Ok(Arrived::Whole);
    }
    let part = length(&PartFile::temporary(dir, &file.name))?.unwrap_or(0);
    Ok(Arrived::Part(if part > file.bytes { 0 } else { part }))
}

/// Bytes of a file, if it is there.
fn length(path: &Path) -> Result<Option<u64>, TableError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => {
            let found = found.map_err(TableError::io(path, "look at it"))?;
            Ok(found.is_file().then_some(found.len()))
        }
    }
}

/// A data file that is arriving.
pub struct ArrivingFile {
    part: PartFile,
    listed: FileManifest,
    path: PathBuf,
    hasher: FileHasher,
}

impl ArrivingFile {
    /// Goes on with a data file of which the first `from` bytes are there: they are read again,
    /// for the digests.
    ///
    /// # Errors
    /// [`TableError::Io`]; [`TableError::Corrupt`] if there are fewer bytes.
    pub fn open(dir: &Path, file: &FileManifest, from: u64) -> Result<ArrivingFile, TableError> {
        let (part, path) = (PartFile::open(dir, &file.name)?, dir.join(&file.name));
        let hasher = FileHasher::default();
        let mut arriving = ArrivingFile { part, listed: file.clone(), path, hasher };
        let mut chunk = Vec::new();
        while arriving.arrived() < from {
            chunk.resize(CHUNK.min(from - arriving.arrived()) as usize, 0);
            arriving.part.read(&mut chunk)?;
            arriving.part.accept(chunk.len() as u64);
            arriving.hasher.update(&chunk);
        }
        Ok(arriving)
    }

    /// Bytes that are there.
    pub fn arrived(&self) -> u64 {
        self.part.checked()
    }

    /// Bytes that are missing.
    pub fn missing(&self) -> u64 {
        self.listed.bytes.saturating_sub(self.arrived())
    }

    /// The next bytes have come.
    ///
    /// # Errors
    /// [`TableError::Io`]; the bytes before stay.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.part.append(bytes)?;
        self.hasher.update(bytes);
        Ok(())
    }

    /// The file is complete: it gets its name, durably, or is thrown away.
    ///
    /// # Errors
    /// [`TableError::Corrupt`] if it is not the one that the manifest lists.
    pub fn finish(self) -> Result<(), TableError> {
        let found = self.hasher.finish();
        if found.bytes != self.listed.bytes
            || found.blake3 != self.listed.blake3
            || found.sha256 != self.listed.sha256
        {
            self.part.discard();
            let what = "its BLAKE3 or SHA-256 is not the manifest's";
            return Err(TableError::corrupt(&self.path, "whole file", what));
        }
        self.part.finish()
    }
}

/// A table that has arrived whole, but for the small files.
pub struct CheckedTable {
    manifest: Vec<u8>,
    texts: Vec<Text>,
}

impl CheckedTable {
    /// Checks every byte of the data files in a folder by the manifest that is given: digests,
    /// frames, and the identity. `progress` is told the bytes done, and answers whether to go on.
    ///
    /// `name` is what the table is called, and `urls` are those of its folder.
    ///
    /// # Errors
    /// [`TableError`], which names the file that is wrong.
    pub fn check(
        dir: &Path,
        name: &str,
        manifest: &[u8],
        urls: &[String],
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<CheckedTable, TableError> {
        let (parsed, layout) = Manifest::parse(manifest, &dir.join(MANIFEST))?;
        let small = parsed.sha256_sums().len() + manifest.len();
        let mut pieces = Pieces::new(parsed.bytes() + small as u64);
        let mut done = 0;
        verify_data(dir, &parsed, &layout, &mut |bytes| {
            pieces.update(bytes);
            done += bytes.len() as u64;
            progress(done)
        })?;
        let manifest = manifest.to_vec();
        let checked = Checked { manifest: manifest.clone(), pieces };
        let texts = texts::texts(name, &parsed, checked, urls);
        Ok(CheckedTable { manifest, texts })
    }

    /// Writes the small files beside the data files, the manifest last: after that the folder is
    /// a table. Says which files were written.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub fn write(self, dir: &Path) -> Result<Vec<String>, TableError> {
        let mut written = Vec::new();
        for text in self.texts {
            write_durably(&dir.join(&text.name), &text.bytes)?;
            written.push(text.name);
        }
        write_durably(&dir.join(MANIFEST), &self.manifest)?;
        written.push(MANIFEST.to_owned());
        Ok(written)
    }
}
