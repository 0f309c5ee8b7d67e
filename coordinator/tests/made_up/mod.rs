//! A small job with made-up values: the coordinator does not care what they mean.

#![allow(dead_code)] // Each test file uses a part of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use retrotab_coordinator::clock::ManualClock;
use retrotab_coordinator::ids::{UnitId, WorkerId};
use retrotab_coordinator::job::{Committed, Job, JobStatus, Opening, Recovery};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::{Grant, LeaseAnswer, Policy};
use retrotab_coordinator::{CoordinatorError, JobOptions};
use retrotab_tablefmt::shard::encode_shard;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

pub fn spec(cards: u8) -> TableSpec {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(cards).unwrap());
    TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted })
}

/// 10 sections, one unit each.
pub fn small_plan() -> Plan {
    Plan::new(spec(3), UnitSize::Automatic).unwrap()
}

/// The made-up value of an entry of the table.
pub fn value(entry: u64) -> u16 {
    (entry.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57) as u16 * 300
}

pub fn raw(first: u64, entries: u64) -> Vec<u8> {
    (first..first + entries).flat_map(|entry| value(entry).to_le_bytes()).collect()
}

/// A unit's shard; `shift` 0 gives the right one.
pub fn shard_of(plan: &Plan, unit: UnitId, shift: u64) -> Vec<u8> {
    let range = plan.graph().range(unit);
    let first = plan.layout().first_entry(range.section) + range.first + shift;
    let raw = raw(first, range.entries);
    encode_shard(plan.digest(), unit, range, plan.layout(), &[&raw]).unwrap()
}

/// A work folder and the way to open the job in it.
pub struct Work {
    dir: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
}

impl Work {
    pub fn new() -> Work {
        Work { dir: tempfile::tempdir().unwrap(), clock: Arc::new(ManualClock::default()) }
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn table(&self) -> PathBuf {
        self.dir.path().join("table")
    }

    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    pub fn shard(&self, unit: u32) -> PathBuf {
        self.path().join(format!("shards/{unit:08}.shard.zst"))
    }

    pub fn try_open(
        &self,
        plan: Plan,
        recovery: Recovery,
    ) -> Result<(Job, Opening), CoordinatorError> {
        let policy = Policy { attempts: 3, leases_per_worker: 100, ..Policy::one_process() };
        let options = JobOptions { policy, recovery, clock: self.clock.clone(), store: None };
        Job::create_or_resume(&self.path(), plan, options)
    }

    pub fn open(&self) -> (Job, Opening) {
        self.try_open(small_plan(), Recovery::Refuse).unwrap()
    }

    pub fn refused(&self) -> CoordinatorError {
        self.try_open(small_plan(), Recovery::Refuse).map(|(_, opening)| opening).unwrap_err()
    }
}

pub fn lease(job: &Job, worker: WorkerId) -> Grant {
    match job.lease(worker).unwrap() {
        LeaseAnswer::Granted(grant) => grant,
        other => panic!("no lease: {other:?}"),
    }
}

/// Does one unit.
pub fn one(job: &Job, worker: WorkerId) -> UnitId {
    let grant = lease(job, worker);
    let shard = shard_of(job.plan(), grant.unit, 0);
    assert_eq!(job.commit(grant.lease, shard).unwrap(), Committed::First);
    grant.unit
}

/// Does all units that are left, and says how many they were.
pub fn finish(job: &Job) -> u32 {
    let worker = job.register("finisher");
    let mut units = 0;
    while job.status() == JobStatus::Running {
        one(job, worker);
        units += 1;
    }
    assert_eq!(job.status(), JobStatus::Finished);
    units
}

pub fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 1;
    std::fs::write(path, bytes).unwrap();
}
