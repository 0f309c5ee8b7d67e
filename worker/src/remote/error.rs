//! Why a worker gives up, or cannot have an input.

use std::io;
use std::path::PathBuf;

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::objects::StoreError;
use retrotab_tablefmt::shard::UnitId;

use super::connect::ConnectError;
use super::description::DescriptionError;

/// Why a worker cannot go on. What may pass is no such reason: it waits.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The coordinator's address makes no sense.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The coordinator does not want this worker.
    #[error("the coordinator refuses this worker: {0}")]
    Refused(String),
    /// The coordinator keeps its shards where this worker cannot reach them.
    #[error("the store of shards that the coordinator names cannot be used: {0}")]
    Store(#[from] StoreError),
    /// The coordinator's jobs are not for this worker's program.
    #[error(transparent)]
    OtherProgram(DescriptionError),
    /// A job needs more memory than this worker may use.
    #[error("unit {unit} cannot be solved here: {what}")]
    Memory {
        /// The unit.
        unit: UnitId,
        /// How much is needed and allowed.
        what: String,
    },
    /// The folder of the cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The threads that compute could not be started.
    #[error("cannot start threads to compute on: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A job was stopped before it was finished; told by a worker that was to leave when all
    /// jobs are.
    #[error("job {name} has stopped: {reason}")]
    JobStopped {
        /// The job.
        name: String,
        /// Why.
        reason: String,
    },
}

impl WorkerError {
    /// Whether the mistake is in how the worker was started.
    pub fn is_users(&self) -> bool {
        use WorkerError::{Cache, Connect, Memory, OtherProgram, Refused, Store};
        matches!(
            self,
            Connect(_) | Refused(_) | Store(_) | OtherProgram(_) | Memory { .. } | Cache(_)
        )
    }
}

/// The system refused something in the folder of the cache.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot {doing}: {source}", path.display())]
pub struct CacheError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was being done, as in "cannot ...".
    pub doing: &'static str,
    /// Why not.
    pub source: io::Error,
}

impl CacheError {
    pub(crate) fn new(path: impl Into<PathBuf>, doing: &'static str, source: io::Error) -> Self {
        CacheError { path: path.into(), doing, source }
    }

    /// Whether there was no room on the disk.
    pub(crate) fn is_full(&self) -> bool {
        let kind = self.source.kind();
        matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

/// Why the values that a unit needs cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// Nobody wants the unit any more.
    #[error("the unit is not wanted any more")]
    Dropped,
    /// This machine is in trouble.
    #[error(transparent)]
    Local(#[from] CacheError),
    /// The coordinator does not have the shard (any more).
    #[error("the coordinator does not have the shard of unit {unit}: {what}")]
    Missing { unit: UnitId, what: String },
    /// What the coordinator sends is not what it says.
    #[error("the coordinator's shard of unit {unit} is bad: {what}")]
    Bad { unit: UnitId, what: String },
    /// A range that no unit holds.
    #[error("bug: section {section} has no byte {byte}")]
    NoSuchByte { section: u32, byte: u64 },
}

/// Why a leased unit brings no shard, by whose matter it is.
#[derive(Debug)]
pub(crate) enum UnitTrouble {
    /// The lease has ended, or the worker is about to.
    Dropped,
    /// The worker's matter, and it may pass.
    Ours(String),
    /// The worker's matter, and it stays.
    TooLittleMemory(String),
    /// The unit's matter.
    Units(String),
}

impl From<FetchError> for UnitTrouble {
    fn from(error: FetchError) -> UnitTrouble {
        let text = error.to_string();
        match error {
            FetchError::Dropped => UnitTrouble::Dropped,
            FetchError::Local(_) | FetchError::Missing { .. } => UnitTrouble::Ours(text),
            FetchError::Bad { .. } | FetchError::NoSuchByte { .. } => UnitTrouble::Units(text),
        }
    }
}

/// Whether a shard that was found whole cannot be read because of what it holds.
pub(crate) fn is_damage(error: &TableError) -> bool {
    matches!(
        error,
        TableError::Corrupt { .. }
            | TableError::MissingFile { .. }
            | TableError::UnsupportedVersion { .. }
    )
}
