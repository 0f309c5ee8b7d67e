//! A job at work: plan, scheduler, state and shards behind one door.
//!
//! Drivers (the one-process run, the network service) call a [`Job`] from any thread. It reads
//! the clock, asks the scheduler, and makes decisions durable before anybody hears of them: a
//! shard is on the disk before the state says done, and the state before the scheduler does.

mod commit;
mod open;

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::manifest::Made;
use retrotab_tablefmt::objects::SharedStore;
use retrotab_tablefmt::shard::Shard;

use crate::clock::{Clock, SystemClock, unix_millis};
use crate::error::CoordinatorError;
use crate::folder::WorkFolder;
use crate::ids::{LeaseId, ShardDigest, Tick, UnitId, WorkerId};
use crate::plan::Plan;
use crate::scheduler::{
    Event, HeartbeatAnswer, JobProgress, LeaseAnswer, Policy, ReclaimAnswer, Scheduler, Status,
    Stop, UnitResult, WorkerName,
};
use crate::shards::ShardStore;
use crate::state::{
    StateStore, done_record, failed_record, pending_record, result_of, stop_record,
};

pub use commit::Committed;
pub use open::{Opening, Recovery};

/// How a job is run.
pub struct JobOptions {
    /// By which numbers the scheduler decides.
    pub policy: Policy,
    /// What to do when the state is missing or damaged.
    pub recovery: Recovery,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Hears what happens. Called while the job decides: it must be quick and must not call
    /// the job.
    pub observer: Arc<dyn Fn(&Event) + Send + Sync>,
    /// The store that is shared with the workers; without one the shards are in the work folder.
    pub store: Option<SharedStore>,
}

impl Default for JobOptions {
    fn default() -> JobOptions {
        JobOptions {
            policy: Policy::default(),
            recovery: Recovery::Refuse,
            clock: Arc::new(SystemClock::default()),
            observer: Arc::new(|_| {}),
            store: None,
        }
    }
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobStatus {
    /// Units are missing.
    Running,
    /// All units are done.
    Finished,
    /// Stopped before it was finished.
    Stopped(Stop),
}

/// A job at work. It has its work folder for itself until it is dropped.
pub struct Job {
    plan: Arc<Plan>,
    /// The digest in short, for log lines.
    name: String,
    shards: ShardStore,
    state: Box<dyn StateStore>,
    clock: Arc<dyn Clock>,
    observer: Arc<dyn Fn(&Event) + Send + Sync>,
    inner: Mutex<Inner>,
    /// A unit has left [`Inner::being_stored`].
    stored: Condvar,
    /// Held while a record is read, changed and written.
    records: Mutex<()>,
    folder: WorkFolder,
}

struct Inner {
    scheduler: Scheduler,
    /// Units whose shard or record is being written, one thread each.
    being_stored: HashSet<UnitId>,
    /// Leases whose shards are being stored: the storage's delay is not theirs.
    held: Vec<LeaseId>,
    /// Decisions that are not in the state yet.
    unsaved: Vec<Event>,
}

impl Job {
    /// What is computed, in which pieces.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The folder of the job.
    pub fn folder(&self) -> &WorkFolder {
        &self.folder
    }

    /// How far the job is.
    pub fn status(&self) -> JobStatus {
        match self.inner().scheduler.status() {
            Status::Running => JobStatus::Running,
            Status::Finished => JobStatus::Finished,
            Status::Stopped(stop) => JobStatus::Stopped(stop.clone()),
        }
    }

    /// Where the job stands, by section and worker.
    pub fn progress(&self) -> JobProgress {
        self.inner().scheduler.progress()
    }

    /// A unit's shard and who computed it; `None` if it is not done, or no unit of the job.
    pub fn result(&self, unit: UnitId) -> Option<UnitResult> {
        self.inner().scheduler.result(unit).cloned()
    }

    /// The unit of a lease that was granted in this run and not given back, whether it has
    /// ended or not, and the worker's name.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the lease is unknown.
    pub fn holder(&self, lease: LeaseId) -> Result<(UnitId, WorkerName), CoordinatorError> {
        Ok(self.inner().scheduler.holder(lease)?)
    }

    /// The time on the job's clock, for comparison with the deadlines of leases.
    pub fn now(&self) -> Tick {
        self.clock.now()
    }

    /// A worker appears. Its name is for people and should say where it runs.
    pub fn register(&self, name: &str) -> WorkerId {
        self.decide(|scheduler, now| scheduler.register(now, name))
    }

    /// A worker wants work.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the worker is unknown.
    pub fn lease(&self, worker: WorkerId) -> Result<LeaseAnswer, CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.lease(now, worker))?)
    }

    /// A worker says that it still holds a unit from before a restart.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the worker or the unit is unknown.
    pub fn reclaim(
        &self,
        worker: WorkerId,
        unit: UnitId,
    ) -> Result<ReclaimAnswer, CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.reclaim(now, worker, unit))?)
    }

    /// A worker says how many entries of its unit it has computed.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the lease is unknown.
    pub fn heartbeat(
        &self,
        lease: LeaseId,
        entries: u64,
    ) -> Result<HeartbeatAnswer, CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.heartbeat(now, lease, entries))?)
    }

    /// A worker says how many entries of other sections it has fetched for its unit.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the lease is unknown.
    pub fn fetching(
        &self,
        lease: LeaseId,
        entries: u64,
    ) -> Result<HeartbeatAnswer, CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.fetching(now, lease, entries))?)
    }

    /// A worker could not compute its unit.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the lease is unknown.
    pub fn fail(&self, lease: LeaseId, reason: &str) -> Result<(), CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.fail(now, lease, reason))?)
    }

    /// A worker gives its unit back.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the lease is unknown.
    pub fn release(&self, lease: LeaseId) -> Result<(), CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.release(now, lease))?)
    }

    /// A worker goes in good order, and gives back what it still holds.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the worker is unknown.
    pub fn worker_left(&self, worker: WorkerId) -> Result<(), CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.worker_left(now, worker))?)
    }

    /// A worker has gone without giving its units back.
    ///
    /// # Errors
    /// [`CoordinatorError::Refused`] if the worker is unknown.
    pub fn worker_gone(&self, worker: WorkerId) -> Result<(), CoordinatorError> {
        Ok(self.decide(|scheduler, now| scheduler.worker_gone(now, worker))?)
    }

    /// Ends leases whose time is over, and says when the next one ends. To be called then, or
    /// every second or so.
    pub fn tick(&self) -> Option<Tick> {
        self.decide(|scheduler, now| {
            scheduler.tick(now);
            scheduler.next_deadline()
        })
    }

    /// A unit's stored shard; its values are checked as they are decoded. If that fails, say
    /// so with [`reopen`](Self::reopen).
    ///
    /// # Errors
    /// [`CoordinatorError::BadStoredShard`] if it is missing or damaged; the unit then goes
    /// out again. [`CoordinatorError::Table`] if the system refuses.
    pub fn shard(&self, unit: UnitId) -> Result<Shard, CoordinatorError> {
        let Some(digest) = self.shard_digest(unit) else {
            let what = "the unit is not done".to_owned();
            return Err(CoordinatorError::BadStoredShard { unit, what });
        };
        self.reopen_if_bad(self.shards.open_shard(unit, &digest))
    }

    /// The exact bytes of a unit's stored shard; `None` if the unit is not done.
    pub fn shard_digest(&self, unit: UnitId) -> Option<ShardDigest> {
        self.inner().scheduler.result(unit).map(|result| result.shard)
    }

    /// Fills `out` with the raw bytes of a column of a complete section, from an entry of the
    /// section on.
    ///
    /// # Errors
    /// As [`shard`](Self::shard); [`CoordinatorError::NoSuchEntries`] if there are not so many.
    pub fn read(
        &self,
        section: SectionId,
        column: usize,
        first: u64,
        mut out: &mut [u8],
    ) -> Result<(), CoordinatorError> {
        let none = CoordinatorError::NoSuchEntries { section: section.0, first };
        let Some(width) = self.plan.layout().columns.get(column).map(|c| c.entry.bytes()) else {
            return Err(none);
        };
        let mut entry = first;
        while !out.is_empty() {
            let Some(unit) = self.plan.unit_of_entry(section, entry) else { return Err(none) };
            let range = self.plan.graph().range(unit);
            let left = (range.range().end - entry) * width;
            let (now, later) = out.split_at_mut(out.len().min(left as usize));
            let shard = self.shard(unit)?;
            let read = shard.read_raw(column, (entry - range.first) * width, now);
            self.reopen_if_bad(read.map_err(|e| crate::shards::bad_or_refused(unit, e)))?;
            entry += now.len() as u64 / width;
            out = later;
        }
        Ok(())
    }

    /// The job's shards.
    pub(crate) fn shard_store(&self) -> &ShardStore {
        &self.shards
    }

    /// Bytes of the shards of all units that are done and not merged yet.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn stored_bytes(&self) -> Result<u64, CoordinatorError> {
        let merged = self.shards.merged()?;
        let inner = self.inner();
        let units = (merged.units..self.plan.graph().unit_count()).map(UnitId);
        let results = units.filter_map(|unit| inner.scheduler.result(unit));
        Ok(results.map(|result| result.shard.length).sum())
    }

    /// How the table was made, so far, for its manifest.
    ///
    /// # Errors
    /// [`CoordinatorError`] if the state cannot be read.
    pub fn made(&self) -> Result<Made, CoordinatorError> {
        let created = self.state.job()?.map_or(0, |record| record.created_unix_seconds);
        let records = self.state.units()?;
        let workers: HashSet<&str> = records.values().map(|r| r.worker.as_str()).collect();
        let workers = workers.iter().filter(|name| !name.is_empty()).count() as u64;
        let wall_seconds = (unix_millis() / 1000).saturating_sub(created);
        Ok(Made { units: self.plan.graph().unit_count().into(), workers, wall_seconds })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the scheduler decide, and writes down what it decided.
    fn decide<T>(&self, decision: impl FnOnce(&mut Scheduler, Tick) -> T) -> T {
        let inner = &mut *self.inner();
        let now = self.clock.now();
        inner.scheduler.hold_all(now, inner.held.iter().copied());
        let answer = decision(&mut inner.scheduler, now);
        let events = inner.scheduler.take_events();
        for event in &events {
            log(&self.name, event);
            (self.observer)(event);
        }
        inner.unsaved.extend(events);
        self.save(&mut inner.unsaved);
        answer
    }

    /// Writes failures and stops into the state. What cannot be written now, because the disk
    /// is full for example, is tried again with the next decision; nothing depends on it
    /// before the next start.
    fn save(&self, unsaved: &mut Vec<Event>) {
        let mut saved = 0;
        for event in &*unsaved {
            let written = match event {
                Event::AttemptFailed { unit, worker, reason, .. } => {
                    self.change_record(*unit, |before| failed_record(before, worker, reason))
                }
                Event::JobStopped(stop) => self.save_stop(stop),
                _ => Ok(()),
            };
            if let Err(error) = written {
                tracing::warn!(%error, "a decision is not in the state yet");
                break;
            }
            saved += 1;
        }
        unsaved.drain(..saved);
    }

    fn save_stop(&self, stop: &Stop) -> Result<(), CoordinatorError> {
        let Some(mut record) = self.state.job()? else { return Ok(()) };
        record.stop = Some(stop_record(stop));
        self.state.put_job(&record)
    }

    fn change_record(
        &self,
        unit: UnitId,
        change: impl FnOnce(Option<Record>) -> Record,
    ) -> Result<(), CoordinatorError> {
        let _one_at_a_time = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.state.unit(unit)?;
        self.state.put_unit(unit, &change(before))
    }
}

type Record = retrotab_proto::v1::UnitRecord;

fn log(job: &str, event: &Event) {
    match event {
        Event::AttemptFailed { unit, worker, reason, .. } => {
            tracing::warn!(job, unit = unit.0, %worker, %reason, "a lease ended without a result");
        }
        Event::UnitDone { unit, worker } => {
            tracing::debug!(job, unit = unit.0, %worker, "unit done")
        }
        Event::UnitReopened { unit } => {
            tracing::warn!(job, unit = unit.0, "the unit must be computed again");
        }
        Event::SectionDone { section } => tracing::debug!(job, section = section.0, "section done"),
        Event::JobFinished => tracing::info!(job, "all units are done"),
        Event::JobStopped(stop) => tracing::error!(job, %stop, "the job has stopped"),
    }
}
