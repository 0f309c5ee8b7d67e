//! What a worker is told when it is started.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::connect::ConnectOptions;

/// What a worker is told when it is started.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Where the coordinator is.
    pub connection: ConnectOptions,
    /// Threads that compute.
    pub threads: NonZeroUsize,
    /// Bytes of memory it may use.
    pub memory: u64,
    /// Folder that keeps shards from other workers, and scratch files. Several workers may
    /// share it. Without one, a temporary folder is made, and removed in the end.
    pub cache: Option<PathBuf>,
    /// Bytes of shards that are kept there.
    pub cache_bytes: u64,
    /// The host it runs on.
    pub host: String,
    /// Its name, which tells workers of one host apart.
    pub name: String,
    /// When it goes by itself.
    pub leave: Leave,
}

/// When a worker goes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leave {
    /// It waits for more jobs.
    #[default]
    Never,
    /// When there have been jobs and none goes on.
    WhenFinished,
}

/// Bytes of shards that are kept if nobody says otherwise.
pub const CACHE_BYTES: u64 = 20 << 30;
