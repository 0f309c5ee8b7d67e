//! A file of the cache being written.

use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::NamedTempFile;

use super::PART;
use crate::remote::error::CacheError;
use crate::remote::transport::ShardName;

/// Bytes that are not those of the shard.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Unfit {
    what: String,
}

/// A file of the cache being written; dropped before it is finished it disappears.
#[derive(Debug)]
pub(crate) struct CacheWriter {
    shard: ShardName,
    file: NamedTempFile,
    hasher: blake3::Hasher,
    written: u64,
}

impl CacheWriter {
    pub(super) fn create(folder: &Path, shard: ShardName) -> Result<Self, CacheError> {
        let file = tempfile::Builder::new().prefix(".").suffix(PART).tempfile_in(folder);
        let file = file.map_err(|e| CacheError::new(folder, "create a file in it", e))?;
        // Others take it for a leftover unless it is locked.
        let _ = file.as_file().lock_shared();
        Ok(CacheWriter { shard, file, hasher: blake3::Hasher::new(), written: 0 })
    }

    pub(crate) fn shard(&self) -> &ShardName {
        &self.shard
    }

    /// Bytes written so far.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        // No file grows longer than it should.
        if self.written + bytes.len() as u64 <= self.shard.digest.length {
            let written = self.file.write_all(bytes);
            written.map_err(|e| CacheError::new(self.file.path(), "write to it", e))?;
            self.hasher.update(bytes);
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name, and says what inode it has.
    pub(super) fn finish(self, path: &Path) -> Result<Result<u64, Unfit>, CacheError> {
        let digest = self.shard.digest;
        if self.written != digest.length {
            let what = format!("it has {} bytes, not {}", self.written, digest.length);
            return Ok(Err(Unfit { what }));
        }
        let found = self.hasher.finalize();
        if found != digest.blake3 {
            let what = format!("its BLAKE3 is {found}, not {}", digest.blake3);
            return Ok(Err(Unfit { what }));
        }
        let error = |source: io::Error| CacheError::new(path, "put it there", source);
        let file = self.file.persist(path).map_err(|e| error(e.error))?;
        Ok(Ok(file.metadata().map_err(error)?.ino()))
    }
}
