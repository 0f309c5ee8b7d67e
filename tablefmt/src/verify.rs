//! Checking every byte of a table.

use std::ops::ControlFlow;
use std::path::Path;

use crate::error::TableError;
use crate::hashing::{FileDigests, FileHasher, Identity, TOGETHER, bad_frame};
use crate::layout::{Frames, TableLayout};
use crate::manifest::{FileManifest, Manifest, SHA256SUMS};
use crate::reader::DataFile;
use crate::seek;
use crate::source::{self, Access};

/// Checks a table: the manifest, the length and both digests of every data file, that every
/// frame decodes to what it must, and the identity. Works on the threads of the rayon pool it
/// is called in, in bounded memory. `progress` is told the compressed bytes done, and answers
/// whether to go on.
///
/// # Errors
/// As [`Manifest::read`]; [`TableError::MissingFile`]; [`TableError::Corrupt`] with the file and
/// the place in it; [`TableError::Io`]; [`TableError::Stopped`] if `progress` says so.
pub fn verify(
    dir: &Path,
    mut progress: impl FnMut(u64) -> ControlFlow<()>,
) -> Result<Manifest, TableError> {
    let (manifest, layout) = Manifest::read(dir)?;
    check_sums(dir, &manifest)?;
    verify_data(dir, &manifest, &layout, &mut |bytes| progress(bytes.len() as u64))?;
    Ok(manifest)
}

/// Checks the data files of a manifest, as [`verify`] does. `seen` gets all their bytes, one file
/// after the other, and answers whether to go on.
pub(crate) fn verify_data(
    dir: &Path,
    manifest: &Manifest,
    layout: &TableLayout,
    seen: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), TableError> {
    let mut identity = Identity::default();
    for (found, column) in manifest.columns.iter().zip(&layout.columns) {
        let frames = Frames::new(layout, column.entry);
        for (file, span) in found.files.iter().zip(frames.files()) {
            let path = file.path(dir);
            let source = source::open(&path, Access::Read)?;
            let data = DataFile::open(source, path, file, &frames, span)?;
            verify_file(&data, file, &frames, &mut identity, seen)?;
        }
    }
    let found = identity.finish().to_string();
    if found != manifest.identity {
        let path = dir.join(crate::manifest::MANIFEST);
        let what = format!("the values have {found}, not {}", manifest.identity);
        return Err(TableError::corrupt(&path, "identity", what));
    }
    Ok(())
}

/// SHA256SUMS must be there and say what the manifest says, for it is what people check by.
fn check_sums(dir: &Path, manifest: &Manifest) -> Result<(), TableError> {
    let path = dir.join(SHA256SUMS);
    let expected = manifest.sha256_sums().into_bytes();
    if source::read_whole(&path, expected.len() as u64)? != expected {
        return Err(TableError::corrupt(&path, "lines", "they are not those of the manifest"));
    }
    Ok(())
}

fn verify_file(
    data: &DataFile,
    file: &FileManifest,
    frames: &Frames,
    identity: &mut Identity,
    seen: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), TableError> {
    let expected =
        FileDigests { bytes: file.bytes, blake3: file.blake3.clone(), sha256: file.sha256.clone() };
    if digest_file(data, frames, identity, seen)? != expected {
        let what = "its BLAKE3 or SHA-256 is not the manifest's";
        return Err(TableError::corrupt(&data.path, "whole file", what));
    }
    Ok(())
}

/// Decodes every frame of a data file for the identity, and computes the file's digests. `seen`
/// gets all its bytes, and answers whether to go on.
pub(crate) fn digest_file(
    data: &DataFile,
    frames: &Frames,
    identity: &mut Identity,
    seen: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<FileDigests, TableError> {
    let read = |from: u64, buf: &mut [u8]| {
        let read = data.source.read_exact_at(from, buf);
        read.map_err(TableError::io(&data.path, "read it"))
    };
    let mut hasher = FileHasher::default();
    let mut from = 0;
    let mut bytes = Vec::new();
    for (group, sizes) in data.frames.chunks(TOGETHER).enumerate() {
        bytes.resize(sizes.iter().map(|f| f.compressed as usize).sum(), 0);
        read(from, &mut bytes)?;
        let (decoded, ()) = identity.update(&bytes, sizes, || hasher.update(&bytes));
        decoded.map_err(|bad| {
            let inside = group * TOGETHER + bad.frame;
            let frame = data.span.first_frame + inside as u64;
            let entries = frames.first_entry(frame)..frames.first_entry(frame + 1);
            bad_frame(&data.path, &data.frames, inside, entries, &bad.what)
        })?;
        from += bytes.len() as u64;
        if seen(&bytes).is_break() {
            return Err(TableError::Stopped);
        }
    }
    bytes.resize(seek::encoded_len(data.frames.len() as u64) as usize, 0);
    read(from, &mut bytes)?;
    hasher.update(&bytes);
    if seen(&bytes).is_break() {
        return Err(TableError::Stopped);
    }
    Ok(hasher.finish())
}
