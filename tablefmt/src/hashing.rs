//! Going through data files frame by frame: what writing and verifying a table share.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::TableError;
use crate::frame::{self, FrameSize};

/// Frames that are handled at a time: enough for all threads, little enough for memory.
pub(crate) const TOGETHER: usize = 64;

/// Digests of a data file, of its compressed bytes.
#[derive(Clone, Default)]
pub(crate) struct FileHasher {
    blake3: blake3::Hasher,
    sha256: Sha256,
    bytes: u64,
}

/// Digests of a whole data file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileDigests {
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
    pub(crate) sha256: String,
}

impl FileHasher {
    /// The next bytes of the file.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.blake3.update(bytes);
        self.sha256.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// The digests of all bytes.
    pub(crate) fn finish(self) -> FileDigests {
        FileDigests {
            bytes: self.bytes,
            blake3: self.blake3.finalize().to_string(),
            sha256: hex::encode(self.sha256.finalize()),
        }
    }
}

/// Digest of the raw values of a table.
#[derive(Default)]
pub(crate) struct Identity {
    hasher: blake3::Hasher,
    raw: Vec<u8>,
}

impl Identity {
    /// Decodes the next frames, whose compressed bytes stand one after the other, and does
    /// `meanwhile` on another thread.
    pub(crate) fn update<R: Send>(
        &mut self,
        compressed: &[u8],
        frames: &[FrameSize],
        meanwhile: impl FnOnce() -> R + Send,
    ) -> (Result<(), frame::BadFrame>, R) {
        let len = frames.iter().map(|f| f.raw as usize).sum();
        self.raw.resize(len, 0);
        let raw = &mut self.raw;
        let (decoded, other) =
            rayon::join(|| frame::decompress_all(compressed, frames, raw), meanwhile);
        if decoded.is_ok() {
            self.hasher.update_rayon(&self.raw);
        }
        (decoded, other)
    }

    /// How far it is, for [`rewind`](Self::rewind).
    pub(crate) fn position(&self) -> blake3::Hasher {
        self.hasher.clone()
    }

    /// Forgets all frames after a position.
    pub(crate) fn rewind(&mut self, position: blake3::Hasher) {
        self.hasher = position;
    }

    /// The identity.
    pub(crate) fn finish(self) -> blake3::Hash {
        self.hasher.finalize()
    }
}

/// Says which frame of a data file is bad, where, and which entries it holds.
pub(crate) fn bad_frame(
    path: &Path,
    frames: &[FrameSize],
    frame: usize,
    entries: std::ops::Range<u64>,
    what: &str,
) -> TableError {
    let offset: u64 = frames[..frame].iter().map(|f| u64::from(f.compressed)).sum();
    let at = format!(
        "frame {frame} at byte {offset} (entries {} to {})",
        entries.start,
        entries.end - 1
    );
    TableError::corrupt(path, at, what)
}
