//! A shard comes in, or turns out to be bad.

use std::sync::{Arc, PoisonError};

use crate::error::CoordinatorError;
use crate::ids::{LeaseId, ShardDigest, UnitId};
use crate::scheduler::{CompleteAnswer, Status, Stop, StopReason, WorkerName};

use super::{Job, UnitResult, done_record, pending_record};

/// What became of a sound shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is the unit's first; it is stored.
    First,
    /// The unit was done already, with the same bytes.
    Identical {
        /// Whose shard is stored.
        first_worker: WorkerName,
    },
}

impl Job {
    /// A worker submits its unit's shard. When this returns `Ok`, it is durable.
    ///
    /// The lease may have ended: a sound shard is welcome from whoever was given the unit.
    /// A bad one counts as a failure of the lease. If it cannot be stored, the lease is
    /// prolonged, and the worker should try again.
    ///
    /// # Errors
    /// [`CoordinatorError::BadShard`] if it is damaged or not this unit's;
    /// [`CoordinatorError::Stopped`] if another worker gave a different one, now or earlier;
    /// [`CoordinatorError::Refused`] if the lease is unknown; [`CoordinatorError::Table`],
    /// [`CoordinatorError::Io`] if it cannot be stored.
    pub fn commit(&self, lease: LeaseId, bytes: Vec<u8>) -> Result<Committed, CoordinatorError> {
        let (unit, worker) = {
            let inner = self.inner();
            if let Status::Stopped(stop) = inner.scheduler.status()
                && matches!(stop.reason, StopReason::Conflict(_))
            {
                return Err(CoordinatorError::Stopped(stop.clone()));
            }
            inner.scheduler.holder(lease)?
        };
        let bytes = Arc::new(bytes);
        let digest = match self.shards.check_submitted(unit, &bytes) {
            Ok(digest) => digest,
            Err(error) => {
                self.fail(lease, &error.to_string())?;
                return Err(error);
            }
        };
        fail::fail_point!("commit::checked", |_| std::process::abort());
        let _turn = self.turn(unit);
        let result = UnitResult { shard: digest, worker };
        if self.inner().scheduler.result(unit).is_none()
            && let Err(error) = self.store(unit, &bytes, &result)
        {
            self.decide(|scheduler, now| scheduler.hold(now, lease))?;
            return Err(error);
        }
        self.complete(unit, lease, digest)
    }

    /// A done unit's shard is missing or damaged: forgets it, and the unit goes out again.
    ///
    /// # Errors
    /// [`CoordinatorError`] if the state cannot be written; the unit then stays done, and the
    /// next start finds the shard bad.
    pub fn reopen(&self, unit: UnitId, what: &str) -> Result<(), CoordinatorError> {
        let _turn = self.turn(unit);
        if self.inner().scheduler.result(unit).is_none() {
            return Ok(());
        }
        tracing::warn!(unit = unit.0, what, "a stored shard is bad");
        // Computing it again needs the shards of units before it, which a merge has removed.
        let merged = self.shards.merged()?;
        self.shards.forget_merged()?;
        for unit in (0..merged.units).map(UnitId).filter(|&u| u != unit).chain([unit]) {
            self.change_record(unit, pending_record)?;
            self.shards.remove(unit)?;
            self.decide(|scheduler, now| scheduler.reopen(now, unit))?;
        }
        Ok(())
    }

    /// Passes a result on; if it says that a stored shard is bad, its unit goes out again.
    pub(crate) fn reopen_if_bad<T>(
        &self,
        result: Result<T, CoordinatorError>,
    ) -> Result<T, CoordinatorError> {
        if let Err(CoordinatorError::BadStoredShard { unit, what }) = &result {
            self.reopen(*unit, what)?;
        }
        result
    }

    /// First the shard, then the record: never the other way round.
    fn store(
        &self,
        unit: UnitId,
        bytes: &[u8],
        result: &UnitResult,
    ) -> Result<(), CoordinatorError> {
        self.shards.put(unit, bytes)?;
        fail::fail_point!("commit::stored", |_| std::process::abort());
        self.change_record(unit, |before| done_record(before, result))?;
        fail::fail_point!("commit::recorded", |_| std::process::abort());
        Ok(())
    }

    fn complete(
        &self,
        unit: UnitId,
        lease: LeaseId,
        digest: ShardDigest,
    ) -> Result<Committed, CoordinatorError> {
        let answer = self.decide(|scheduler, now| scheduler.complete(now, lease, digest))?;
        match answer {
            CompleteAnswer::First => Ok(Committed::First),
            CompleteAnswer::Identical { first_worker } => Ok(Committed::Identical { first_worker }),
            CompleteAnswer::Conflict(conflict) => {
                let reason = StopReason::Conflict(Box::new(conflict));
                Err(CoordinatorError::Stopped(Stop { unit: Some(unit), reason }))
            }
        }
    }

    /// Waits until no other thread writes this unit's shard or record.
    fn turn(&self, unit: UnitId) -> Turn<'_> {
        let inner = self.inner();
        let free = self.stored.wait_while(inner, |inner| inner.being_stored.contains(&unit));
        free.unwrap_or_else(PoisonError::into_inner).being_stored.insert(unit);
        Turn { job: self, unit }
    }
}

/// The right to write a unit's shard and record.
struct Turn<'a> {
    job: &'a Job,
    unit: UnitId,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.job.inner().being_stored.remove(&self.unit);
        self.job.stored.notify_all();
    }
}
