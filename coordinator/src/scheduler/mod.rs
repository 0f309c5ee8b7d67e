//! Who computes which unit: a state machine on plain data.
//!
//! It has no I/O, no threads and no clock. Every call says what the time is; answers come
//! back at once, and what else was decided (leases that ended, units and sections that are
//! done, the job's end) waits in a list for [`Scheduler::take_events`].
//!
//! The rules:
//! * A unit is ready when all sections that its section needs are complete. A worker stays in
//!   the section whose inputs it has; then it goes to one where nobody is at work, or else
//!   where most is left for each worker, but to none that those at work will have finished by
//!   the time it has fetched its inputs ([`Policy::fetch_speed`]). Within a section units go
//!   out in the order of the plan; a worker gets a unit it has lost before only if there is no
//!   other.
//! * A lease ends when it brings no *progress*, in fetching or computing, in
//!   [`Policy::lease_time`]; its unit goes out again. So it does when its worker fails, gives
//!   it back or goes away. After [`Policy::attempts`] failures or [`Policy::losses`] lost
//!   leases of one unit the job stops. A stop ends all leases; nothing but
//!   [`Scheduler::resume`] undoes it.
//! * When nothing is ready, an idle worker gets a copy of the running unit that will take
//!   longest, if a fresh start would likely overtake it.
//! * The first shard of a unit wins, from whatever lease, even one that has ended. A second
//!   one must have the same bytes; other bytes stop the job.
//!
//! No decision looks at all units: the cost of a call is logarithmic in the units and
//! leases, but for the choice of a section to join, which looks at the open ones, and the
//! choice of a copy, which looks at the running units.

mod answers;
mod choice;
mod frontier;
mod heartbeats;
mod leases;
mod outcome;
mod policy;
mod progress;
mod stopping;
mod workers;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use crate::ids::{LeaseId, ShardDigest, Tick, UnitId, WorkerId};
use crate::plan::Graph;

pub use answers::{
    CompleteAnswer, Conflict, Ended, Event, Grant, GrantKind, HeartbeatAnswer, Idle, LeaseAnswer,
    ReclaimAnswer, Refused, Stop, StopReason, WorkerName,
};
pub use policy::Policy;
pub use progress::{JobProgress, SectionProgress, SectionState, WorkerStatus};

use frontier::{Frontier, SectionComplete};
use leases::Leases;
use workers::Workers;

/// Most leases a unit has at a time: the first and one copy.
const LEASES_PER_UNIT: usize = 2;

/// A unit's shard, as far as the scheduler knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitResult {
    /// Its exact bytes.
    pub shard: ShardDigest,
    /// Who computed it.
    pub worker: WorkerName,
}

#[derive(Debug, Default, Clone)]
struct Unit {
    result: Option<UnitResult>,
    /// Leases that ended with a reported failure or a bad shard.
    failures: u32,
    /// Leases that ran out of time, or whose worker went away.
    losses: u32,
}

impl Unit {
    /// Counts a lease that ended without a result.
    fn count(&mut self, ended: Ended) {
        match ended {
            Ended::Failed => self.failures += 1,
            Ended::Expired | Ended::WorkerGone => self.losses += 1,
            Ended::Completed | Ended::Superseded | Ended::JobStopped => {}
        }
    }
}

/// How far the job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<'a> {
    /// Units are missing.
    Running,
    /// All units are done.
    Finished,
    /// Stopped before it was finished.
    Stopped(&'a Stop),
}

/// The scheduler of one job.
#[derive(Debug)]
pub struct Scheduler {
    policy: Policy,
    now: Tick,
    units: Vec<Unit>,
    frontier: Frontier,
    leases: Leases,
    workers: Workers,
    pace: Pace,
    stop: Option<Stop>,
    events: Vec<Event>,
}

/// How long an entry takes, over all completed leases.
#[derive(Debug, Default)]
struct Pace {
    entries: u64,
    time: Duration,
}

impl Pace {
    fn note(&mut self, entries: u64, time: Duration) {
        self.entries += entries;
        self.time += time;
    }

    /// The likely time for some entries; zero while nothing is known.
    fn time_for(&self, entries: u64) -> Duration {
        match self.entries {
            0 => Duration::ZERO,
            known => self.time.mul_f64(entries as f64 / known as f64),
        }
    }
}

impl Scheduler {
    /// A scheduler for the units of a graph, of which some are done.
    ///
    /// `opening` counts the runs of the job, so that leases of different runs differ.
    ///
    /// # Errors
    /// [`Refused::UnknownUnit`] if a done unit is not of the graph.
    pub fn new(
        graph: Arc<Graph>,
        policy: Policy,
        opening: u64,
        done: impl IntoIterator<Item = (UnitId, UnitResult)>,
    ) -> Result<Scheduler, Refused> {
        let mut units = vec![Unit::default(); graph.unit_count() as usize];
        let mut frontier = Frontier::new(graph);
        for (unit, result) in done {
            let slot = units.get_mut(unit.0 as usize).ok_or(Refused::UnknownUnit(unit))?;
            slot.result = Some(result);
            frontier.finish(unit);
        }
        Ok(Scheduler {
            policy,
            now: Tick::default(),
            units,
            frontier,
            leases: Leases::new(LeaseId::first_of_opening(opening)),
            workers: Workers::default(),
            pace: Pace::default(),
            stop: None,
            events: Vec::new(),
        })
    }

    /// How far the job is.
    pub fn status(&self) -> Status<'_> {
        match &self.stop {
            Some(stop) => Status::Stopped(stop),
            None if self.frontier.all_done() => Status::Finished,
            None => Status::Running,
        }
    }

    /// What was decided since the last call, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// A unit's shard, if it is done; `None` also if there is no such unit.
    pub fn result(&self, unit: UnitId) -> Option<&UnitResult> {
        self.units.get(unit.0 as usize)?.result.as_ref()
    }

    /// The unit and the worker of a lease of this run that was not given back, whether it has
    /// ended or not.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn holder(&self, lease: LeaseId) -> Result<(UnitId, WorkerName), Refused> {
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?;
        Ok((known.unit, known.worker_name.clone()))
    }

    /// When the next lease ends if nothing happens: when [`tick`](Self::tick) is worth a call.
    pub fn next_deadline(&self) -> Option<Tick> {
        self.leases.next_deadline()
    }

    /// Ends leases whose time is over.
    pub fn tick(&mut self, now: Tick) {
        self.advance(now);
    }

    /// A worker appears. Its name is for people and should say where it runs.
    pub fn register(&mut self, now: Tick, name: &str) -> WorkerId {
        self.advance(now);
        self.workers.add(name)
    }

    /// A worker wants work.
    ///
    /// # Errors
    /// [`Refused::UnknownWorker`].
    pub fn lease(&mut self, now: Tick, worker: WorkerId) -> Result<LeaseAnswer, Refused> {
        self.advance(now);
        let known = self.workers.get(worker).ok_or(Refused::UnknownWorker(worker))?;
        match self.status() {
            Status::Running => {}
            Status::Finished => return Ok(LeaseAnswer::Finished),
            Status::Stopped(stop) => return Ok(LeaseAnswer::Stopped(stop.clone())),
        }
        let held = known.held();
        if held >= self.policy.leases_per_worker {
            return Ok(LeaseAnswer::Idle(Idle::EnoughLeases { held }));
        }
        if self.now < known.not_before {
            return Ok(LeaseAnswer::Idle(Idle::BackingOff { until: known.not_before }));
        }
        if let Some(unit) = self.choose_ready(worker) {
            return Ok(LeaseAnswer::Granted(self.grant(worker, unit, GrantKind::Ready)));
        }
        let ready = self.frontier.ready_count();
        if ready > 0 {
            return Ok(LeaseAnswer::Idle(Idle::Crowded { ready }));
        }
        if let Some(unit) = self.choose_copy(worker) {
            return Ok(LeaseAnswer::Granted(self.grant(worker, unit, GrantKind::Copy)));
        }
        let running = self.frontier.units_running();
        Ok(LeaseAnswer::Idle(Idle::AllRunning { running }))
    }

    /// A worker that computed or still computes a unit from before a restart says so. It may
    /// say so again, if it got no answer: the lease it has then stays as it is.
    ///
    /// Work that is half done is worth more than the limit on new leases, so a worker may
    /// reclaim until it holds twice [`Policy::leases_per_worker`]; it gets no new unit before
    /// it is below the limit again. More than that no honest worker has, and it is not to keep
    /// units from others.
    ///
    /// # Errors
    /// [`Refused::UnknownWorker`], [`Refused::UnknownUnit`].
    pub fn reclaim(
        &mut self,
        now: Tick,
        worker: WorkerId,
        unit: UnitId,
    ) -> Result<ReclaimAnswer, Refused> {
        self.advance(now);
        let held = self.workers.get(worker).ok_or(Refused::UnknownWorker(worker))?.held();
        self.units.get(unit.0 as usize).ok_or(Refused::UnknownUnit(unit))?;
        if self.frontier.is_done(unit) {
            return Ok(ReclaimAnswer::AlreadyDone);
        }
        if self.stop.is_some() {
            return Ok(ReclaimAnswer::NotWanted);
        }
        if let Some(grant) = self.grant_held(worker, unit) {
            return Ok(ReclaimAnswer::Granted(grant));
        }
        let active = self.leases.of_unit(unit).len();
        let wanted = self.frontier.is_ready(unit) || (1..LEASES_PER_UNIT).contains(&active);
        if !wanted || held >= self.policy.reclaimed_leases_per_worker() {
            return Ok(ReclaimAnswer::NotWanted);
        }
        Ok(ReclaimAnswer::Granted(self.grant(worker, unit, GrantKind::Reclaimed)))
    }

    /// The lease of a unit that the worker holds already.
    fn grant_held(&self, worker: WorkerId, unit: UnitId) -> Option<Grant> {
        let known = |id: &LeaseId| Some((*id, self.leases.get(*id)?));
        let mut active = self.leases.of_unit(unit).iter().filter_map(known);
        let (lease, held) = active.find(|(_, lease)| lease.worker == worker)?;
        let (range, kind) = (self.frontier.graph().range(unit), GrantKind::Reclaimed);
        Some(Grant { lease, unit, range, deadline: held.deadline, kind })
    }

    fn grant(&mut self, worker: WorkerId, unit: UnitId, kind: GrantKind) -> Grant {
        if self.frontier.is_ready(unit) {
            self.frontier.start(unit);
        }
        let name = self.workers.get(worker).map_or_else(|| "".into(), |w| w.name.clone());
        let deadline = self.now + self.policy.lease_time;
        let lease = self.leases.grant(unit, (worker, name), self.now, deadline);
        let range = self.frontier.graph().range(unit);
        self.workers.start(worker, lease, range.section);
        Grant { lease, unit, range, deadline, kind }
    }
}
