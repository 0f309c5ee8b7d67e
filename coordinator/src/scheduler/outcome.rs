//! How leases end: with a shard, with a failure, given back, or out of time.

use crate::ids::{LeaseId, ShardDigest, Tick, UnitId, WorkerId};

use super::leases::Lease;
use super::{
    CompleteAnswer, Conflict, Ended, Event, Refused, Scheduler, SectionComplete, Stop, StopReason,
    UnitResult,
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

    /// A worker has gone without giving its units back. Its leases count as failed, for the
    /// units may be what killed it.
    ///
    /// # Errors
    /// [`Refused::UnknownWorker`].
    pub fn worker_gone(&mut self, now: Tick, worker: WorkerId) -> Result<(), Refused> {
        self.advance(now);
        let gone = self.workers.remove(worker).ok_or(Refused::UnknownWorker(worker))?;
        for lease in gone.leases {
            self.attempt_failed(lease, Ended::WorkerGone, "the worker went away");
        }
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
            if let Some(known) = self.leases.get(lease).filter(|lease| lease.ended.is_none()) {
                let (progress, deadline) = (known.progress, self.now + self.policy.lease_time);
                self.leases.renew(lease, progress, deadline);
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
            if self.frontier.all_done() {
                self.events.push(Event::JobFinished);
            }
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
        self.stop_job(Stop { unit, reason });
        conflict
    }

    fn attempt_failed(&mut self, id: LeaseId, ended: Ended, reason: &str) {
        let Some(Lease { unit, worker, worker_name, .. }) = self.leases.get(id).cloned() else {
            return;
        };
        self.end(id, ended);
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.lost.insert(unit);
        }
        let slot = &mut self.units[unit.0 as usize];
        slot.failed_leases += 1;
        let attempts = slot.failed_leases;
        self.events.push(Event::AttemptFailed {
            lease: id,
            unit,
            worker: worker_name.clone(),
            ended,
            reason: reason.to_owned(),
        });
        let last = self.put_back_if_idle(unit) == PutBack::Yes;
        if last && attempts >= self.policy.attempts && self.stop.is_none() {
            let (worker, reason) = (worker_name, reason.to_owned());
            let reason = StopReason::FailedTooOften { attempts, worker, reason };
            self.stop_job(Stop { unit, reason });
        }
    }

    fn put_back_if_idle(&mut self, unit: UnitId) -> PutBack {
        if self.frontier.is_running(unit) && self.leases.of_unit(unit).is_empty() {
            self.frontier.put_back(unit);
            return PutBack::Yes;
        }
        PutBack::No
    }

    fn end(&mut self, id: LeaseId, ended: Ended) {
        let Some(worker) = self.leases.get(id).filter(|l| l.ended.is_none()).map(|l| l.worker)
        else {
            return;
        };
        self.leases.end(id, ended);
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.leases.remove(&id);
        }
    }

    fn stop_job(&mut self, stop: Stop) {
        self.events.push(Event::JobStopped(stop.clone()));
        self.stop = Some(stop);
    }
}

#[derive(PartialEq, Eq)]
enum PutBack {
    Yes,
    No,
}
