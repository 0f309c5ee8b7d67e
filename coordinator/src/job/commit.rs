//! A shard comes in, or turns out to be bad.

use std::sync::PoisonError;

use bytes::Bytes;

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
    /// [`CoordinatorError::Io`], [`CoordinatorError::Store`] if it cannot be stored.
    pub fn commit(&self, lease: LeaseId, bytes: Vec<u8>) -> Result<Committed, CoordinatorError> {
        let digest = ShardDigest::of(&bytes);
        self.commit_known(lease, bytes, digest)
    }

    /// [`commit`](Self::commit) for bytes whose digest is known already.
    pub(crate) fn commit_known(
        &self,
        lease: LeaseId,
        bytes: Vec<u8>,
        digest: ShardDigest,
    ) -> Result<Committed, CoordinatorError> {
        let (unit, worker) = self.submitter(lease)?;
        let bytes = Bytes::from(bytes);
        let checked = self.shards.check_submitted(unit, &bytes);
        self.fail_if_bad(lease, checked)?;
        fail::fail_point!("commit::checked", |_| std::process::abort());
        let _held = self.hold(lease);
        let _turn = self.turn(unit);
        let result = UnitResult { shard: digest, worker };
        if self.shard_digest(unit).is_none()
            && let Err(error) = self.store(unit, bytes, &result)
        {
            self.decide(|scheduler, now| scheduler.hold(now, lease))?;
            return Err(error);
        }
        self.complete(unit, lease, digest)
    }

    /// A worker has put its unit's shard into the shared store, and says which bytes it has. The
    /// shard is read and checked there like a submitted one, and committed as it is.
    ///
    /// # Errors
    /// As [`commit`](Self::commit); [`CoordinatorError::BadShard`] also if it is not there;
    /// [`CoordinatorError::NoSharedStore`].
    pub fn commit_stored(
        &self,
        lease: LeaseId,
        digest: ShardDigest,
    ) -> Result<Committed, CoordinatorError> {
        let (unit, worker) = self.submitter(lease)?;
        // The store may be as slow to be read as to be written.
        let _held = self.hold(lease);
        let _turn = self.turn(unit);
        if self.shard_digest(unit) == Some(digest) {
            return self.complete(unit, lease, digest);
        }
        let read = self.shards.read_submitted(unit, &digest);
        let bytes = match self.fail_if_bad(lease, read) {
            Err(error @ (CoordinatorError::Table(_) | CoordinatorError::Store(_))) => {
                self.decide(|scheduler, now| scheduler.hold(now, lease))?;
                return Err(error);
            }
            read => read?,
        };
        let checked = self.shards.check_submitted(unit, &bytes);
        if checked.is_err()
            && let Err(error) = self.shards.remove_result(unit, &digest)
        {
            tracing::warn!(unit = unit.0, %error, "a refused shard stays in the store");
        }
        self.fail_if_bad(lease, checked)?;
        let result = UnitResult { shard: digest, worker };
        if self.shard_digest(unit).is_none()
            && let Err(error) = self.change_record(unit, |before| done_record(before, &result))
        {
            self.decide(|scheduler, now| scheduler.hold(now, lease))?;
            return Err(error);
        }
        self.complete(unit, lease, digest)
    }

    /// The unit and worker of a lease for which a shard comes, if shards are still welcome.
    fn submitter(&self, lease: LeaseId) -> Result<(UnitId, WorkerName), CoordinatorError> {
        let inner = self.inner();
        if let Status::Stopped(stop) = inner.scheduler.status()
            && matches!(stop.reason, StopReason::Conflict(_))
        {
            return Err(CoordinatorError::Stopped(stop.clone()));
        }
        Ok(inner.scheduler.holder(lease)?)
    }

    /// Passes on what became of a shard's check; a bad shard is a failure of the lease.
    fn fail_if_bad<T>(
        &self,
        lease: LeaseId,
        checked: Result<T, CoordinatorError>,
    ) -> Result<T, CoordinatorError> {
        if let Err(error @ CoordinatorError::BadShard { .. }) = &checked {
            self.fail(lease, &error.to_string())?;
        }
        checked
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
        tracing::warn!(
            job = self.plan.digest().short(),
            unit = unit.0,
            what,
            "a stored shard is bad"
        );
        // Computing it again needs the shards of units before it, which a merge has removed.
        let merged = self.shards.merged()?;
        self.shards.forget_merged()?;
        for unit in (0..merged.units).map(UnitId).filter(|&u| u != unit).chain([unit]) {
            let Some(digest) = self.shard_digest(unit) else { continue };
            self.change_record(unit, pending_record)?;
            self.shards.remove_result(unit, &digest)?;
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
        bytes: Bytes,
        result: &UnitResult,
    ) -> Result<(), CoordinatorError> {
        self.shards.put(unit, &result.shard, bytes)?;
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

    /// Keeps a lease from running out while its shard is being stored.
    fn hold(&self, lease: LeaseId) -> Held<'_> {
        self.inner().held.push(lease);
        Held { job: self, lease }
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

/// A lease that does not run out.
struct Held<'a> {
    job: &'a Job,
    lease: LeaseId,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut inner = self.job.inner();
        // Once: the same shard may be coming in twice.
        if let Some(place) = inner.held.iter().position(|lease| *lease == self.lease) {
            inner.held.swap_remove(place);
        }
    }
}
