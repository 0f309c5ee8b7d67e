//! The table that is published: read once, before anything is written, because what is damaged
//! is not handed on.

use std::ops::ControlFlow;
use std::path::Path;

use super::torrent::Pieces;
use crate::error::TableError;
use crate::hashing::FileHasher;
use crate::manifest::{MANIFEST, MAX_MANIFEST, Manifest, SHA256SUMS};
use crate::source::{self, Access};

/// Bytes that are read at a time.
const CHUNK: u64 = 4 << 20;

/// What is known of a table whose files have the digests of the manifest.
pub(super) struct Checked {
    /// The manifest's bytes.
    pub(super) manifest: Vec<u8>,
    /// Of the data files.
    pub(super) pieces: Pieces,
}

/// Reads the data files of a table: their digests must be the manifest's. `progress` is told the
/// bytes read, and answers whether to go on.
pub(super) fn check(
    dir: &Path,
    manifest: &Manifest,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Checked, TableError> {
    let bytes = source::read_whole(&dir.join(MANIFEST), MAX_MANIFEST)?;
    let small = manifest.sha256_sums().len() + bytes.len();
    let mut pieces = Pieces::new(manifest.bytes() + small as u64);
    for file in manifest.files() {
        let path = file.path(dir);
        let mut hasher = FileHasher::default();
        read(&path, file.bytes, &mut |chunk| {
            rayon::join(|| hasher.update(chunk), || pieces.update(chunk));
            progress(chunk.len() as u64)
        })?;
        let found = hasher.finish();
        if found.blake3 != file.blake3 || found.sha256 != file.sha256 {
            let what = "its BLAKE3 or SHA-256 is not the manifest's";
            return Err(TableError::corrupt(&path, "whole file", what));
        }
    }
    let sums = dir.join(SHA256SUMS);
    if source::read_whole(&sums, MAX_MANIFEST)? != manifest.sha256_sums().into_bytes() {
        return Err(TableError::corrupt(&sums, "lines", "they are not those of the manifest"));
    }
    Ok(Checked { manifest: bytes, pieces })
}

/// Reads a file that must have so many bytes, in chunks.
pub(super) fn read(
    path: &Path,
    length: u64,
    take: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), TableError> {
    let file = source::open(path, Access::Read)?;
    let found = file.len().map_err(TableError::io(path, "find its length"))?;
    if found != length {
        let what = format!("it has {found} bytes, but the manifest says {length}");
        return Err(TableError::corrupt(path, "length", what));
    }
    let mut chunk = Vec::new();
    let mut from = 0;
    while from < length {
        chunk.resize(CHUNK.min(length - from) as usize, 0);
        file.read_exact_at(from, &mut chunk).map_err(TableError::io(path, "read it"))?;
        if take(&chunk).is_break() {
            return Err(TableError::Stopped);
        }
        from += chunk.len() as u64;
    }
    Ok(())
}
