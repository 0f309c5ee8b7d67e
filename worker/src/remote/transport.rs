//! Where shards come from and go to: the seam between the worker and the ways of moving bytes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use retrotab_proto::v1::{SubmitHeader, SubmitShardResponse};
use retrotab_tablefmt::shard::{JobDigest, UnitId};
use tonic::Status;

/// The exact bytes of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardDigest {
    /// BLAKE3 of the bytes.
    pub blake3: blake3::Hash,
    /// Number of bytes.
    pub length: u64,
}

/// A shard: whose it is, and its exact bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardName {
    /// The job.
    pub job: JobDigest,
    /// The unit.
    pub unit: UnitId,
    /// The bytes.
    pub digest: ShardDigest,
}

impl fmt::Display for ShardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08}-{}", self.job, self.unit.0, self.digest.blake3)
    }
}

/// Bytes of a shard as they come.
pub type ShardStream = BoxStream<'static, Result<Bytes, Status>>;

/// Moves shards. Nobody relies on it for the bytes being right: whoever gets them checks them.
///
/// Errors are those of the protocol: `UNAVAILABLE` and broken connections mean that the same
/// may succeed later; `NOT_FOUND` that the shard, or on the way back the worker or its lease,
/// is unknown; `INVALID_ARGUMENT` that the shard is wrong.
pub trait ShardTransport: Send + Sync {
    /// The bytes of a shard from `offset` to the end, in pieces of any size.
    fn fetch(&self, shard: ShardName, offset: u64) -> BoxFuture<'_, Result<ShardStream, Status>>;

    /// Hands in a unit's shard; when this returns, it is durable. `moved` is told of the bytes
    /// that have gone.
    fn submit(
        &self,
        header: SubmitHeader,
        shard: Bytes,
        moved: Moved,
    ) -> BoxFuture<'_, Result<SubmitShardResponse, Status>>;
}

/// Counts bytes that were moved for a unit, which shows that it is being worked on.
#[derive(Debug, Clone, Default)]
pub struct Moved(Arc<AtomicU64>);

impl Moved {
    /// So many more.
    pub fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// All so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
