//! What the scheduler decides and answers.

use std::fmt;
use std::sync::Arc;

use retrotab_tablefmt::layout::{SectionId, UnitRange};

use crate::ids::{LeaseId, ShardDigest, Tick, UnitId, WorkerId};

/// A worker's name, for people.
pub type WorkerName = Arc<str>;

/// A granted lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The lease.
    pub lease: LeaseId,
    /// The unit to compute.
    pub unit: UnitId,
    /// Its entries.
    pub range: UnitRange,
    /// When the lease ends if there is no progress.
    pub deadline: Tick,
    /// Why this unit.
    pub kind: GrantKind,
}

/// Why a worker got a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantKind {
    /// It was ready.
    Ready,
    /// Nothing was ready; this is a second copy of a unit that another worker is slow with.
    Copy,
    /// The worker had it already, from before a restart.
    Reclaimed,
}

/// The answer to a worker that wants work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// Compute this unit.
    Granted(Grant),
    /// Nothing now; ask again.
    Idle(Idle),
    /// Every unit is done.
    Finished,
    /// The job has stopped.
    Stopped(Stop),
}

/// Why a worker gets nothing now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Every unit that could be computed now is being computed.
    AllRunning {
        /// Units being computed.
        running: u32,
    },
    /// Units are ready, but those at work will be done with them before the worker has
    /// fetched what they need.
    Crowded {
        /// Units that are ready.
        ready: u32,
    },
    /// The worker holds as many leases as it may.
    EnoughLeases {
        /// Leases it holds.
        held: usize,
    },
    /// The worker has failed and must wait.
    BackingOff {
        /// Until when.
        until: Tick,
    },
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Idle::AllRunning { running } => {
                write!(f, "all units that are ready are being computed ({running} of them)")
            }
            Idle::Crowded { ready } => write!(
                f,
                "fetching the inputs of the {ready} units that are ready would take longer than \
                 the workers that have them will need"
            ),
            Idle::EnoughLeases { held } => write!(f, "the worker already holds {held} leases"),
            Idle::BackingOff { .. } => f.write_str("waiting after a failure"),
        }
    }
}

/// The answer to a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeartbeatAnswer {
    /// There was progress; the lease is renewed.
    Renewed {
        /// When it ends without further progress.
        deadline: Tick,
    },
    /// There was no progress; the lease goes on to its end.
    NoProgress {
        /// When it ends.
        deadline: Tick,
    },
    /// The lease has ended: stop computing.
    Ended(Ended),
}

/// How a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its holder submitted a shard.
    Completed,
    /// Another worker's shard for the unit came first.
    Superseded,
    /// It brought no progress in time.
    Expired,
    /// Its holder reported a failure.
    Failed,
    /// Its holder went away.
    WorkerGone,
    /// The job has stopped.
    JobStopped,
}

/// The answer to a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompleteAnswer {
    /// The first for its unit; the unit is done.
    First,
    /// The unit was done already, with the same bytes.
    Identical {
        /// Whose shard was the first.
        first_worker: WorkerName,
    },
    /// The unit was done already, with other bytes. The job has stopped.
    Conflict(Conflict),
}

/// The answer to a worker that says which unit it still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReclaimAnswer {
    /// Go on with it.
    Granted(Grant),
    /// It is done; drop it.
    AlreadyDone,
    /// It cannot be computed yet, others are at it, the job has stopped, or the worker holds
    /// too much already; drop it.
    NotWanted,
}

/// Two different shards for one unit. One of the two workers computes wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The worker whose shard was stored.
    pub first_worker: WorkerName,
    /// Its shard.
    pub first_shard: ShardDigest,
    /// The worker with another one.
    pub second_worker: WorkerName,
    /// Its shard.
    pub second_shard: ShardDigest,
}

/// Why a job stopped before it was finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The unit on which it stopped; `None` if it was cancelled.
    pub unit: Option<UnitId>,
    /// The reason.
    pub reason: StopReason,
}

/// Why a job stopped before it was finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A unit failed as often as is allowed.
    FailedTooOften {
        /// Failures, the last included.
        attempts: u32,
        /// The last worker.
        worker: WorkerName,
        /// What it said, or what became of it.
        reason: String,
    },
    /// A unit was lost as often as is allowed: out of time, or with its worker.
    LostTooOften {
        /// Losses, the last included.
        losses: u32,
        /// The last worker.
        worker: WorkerName,
        /// What became of it.
        reason: String,
    },
    /// Two workers gave different shards.
    Conflict(Box<Conflict>),
    /// A user cancelled it.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(unit) = self.unit {
            write!(f, "unit {}", unit.0)?;
        }
        match &self.reason {
            StopReason::FailedTooOften { attempts, worker, reason } => {
                write!(f, " failed {attempts} times; the last time on worker {worker}: {reason}")
            }
            StopReason::LostTooOften { losses, worker, reason } => write!(
                f,
                " was lost {losses} times, perhaps because it brings its workers down; the last \
                 time with worker {worker}: {reason}"
            ),
            StopReason::Cancelled => f.write_str("cancelled by a user"),
            StopReason::Conflict(c) => write!(
                f,
                ": workers {} and {} gave different shards ({} and {}); one of them \
                 computes wrongly",
                c.first_worker, c.second_worker, c.first_shard, c.second_shard
            ),
        }
    }
}

/// Something the driver should remember or tell, in order of happening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A lease ended without a result; the unit goes out again unless the job stops.
    AttemptFailed {
        /// The lease.
        lease: LeaseId,
        /// Its unit.
        unit: UnitId,
        /// The worker.
        worker: WorkerName,
        /// How it ended.
        ended: Ended,
        /// For a person.
        reason: String,
    },
    /// A unit's first shard is in.
    UnitDone {
        /// The unit.
        unit: UnitId,
        /// The worker.
        worker: WorkerName,
    },
    /// A unit's shard turned out to be bad; it must be computed again.
    UnitReopened {
        /// The unit.
        unit: UnitId,
    },
    /// All units of a section are done.
    SectionDone {
        /// The section.
        section: SectionId,
    },
    /// All units are done.
    JobFinished,
    /// The job has stopped before it was finished.
    JobStopped(Stop),
}

/// A request that makes no sense to the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The worker is not registered, or has gone.
    #[error("worker {0} is not registered; it must register (again)")]
    UnknownWorker(WorkerId),
    /// The lease was never granted in this run, or was given back.
    #[error("lease {0} is unknown; it was given back, or granted before a restart")]
    UnknownLease(LeaseId),
    /// Two workers gave different shards, so no shard of the job can be trusted.
    #[error("two workers gave different shards for unit {}: the job never goes on", .0.0)]
    Untrusted(UnitId),
    /// There is no such unit.
    #[error("the job has no unit {}", .0.0)]
    UnknownUnit(UnitId),
}
