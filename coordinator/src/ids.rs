//! Names of things the coordinator deals with, and its time.

use std::fmt;
use std::time::Duration;

use retrotab_proto::v1;
pub use retrotab_tablefmt::shard::UnitId;

/// A worker, from its registration until it goes away. Ids are not reused while a
/// coordinator runs; a worker that registers again gets another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

/// A lease: one worker's permission to compute one unit for a time. Ids differ between all
/// runs of a job, so a lease of an earlier run is never taken for a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId(pub u64);

impl LeaseId {
    /// The first lease of the `opening`-th run of a job; later ones count up.
    pub(crate) const fn first_of_opening(opening: u64) -> LeaseId {
        LeaseId(opening << 40)
    }

    pub(crate) const fn next(self) -> LeaseId {
        LeaseId(self.0 + 1)
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A moment on the coordinator's monotonic clock: the time since it started. Wall clocks,
/// its own or a worker's, never decide anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tick(pub Duration);

impl Tick {
    /// The time from an earlier moment to this one; zero if `earlier` is later.
    pub fn since(self, earlier: Tick) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::ops::Add<Duration> for Tick {
    type Output = Tick;

    fn add(self, time: Duration) -> Tick {
        Tick(self.0.saturating_add(time))
    }
}

/// The exact bytes of a shard: two shards are the same if and only if these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShardDigest {
    /// BLAKE3 of the bytes.
    pub blake3: blake3::Hash,
    /// Number of bytes.
    pub length: u64,
}

impl ShardDigest {
    /// The digest of a shard's bytes, computed on the threads of the current rayon pool.
    pub fn of(bytes: &[u8]) -> ShardDigest {
        let blake3 = blake3::Hasher::new().update_rayon(bytes).finalize();
        ShardDigest { blake3, length: bytes.len() as u64 }
    }

    /// As it is sent and stored.
    pub fn message(&self) -> v1::ShardDigest {
        v1::ShardDigest { blake3: self.blake3.as_bytes().to_vec(), length: self.length }
    }

    /// The digest in a message, or what is wrong with it.
    ///
    /// # Errors
    /// What is wrong, for people: it is missing, or not 32 bytes long.
    pub fn of_message(message: Option<&v1::ShardDigest>) -> Result<ShardDigest, &'static str> {
        let message = message.ok_or("the digest of a shard is missing")?;
        let blake3 = blake3::Hash::from_slice(&message.blake3);
        let blake3 = blake3.map_err(|_| "the digest of a shard is not 32 bytes long")?;
        Ok(ShardDigest { blake3, length: message.length })
    }
}

impl fmt::Display for ShardDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.blake3, self.length)
    }
}
