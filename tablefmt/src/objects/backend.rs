//! What a place where shards are kept has to be able to do.

use std::fmt::Debug;
use std::path::PathBuf;

use bytes::Bytes;

use crate::source::ReadAt;

use super::error::StoreError;
use super::name::ShardName;

/// A shard that is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredShard {
    /// Its name.
    pub name: ShardName,
    /// Number of bytes.
    pub length: u64,
}

/// Where the shards of one job are kept. What the methods do is said at
/// [`ObjectShards`](super::ObjectShards).
pub(super) trait Backend: Send + Sync + Debug {
    fn put(&self, name: &ShardName, bytes: Bytes) -> Result<(), StoreError>;

    /// The bytes, unchecked; more than `length` are refused.
    fn get(&self, name: &ShardName, length: u64) -> Result<Vec<u8>, StoreError>;

    fn source(&self, name: &ShardName, length: u64) -> Result<Box<dyn ReadAt>, StoreError>;

    fn list(&self) -> Result<Vec<StoredShard>, StoreError>;

    fn remove(&self, names: &[ShardName]) -> Result<(), StoreError>;

    fn path(&self, name: &ShardName) -> PathBuf;
}
