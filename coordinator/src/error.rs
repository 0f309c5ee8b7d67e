//! What can go wrong while a job is kept.

use std::io;
use std::path::{Path, PathBuf};

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::objects::StoreError;

use crate::ids::UnitId;
use crate::plan::{Difference, PlanError};
use crate::scheduler::{Refused, Stop};

/// What can go wrong while a job is kept. Messages say where it happened and what to do.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The job cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Another process works in the folder.
    #[error(
        "{} is in use by another retrotab ({holder}); wait for it, stop it, or choose another \
         folder", folder.display()
    )]
    InUse {
        /// The work folder.
        folder: PathBuf,
        /// What the other process wrote into the lock file, for example `process 4711`.
        holder: String,
    },
    /// The folder holds the work of another job.
    #[error(
        "{} holds the work of another job ({}); choose another folder, or delete this one to \
         start afresh", folder.display(), list(differences)
    )]
    OtherJob {
        /// The work folder.
        folder: PathBuf,
        /// In what the jobs differ.
        differences: Vec<Difference>,
    },
    /// A newer program wrote the state.
    #[error(
        "{} was written by a newer retrotab (records of version {found}, this one knows up to \
         {supported}); use that one", folder.display()
    )]
    NewerState {
        /// The state folder.
        folder: PathBuf,
        /// Version found.
        found: u32,
        /// Newest version known.
        supported: u32,
    },
    /// The state cannot be read.
    #[error(
        "the state in {} is damaged ({what}); no shard is lost by that: rebuild the state from \
         the shards", folder.display()
    )]
    StateDamaged {
        /// The state folder.
        folder: PathBuf,
        /// What was found.
        what: String,
    },
    /// There are shards but no state.
    #[error(
        "{} has no state, or a damaged one, but there are shards{}; rebuild the state from \
         the shards, or delete both to start afresh", folder.display(), in_store(shards)
    )]
    StateMissing {
        /// The work folder.
        folder: PathBuf,
        /// URL of the job's shards, if they are in a shared store.
        shards: Option<String>,
    },
    /// In an earlier run two workers gave different shards for a unit.
    #[error(
        "the work in {} cannot be trusted: {stop}. Find the faulty machine, then delete the \
         folder and the shards{} and start afresh without it", folder.display(), in_store(shards)
    )]
    Untrusted {
        /// The work folder.
        folder: PathBuf,
        /// URL of the job's shards, if they are in a shared store.
        shards: Option<String>,
        /// How the earlier run ended.
        stop: Stop,
    },
    /// A submitted shard is not what the lease is for, or is damaged.
    #[error("the shard submitted for unit {} is refused: {what}", unit.0)]
    BadShard {
        /// The unit.
        unit: UnitId,
        /// What is wrong with it.
        what: String,
    },
    /// A stored shard is missing or damaged.
    #[error(
        "the stored shard of unit {} is bad: {what}; the unit must be computed again", unit.0
    )]
    BadStoredShard {
        /// The unit.
        unit: UnitId,
        /// What is wrong with it.
        what: String,
    },
    /// Entries were asked for that the table does not have.
    #[error("section {section} has no entries from {first} on, or not so many")]
    NoSuchEntries {
        /// Number of the section.
        section: u32,
        /// The first entry asked for.
        first: u64,
    },
    /// The job has stopped before it was finished.
    #[error("the job has stopped: {0}")]
    Stopped(Stop),
    /// A merge was asked for before all units were done.
    #[error("{left} units are not done yet; the table cannot be put together")]
    Unfinished {
        /// Units that are not done.
        left: u32,
    },
    /// Interrupted on request.
    #[error("interrupted; running the same command again goes on")]
    Cancelled,
    /// A request with a worker, lease or unit that does not exist.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A shard or table could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The shared store cannot be read or written.
    #[error(transparent)]
    Store(StoreError),
    /// A worker says that it has put a shard into a shared store, but there is none.
    #[error("there is no shared store: shards go through the coordinator")]
    NoSharedStore,
    /// The operating system refused something.
    #[error("cannot {doing} {}: {source}{}", path.display(), hint(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, for example `write`.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

impl CoordinatorError {
    /// Whether the mistake is the user's, and not that of a file, a worker or the machine.
    pub fn is_users(&self) -> bool {
        match self {
            CoordinatorError::Table(error) => error.is_users(),
            CoordinatorError::Store(error) => error.is_users(),
            CoordinatorError::Plan(error) => matches!(error, PlanError::TooManyUnits { .. }),
            CoordinatorError::InUse { .. } | CoordinatorError::OtherJob { .. } => true,
            _ => false,
        }
    }

    /// For `map_err`: what was tried with which file or folder.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| CoordinatorError::Io { path: path.to_owned(), doing, source }
    }
}

impl From<StoreError> for CoordinatorError {
    fn from(error: StoreError) -> CoordinatorError {
        match error {
            StoreError::Table(error) => CoordinatorError::Table(error),
            error => CoordinatorError::Store(error),
        }
    }
}

fn in_store(url: &Option<String>) -> String {
    url.as_ref().map_or_else(String::new, |url| format!(" in {url}"))
}

fn list(differences: &[Difference]) -> String {
    let lines: Vec<_> = differences.iter().map(Difference::to_string).collect();
    lines.join("; ")
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "; free some space and run the same command again",
        io::ErrorKind::PermissionDenied => "; check the owner and mode of the folder",
        io::ErrorKind::ReadOnlyFilesystem => "; choose a folder that can be written",
        _ => "",
    }
}
