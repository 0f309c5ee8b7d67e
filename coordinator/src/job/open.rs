//! A job starts, for the first time or again.
//!
//! The shards are the truth and the state is what is known about them. Whatever a killed
//! process or a damaged disk left behind, opening makes the two agree: a unit counts as done
//! if and only if its shard is there.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use retrotab_proto::v1::JobRecord;
use retrotab_tablefmt::objects::StoredShard;

use crate::clock::unix_millis;
use crate::error::CoordinatorError;
use crate::folder::WorkFolder;
use crate::ids::UnitId;
use crate::plan::Plan;
use crate::scheduler::{Conflict, Scheduler, Stop, StopReason, UnitResult};
use crate::shards::{Merged, ShardStore};
use crate::state::{STATE_VERSION, SledStore, StateStore, job_record, stop_of, stop_record};

use super::{Inner, Job, JobOptions, Record, done_record, pending_record, result_of};

/// What to do when the state is missing or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recovery {
    /// Say so and stop.
    #[default]
    Refuse,
    /// Rebuild it from the shards.
    Rebuild,
    /// Rebuild it from the shards even if it looks sound.
    RebuildAlways,
}

/// What was found when a job was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// The folder was new or empty.
    Created,
    /// Earlier work goes on.
    Resumed(Found),
    /// The state was rebuilt from the shards.
    Rebuilt(Found),
}

/// How shards and state agreed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Units that are done.
    pub units_done: u32,
    /// Units of these whose shard was found, and checked, without a record saying so.
    pub adopted: u32,
    /// Units whose shard was missing or damaged; they go out again.
    pub bad: Vec<UnitId>,
}

/// Who a shard is from when nobody knows any more.
const UNKNOWN_WORKER: &str = "unknown (the shard was found in the store)";

impl Job {
    /// Starts a job in a work folder, or goes on with it.
    ///
    /// Shards that are recorded as done are trusted if their file has the right length; their
    /// values are checked whenever they are decoded. Shards without a record are checked now.
    ///
    /// # Errors
    /// [`CoordinatorError::InUse`], [`CoordinatorError::OtherJob`],
    /// [`CoordinatorError::NewerState`], [`CoordinatorError::Untrusted`];
    /// [`CoordinatorError::StateDamaged`] and [`CoordinatorError::StateMissing`] unless
    /// `options` say to rebuild; errors of the system.
    pub fn create_or_resume(
        work: &Path,
        plan: Plan,
        options: JobOptions,
    ) -> Result<(Job, Opening), CoordinatorError> {
        let _in_span = tracing::info_span!("open", job = plan.digest().short()).entered();
        let (folder, plan) = (WorkFolder::open(work)?, Arc::new(plan));
        let shards = ShardStore::open(&folder.shards(), options.store, plan.clone())?;
        let start = Start { folder: &folder, plan: &plan, shards: &shards };
        let (state, record, opening) = start.open_state(options.recovery)?;
        let done = start.done_units(&*state)?;
        let scheduler =
            Scheduler::new(plan.graph().clone(), options.policy, record.openings, done)?;
        tracing::info!(folder = %work.display(), ?opening, "job opened");
        let inner = Inner {
            scheduler,
            being_stored: HashSet::new(),
            held: Vec::new(),
            unsaved: Vec::new(),
        };
        let job = Job {
            name: plan.digest().short(),
            plan,
            shards,
            state,
            clock: options.clock,
            observer: options.observer,
            inner: Mutex::new(inner),
            stored: Condvar::new(),
            records: Mutex::new(()),
            folder,
        };
        Ok((job, opening))
    }
}

/// What is needed to open a job's state.
struct Start<'a> {
    folder: &'a WorkFolder,
    plan: &'a Plan,
    shards: &'a ShardStore,
}

type OpenState = (Box<dyn StateStore>, JobRecord, Opening);

impl Start<'_> {
    fn open_state(&self, recovery: Recovery) -> Result<OpenState, CoordinatorError> {
        match self.load() {
            Err(CoordinatorError::StateDamaged { what, .. }) if recovery != Recovery::Refuse => {
                tracing::warn!(%what, "the state is damaged; rebuilding it from the shards");
                self.rebuild()
            }
            Err(error) => Err(error),
            Ok((state, None)) => {
                if self.shards.list()?.is_empty() {
                    let record = self.new_record();
                    state.put_job(&record)?;
                    return Ok((state, record, Opening::Created));
                }
                drop(state);
                if recovery == Recovery::Refuse {
                    let folder = self.folder.path().to_owned();
                    return Err(CoordinatorError::StateMissing { folder, shards: self.url() });
                }
                tracing::warn!("the state is missing; rebuilding it from the shards");
                self.rebuild()
            }
            Ok((state, Some(_))) if recovery == Recovery::RebuildAlways => {
                drop(state);
                self.rebuild()
            }
            Ok((state, Some(before))) => self.resume(state, before),
        }
    }

    /// Opens the state and checks that it is this job's.
    fn load(&self) -> Result<(Box<dyn StateStore>, Option<JobRecord>), CoordinatorError> {
        let state = SledStore::open(&self.folder.state())?;
        let record = state.job()?;
        if let Some(record) = &record {
            self.check_record(record)?;
            self.done_units(&state)?;
        }
        Ok((Box::new(state), record))
    }

    fn check_record(&self, record: &JobRecord) -> Result<(), CoordinatorError> {
        if record.state_version > STATE_VERSION {
            return Err(CoordinatorError::NewerState {
                folder: self.folder.state(),
                found: record.state_version,
                supported: STATE_VERSION,
            });
        }
        let Some(description) = &record.description else {
            return Err(damaged(self.folder, "the job has no description"));
        };
        if description.job_digest != self.plan.digest().0 {
            let differences = self.plan.identity().differences(&description.identity_text);
            let folder = self.folder.path().to_owned();
            return Err(CoordinatorError::OtherJob { folder, differences });
        }
        let Some(stop) = &record.stop else { return Ok(()) };
        let stop = stop_of(stop).map_err(|what| damaged(self.folder, what))?;
        match stop.reason {
            StopReason::Conflict(_) => Err(self.untrusted(stop)),
            StopReason::FailedTooOften { .. }
            | StopReason::LostTooOften { .. }
            | StopReason::Cancelled => {
                tracing::warn!(%stop, "the job had stopped; trying again");
                Ok(())
            }
        }
    }

    /// URL of the job's shards, if they are in a shared store.
    fn url(&self) -> Option<String> {
        let store = self.shards.shared()?;
        Some(format!("{}/{}", store.url(), self.plan.digest()))
    }

    fn untrusted(&self, stop: Stop) -> CoordinatorError {
        let folder = self.folder.path().to_owned();
        CoordinatorError::Untrusted { folder, shards: self.url(), stop }
    }

    fn new_record(&self) -> JobRecord {
        JobRecord { created_unix_seconds: unix_millis() / 1000, ..job_record(self.plan, 1) }
    }

    fn resume(
        &self,
        state: Box<dyn StateStore>,
        before: JobRecord,
    ) -> Result<OpenState, CoordinatorError> {
        let found = self.reconcile(&*state);
        let found = self.remember_conflict(&*state, before.clone(), found)?;
        let openings = before.openings.saturating_add(1);
        let record = JobRecord { openings, stop: None, ..before };
        state.put_job(&record)?;
        Ok((state, record, Opening::Resumed(found)))
    }

    /// Makes a new state from the shards. The job's record comes last, so that a rebuild that
    /// is interrupted starts over.
    fn rebuild(&self) -> Result<OpenState, CoordinatorError> {
        self.folder.set_state_aside()?;
        let state: Box<dyn StateStore> = Box::new(SledStore::open(&self.folder.state())?);
        let record = self.new_record();
        let found = self.reconcile(&*state);
        let found = self.remember_conflict(&*state, record.clone(), found)?;
        state.put_job(&record)?;
        Ok((state, record, Opening::Rebuilt(found)))
    }

    /// Passes on what was found; a job that cannot be trusted stays so.
    fn remember_conflict(
        &self,
        state: &dyn StateStore,
        record: JobRecord,
        found: Result<Found, CoordinatorError>,
    ) -> Result<Found, CoordinatorError> {
        if let Err(CoordinatorError::Untrusted { stop, .. }) = &found {
            state.put_job(&JobRecord { stop: Some(stop_record(stop)), ..record })?;
        }
        found
    }

    /// Makes records and shards agree.
    fn reconcile(&self, state: &dyn StateStore) -> Result<Found, CoordinatorError> {
        let mut records = state.units()?;
        let mut stored = self.shards.list()?;
        let mut found = Found::default();
        let done = self.done_units(state)?;
        let merged = self.merged(&done, &stored)?;
        for (unit, result) in done {
            let mut others = stored.remove(&unit).unwrap_or_default();
            if unit.0 < merged.units {
                found.units_done += 1;
                continue;
            }
            let before = others.len();
            others.retain(|shard| !self.shards.is_result(shard, &result.shard));
            let is_there = others.len() < before;
            self.only_sound(unit, &others, Some(result))?;
            if is_there {
                found.units_done += 1;
            } else {
                self.drop_bad(state, unit, &mut records, &mut found)?;
            }
        }
        for (unit, shards) in stored {
            match self.only_sound(unit, &shards, None)? {
                Some(result) => {
                    state.put_unit(unit, &done_record(records.remove(&unit), &result))?;
                    found.units_done += 1;
                    found.adopted += 1;
                }
                None => self.drop_bad(state, unit, &mut records, &mut found)?,
            }
        }
        Ok(found)
    }

    /// The sound one among stored shards of a unit, if none is known; bad ones are removed.
    ///
    /// # Errors
    /// [`CoordinatorError::Untrusted`] if there are two: one of them was computed wrongly.
    fn only_sound(
        &self,
        unit: UnitId,
        shards: &[StoredShard],
        known: Option<UnitResult>,
    ) -> Result<Option<UnitResult>, CoordinatorError> {
        let mut sound = known;
        for stored in shards {
            let shard = match self.shards.check(stored) {
                Ok(shard) => shard,
                Err(CoordinatorError::BadStoredShard { what, .. }) => {
                    tracing::warn!(unit = unit.0, %what, "a stored shard is bad; removing it");
                    self.shards.remove(std::slice::from_ref(stored))?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            match &sound {
                Some(first) if first.shard != shard => {
                    let conflict = Conflict {
                        first_worker: first.worker.clone(),
                        first_shard: first.shard,
                        second_worker: UNKNOWN_WORKER.into(),
                        second_shard: shard,
                    };
                    let reason = StopReason::Conflict(Box::new(conflict));
                    return Err(self.untrusted(Stop { unit: Some(unit), reason }));
                }
                _ => sound = Some(UnitResult { shard, worker: UNKNOWN_WORKER.into() }),
            }
        }
        Ok(sound)
    }

    /// How much is merged, which counts only if every unit is done and no other shard is
    /// needed: solving needs the shards of the units before.
    fn merged(
        &self,
        done: &[(UnitId, UnitResult)],
        stored: &BTreeMap<UnitId, Vec<StoredShard>>,
    ) -> Result<Merged, CoordinatorError> {
        let merged = self.shards.merged()?;
        let there = |(unit, result): &(UnitId, UnitResult)| {
            let shards = stored.get(unit).map_or(&[][..], Vec::as_slice);
            unit.0 < merged.units
                || shards.iter().any(|shard| self.shards.is_result(shard, &result.shard))
        };
        if done.len() == self.plan.graph().unit_count() as usize && done.iter().all(there) {
            return Ok(merged);
        }
        self.shards.forget_merged()?;
        Ok(Merged::default())
    }

    /// The done units of a state.
    fn done_units(
        &self,
        state: &dyn StateStore,
    ) -> Result<Vec<(UnitId, UnitResult)>, CoordinatorError> {
        let bad = |unit, what| damaged(self.folder, &format!("the record of unit {unit}: {what}"));
        let mut done = Vec::new();
        for (unit, record) in state.units()? {
            if self.plan.unit(unit).is_none() {
                return Err(bad(unit, "the job has no such unit"));
            }
            if let Some(result) = result_of(&record).map_err(|what| bad(unit, what))? {
                done.push((unit, result));
            }
        }
        Ok(done)
    }

    fn drop_bad(
        &self,
        state: &dyn StateStore,
        unit: UnitId,
        records: &mut BTreeMap<UnitId, Record>,
        found: &mut Found,
    ) -> Result<(), CoordinatorError> {
        tracing::warn!(unit = unit.0, "its shard is missing or damaged; computing it again");
        if self.plan.unit(unit).is_some() {
            state.put_unit(unit, &pending_record(records.remove(&unit)))?;
            found.bad.push(unit);
        }
        Ok(())
    }
}

fn damaged(folder: &WorkFolder, what: &str) -> CoordinatorError {
    CoordinatorError::StateDamaged { folder: folder.state(), what: what.to_owned() }
}
