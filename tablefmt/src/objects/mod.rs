//! The shards of jobs in a folder or a bucket that is given by URL.
//!
//! A [`SharedStore`] is opened once by a program; it gives the [`ObjectShards`] of each job.
//! Coordinator and workers write and read the same store, so a shard's name says what is in
//! it, and whoever writes another shard for the same unit does not overwrite the first:
//!
//! ```text
//! URL/<job digest>/<unit, 8 digits>.<BLAKE3 of the bytes>.shard.zst
//! ```
//!
//! A shard is there whole or not at all, and durable when [`ObjectShards::put`] returns.
//!
//! All calls block until they are done. The threads that talk to a bucket belong to the store;
//! callers must not be tasks of an async runtime.

mod backend;
mod blocks;
mod bucket;
#[cfg(test)]
mod bucket_tests;
mod connect;
mod error;
mod files;
mod folder;
mod name;
mod threads;
mod transfer;
mod upload;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::shard::JobDigest;
use crate::source::ReadAt;

pub use backend::StoredShard;
pub use connect::StoreOptions;
pub use error::StoreError;
pub use name::{Naming, ShardName};

pub(crate) use connect::provide_cryptography;
pub(crate) use files::BucketFiles;
pub(crate) use threads::Threads;

use backend::Backend;
use bucket::{Bucket, BucketShards};
use connect::Location;
use folder::FolderShards;

/// A folder or bucket that a coordinator and its workers share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SharedStore {
    url: Arc<str>,
    root: Root,
}

#[derive(Debug, Clone)]
enum Root {
    Folder(PathBuf),
    Bucket(Arc<Bucket>),
}

impl SharedStore {
    /// Opens the store at a URL: `s3://BUCKET/FOLDER`, `gs://BUCKET/FOLDER`,
    /// `az://CONTAINER/FOLDER` or `file:///FOLDER`. Nothing is asked of the network yet; see
    /// [`probe`](Self::probe).
    ///
    /// # Errors
    /// [`StoreError::Url`] if it is no such URL or the options do not fit it.
    pub fn open(url: &str, options: &StoreOptions) -> Result<SharedStore, StoreError> {
        let root = match connect::connect(url, options)? {
            Location::Folder(folder) => Root::Folder(folder),
            Location::Bucket(client, prefix) => {
                Root::Bucket(Arc::new(Bucket::new(url, client, prefix, options)?))
            }
        };
        Ok(SharedStore { url: url.trim_end_matches('/').into(), root })
    }

    /// The URL, as it is told to workers.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Asks the store for something small: is it there, and may we read it?
    ///
    /// # Errors
    /// [`StoreError::NoPlace`], [`StoreError::Refused`], [`StoreError::Unreachable`].
    pub fn probe(&self) -> Result<(), StoreError> {
        match &self.root {
            Root::Folder(folder) => folder::probe(folder, &self.url),
            Root::Bucket(bucket) => bucket.probe(),
        }
    }

    /// The shards of a job.
    pub fn job(&self, job: JobDigest) -> ObjectShards {
        let backend: Box<dyn Backend> = match &self.root {
            Root::Folder(root) => Box::new(FolderShards::shared(root, job, &self.url)),
            Root::Bucket(bucket) => Box::new(BucketShards::new(bucket.clone(), job)),
        };
        ObjectShards { backend, naming: Naming::ByContent }
    }
}

/// The shards of one job.
#[derive(Debug)]
pub struct ObjectShards {
    backend: Box<dyn Backend>,
    naming: Naming,
}

impl ObjectShards {
    /// The shards of a job in the store at a URL, with the settings of the environment.
    ///
    /// # Errors
    /// As [`SharedStore::open`].
    pub fn open(url: &str, job: JobDigest) -> Result<ObjectShards, StoreError> {
        Ok(SharedStore::open(url, &StoreOptions::default())?.job(job))
    }

    /// The shards in a folder that one process has for itself and that exists: one for each
    /// unit, named by the unit alone.
    pub fn own_folder(folder: &Path) -> ObjectShards {
        let backend = Box::new(FolderShards::own(folder));
        ObjectShards { backend, naming: Naming::ByUnit }
    }

    /// How shards are named here.
    pub fn naming(&self) -> Naming {
        self.naming
    }

    /// Stores a shard durably; its name must come from these bytes. One that is there already
    /// under this name is replaced.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be stored.
    pub fn put(&self, name: &ShardName, bytes: Bytes) -> Result<(), StoreError> {
        self.backend.put(name, bytes)
    }

    /// The bytes of a shard of a known length. If the name says what they must be, they are.
    ///
    /// # Errors
    /// [`StoreError::Missing`] or a missing file; [`StoreError::Corrupt`] if the bytes are
    /// others; [`StoreError`] if it cannot be read.
    pub fn get(&self, name: &ShardName, length: u64) -> Result<Vec<u8>, StoreError> {
        let bytes = self.backend.get(name, length)?;
        let Some(expected) = name.blake3 else { return Ok(bytes) };
        let found = blake3::Hasher::new().update_rayon(&bytes).finalize();
        if bytes.len() as u64 == length && found == expected {
            return Ok(bytes);
        }
        let what = format!("its {} bytes have the digest {found}", bytes.len());
        Err(StoreError::Corrupt { object: self.path(name).display().to_string(), what })
    }

    /// A shard of a known length, to be read where needed. Reads of a bucket are of whole
    /// blocks, kept for a while, and run ahead of a reader that reads on and on. Whether it is
    /// there may turn out at the first read, as [`NotFound`](std::io::ErrorKind::NotFound).
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be opened.
    pub fn source(&self, name: &ShardName, length: u64) -> Result<Box<dyn ReadAt>, StoreError> {
        self.backend.source(name, length)
    }

    /// All shards that are here, in no order. What has another name is none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be listed.
    pub fn list(&self) -> Result<Vec<StoredShard>, StoreError> {
        let mut shards = self.backend.list()?;
        shards.retain(|shard| shard.name.naming() == self.naming);
        Ok(shards)
    }

    /// Removes shards; those that are not there are not missed.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be removed.
    pub fn remove(&self, names: &[ShardName]) -> Result<(), StoreError> {
        self.backend.remove(names)
    }

    /// What to call a shard in messages: a path or a URL.
    pub fn path(&self, name: &ShardName) -> PathBuf {
        self.backend.path(name)
    }
}
