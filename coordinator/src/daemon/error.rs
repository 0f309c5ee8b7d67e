//! What the daemon refuses, and why.

use retrotab_proto::PROTOCOL_VERSION;
use retrotab_tablefmt::shard::JobDigest;

use crate::error::CoordinatorError;
use crate::ids::{LeaseId, ShardDigest, UnitId};
use crate::plan::BadDescription;
use crate::publishing::PublishingError;

/// Why a call to the daemon fails. Messages are for whoever called.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The caller speaks another protocol.
    #[error(
        "this coordinator (retrotab {}) speaks version {PROTOCOL_VERSION} of the protocol, the \
         caller {}; use the same retrotab on both sides", env!("CARGO_PKG_VERSION"),
        spoken(*.found)
    )]
    Protocol {
        /// The caller's version; 0 if it gave none.
        found: u32,
    },
    /// The worker is not registered.
    #[error("worker {0:016x} is not registered here (any more): register again")]
    UnknownWorker(u64),
    /// No more workers are taken.
    #[error("there are {0} workers already; try again when some have left")]
    TooManyWorkers(usize),
    /// There is no such job.
    #[error("there is no job {0}")]
    UnknownJob(String),
    /// The lease was never granted, or was given back.
    #[error("lease {0} is unknown; it was given back, or granted before a restart")]
    UnknownLease(LeaseId),
    /// The lease is another worker's, or for another unit.
    #[error("lease {lease} is not this worker's lease for unit {unit}")]
    NotLeased {
        /// The lease.
        lease: LeaseId,
        /// The unit that was submitted.
        unit: UnitId,
    },
    /// The bytes of a shard changed on the way.
    #[error("the shard of unit {unit} arrived as {found} instead of {expected}; send it again")]
    Garbled {
        /// The unit.
        unit: UnitId,
        /// What has arrived.
        found: ShardDigest,
        /// What was announced.
        expected: ShardDigest,
    },
    /// The job is there but nothing can be done with it now.
    #[error("job {job} is {state}")]
    NotOpen {
        /// The job.
        job: JobDigest,
        /// What it is instead.
        state: String,
    },
    /// The request makes no sense.
    #[error("{0}")]
    Request(String),
    /// The description is no job of this program's.
    #[error(transparent)]
    Description(#[from] BadDescription),
    /// The name of the table is taken.
    #[error("the name `{name}` is taken by the table of job {by}; choose another one")]
    NameTaken {
        /// The name.
        name: String,
        /// The job that has it.
        by: JobDigest,
    },
    /// The unit is not done.
    #[error("unit {0} is not done")]
    NotDone(UnitId),
    /// A table cannot be published.
    #[error(transparent)]
    Publishing(#[from] PublishingError),
    /// Keeping the job failed.
    #[error(transparent)]
    Job(#[from] CoordinatorError),
}

fn spoken(version: u32) -> String {
    match version {
        0 => "names none".to_owned(),
        version => format!("version {version}"),
    }
}

impl From<retrotab_tablefmt::TableError> for DaemonError {
    fn from(error: retrotab_tablefmt::TableError) -> DaemonError {
        DaemonError::Job(error.into())
    }
}
