//! How leases end: with a shard, with a failure, given back, out of time, or with their worker.

use crate::ids::{LeaseId, ShardDigest, Tick, UnitId, WorkerId};

use super::leases::Lease;
use super::{
    CompleteAnswer, Conflict, Ended, Event, Refused, Scheduler, SectionComplete, Stop, StopReason,
    Unit, UnitResult, WorkerName,
};

impl Scheduler {
    /// A checked shard is in the store, or about to be compared with the one that is.
    ///
    /// Leases that have ended count too: a shard that comes late is as good as any.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn complete(
        &mut self,
        now: Tick,
        lease: LeaseId,
        shard: ShardDigest,
    ) -> Result<CompleteAnswer, Refused> {
        // With its shard here, a lease must not count as failed, and perhaps stop the job.
        self.advance_sparing(now, [lease]);
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?.clone();
        let entries = self.frontier.graph().range(known.unit).entries;
        if known.ended.is_none() {
            self.pace.note(entries, self.now.since(known.granted));
        }
        self.end(lease, Ended::Completed);
        self.leases.mark_completed(lease);
        if let Some(worker) = self.workers.get_mut(known.worker) {
            worker.failures = 0;
        }
        let result = UnitResult { shard, worker: known.worker_name };
        match self.result(known.unit).cloned() {
            None => {
                self.accept(known.unit, result);
                Ok(CompleteAnswer::First)
            }
            Some(first) if first.shard == shard => {
                Ok(CompleteAnswer::Identical { first_worker: first.worker })
            }
            Some(first) => Ok(CompleteAnswer::Conflict(self.conflict(known.unit, first, result))),
        }
    }

    /// A worker could not compute its unit, or its shard was bad. Does nothing if the lease
    /// has ended.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn fail(&mut self, now: Tick, lease: LeaseId, reason: &str) -> Result<(), Refused> {
        self.advance(now);
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?;
        if known.ended.is_some() {
            return Ok(());
        }
        let worker = known.worker;
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.failures = worker.failures.saturating_add(1);
            worker.not_before = self.now + self.policy.back_off_after(worker.failures);
        }
        self.attempt_failed(lease, Ended::Failed, reason);
        Ok(())
    }

    /// A worker gives a unit back, without fault; the lease is forgotten.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn release(&mut self, now: Tick, lease: LeaseId) -> Result<(), Refused> {
        self.advance(now);
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?;
        if known.ended.is_some() {
            return Ok(());
        }
        let unit = known.unit;
        self.end(lease, Ended::Failed);
        self.leases.forget(lease);
        self.put_back_if_idle(unit);
        Ok(())
    }

    /// A worker goes in good order. What it still holds goes out again, without fault, as if
    /// it had given it back.
    ///
    /// # Errors
    /// [`Refused::UnknownWorker`].
    pub fn worker_left(&mut self, now: Tick, worker: WorkerId) -> Result<(), Refused> {
        self.advance(now);
        let left = self.workers.get(worker).ok_or(Refused::UnknownWorker(worker))?;
        for lease in left.leases().collect::<Vec<_>>() {
            self.release(now, lease)?;
        }
        self.workers.remove(worker);
        Ok(())
    }

    /// A worker has gone without a word. Its leases count as lost, for the units may be what
    /// killed it.
    ///
    /// # Errors
    /// [`Refused::UnknownWorker`].
    pub fn worker_gone(&mut self, now: Tick, worker: WorkerId) -> Result<(), Refused> {
        self.advance(now);
        let gone = self.workers.get(worker).ok_or(Refused::UnknownWorker(worker))?;
        for lease in gone.leases().collect::<Vec<_>>() {
            self.attempt_failed(lease, Ended::WorkerGone, "the worker went away");
        }
        self.workers.remove(worker);
        Ok(())
    }

    /// A done unit's shard is missing or damaged: it must be computed again. Does nothing if
    /// the unit is not done.
    ///
    /// # Errors
    /// [`Refused::UnknownUnit`].
    pub fn reopen(&mut self, now: Tick, unit: UnitId) -> Result<(), Refused> {
        self.advance(now);
        let slot = self.units.get_mut(unit.0 as usize).ok_or(Refused::UnknownUnit(unit))?;
        if slot.result.take().is_some() {
            self.frontier.reopen(unit);
            self.events.push(Event::UnitReopened { unit });
        }
        Ok(())
    }

    /// Moves the time on, never back, and ends the leases whose time is over.
    pub(super) fn advance(&mut self, now: Tick) {
        self.now = self.now.max(now);
        while let Some(lease) = self.leases.expired(self.now) {
            let reason = format!(
                "no progress for {} s; perhaps the worker is stuck, stopped or cut off",
                self.policy.lease_time.as_secs_f64()
            );
            self.attempt_failed(lease, Ended::Expired, &reason);
        }
    }

    /// Moves the time on like [`advance`](Self::advance), but renews some leases first, so that
    /// they do not end now even if their time is over.
    pub(super) fn advance_sparing(&mut self, now: Tick, leases: impl IntoIterator<Item = LeaseId>) {
        self.now = self.now.max(now);
        for lease in leases {
            if self.leases.get(lease).is_some_and(|lease| lease.ended.is_none()) {
                self.leases.renew(lease, self.now + self.policy.lease_time);
            }
        }
        self.advance(now);
    }

    fn accept(&mut self, unit: UnitId, result: UnitResult) {
        let worker = result.worker.clone();
        self.units[unit.0 as usize].result = Some(result);
        for other in self.leases.of_unit(unit).to_vec() {
            self.end(other, Ended::Superseded);
        }
        self.events.push(Event::UnitDone { unit, worker });
        if let SectionComplete::Yes(section) = self.frontier.finish(unit) {
            self.events.push(Event::SectionDone { section });
            self.note_if_finished();
        }
    }

    fn conflict(&mut self, unit: UnitId, first: UnitResult, second: UnitResult) -> Conflict {
        let conflict = Conflict {
            first_worker: first.worker,
            first_shard: first.shard,
            second_worker: second.worker,
            second_shard: second.shard,
        };
        let reason = StopReason::Conflict(Box::new(conflict.clone()));
        // Wrong values are worse than missing ones: a conflict replaces an earlier reason.
        self.stop_job(Stop { unit: Some(unit), reason });
        conflict
    }

    fn attempt_failed(&mut self, id: LeaseId, ended: Ended, reason: &str) {
        let active = self.leases.get(id).filter(|lease| lease.ended.is_none());
        let Some(Lease { unit, worker, worker_name, .. }) = active.cloned() else { return };
        self.end(id, ended);
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.lost.insert(unit);
        }
        self.units[unit.0 as usize].count(ended);
        self.events.push(Event::AttemptFailed {
            lease: id,
            unit,
            worker: worker_name.clone(),
            ended,
            reason: reason.to_owned(),
        });
        // A copy that still runs may bring the result.
        if self.put_back_if_idle(unit) == PutBack::Yes
            && let Some(reason) = self.too_often(unit, worker_name, reason)
        {
            self.stop_job(Stop { unit: Some(unit), reason });
        }
    }

    /// Why the job must stop on a unit whose last lease ended like this, if it must.
    fn too_often(&self, unit: UnitId, worker: WorkerName, reason: &str) -> Option<StopReason> {
        let Unit { failures, losses, .. } = self.units[unit.0 as usize];
        let reason = reason.to_owned();
        if failures >= self.policy.attempts {
            return Some(StopReason::FailedTooOften { attempts: failures, worker, reason });
        }
        (losses >= self.policy.losses).then_some(StopReason::LostTooOften {
            losses,
            worker,
            reason,
        })
    }

    pub(super) fn put_back_if_idle(&mut self, unit: UnitId) -> PutBack {
        if self.frontier.is_running(unit) && self.leases.of_unit(unit).is_empty() {
            self.frontier.put_back(unit);
            return PutBack::Yes;
        }
        PutBack::No
    }

    pub(super) fn end(&mut self, id: LeaseId, ended: Ended) {
        let Some(worker) = self.leases.get(id).filter(|l| l.ended.is_none()).map(|l| l.worker)
        else {
            return;
        };
        self.leases.end(id, ended);
        self.workers.end(worker, id);
    }
}

#[derive(PartialEq, Eq)]
pub(super) enum PutBack {
    Yes,
    No,
}
