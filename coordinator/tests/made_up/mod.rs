//! A small job with made-up values: the coordinator does not care what they mean.
//!
//! Its shards are in the work folder, or, in the test program `shared_folder`, in a store that
//! is a shared folder.

#![allow(dead_code)] // Each test file uses a part of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use retrotab_coordinator::clock::ManualClock;
use retrotab_coordinator::ids::{UnitId, WorkerId};
use retrotab_coordinator::job::{Committed, Job, JobStatus, Opening, Recovery};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::{Grant, LeaseAnswer, Policy};
use retrotab_coordinator::{CoordinatorError, JobOptions};
use retrotab_tablefmt::objects::{Naming, SharedStore, StoreOptions};
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
    pub store: Option<SharedStore>,
}

impl Work {
    pub fn new() -> Work {
        let mut work = Work::without_store();
        if env!("CARGO_CRATE_NAME") == "shared_folder" {
            let folder = work.dir.path().join("store");
            std::fs::create_dir(&folder).unwrap();
            let url = format!("file://{}", folder.display());
            work.store = Some(SharedStore::open(&url, &StoreOptions::default()).unwrap());
        }
        work
    }

    /// The shards are in the work folder.
    pub fn without_store() -> Work {
        let (dir, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::default()));
        Work { dir, clock, store: None }
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

    /// The folder with the shards of the small job, or of the only one that has any.
    pub fn shards(&self) -> PathBuf {
        if self.store.is_none() {
            return self.path().join("shards");
        }
        let store = self.dir.path().join("store");
        let mut jobs = std::fs::read_dir(&store).unwrap().map(|entry| entry.unwrap().path());
        jobs.next().unwrap_or_else(|| store.join(small_plan().digest().to_string()))
    }

    /// The file of a unit's shard. If there is none: where the right one of the small job
    /// belongs.
    pub fn shard(&self, unit: u32) -> PathBuf {
        if self.store.is_none() {
            return self.shards().join(format!("{unit:08}.shard.zst"));
        }
        let files = std::fs::read_dir(self.shards()).into_iter().flatten();
        let mut paths = files.map(|entry| entry.unwrap().path());
        let prefix = format!("{unit:08}.");
        let is_units =
            |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix);
        paths.find(is_units).unwrap_or_else(|| {
            let plan = small_plan();
            let unit = UnitId(unit);
            let known = plan.unit(unit).is_some();
            let bytes = if known { shard_of(&plan, unit, 0) } else { Vec::new() };
            self.shards().join(Naming::ByContent.name(unit, blake3::hash(&bytes)).to_string())
        })
    }

    pub fn try_open(
        &self,
        plan: Plan,
        recovery: Recovery,
    ) -> Result<(Job, Opening), CoordinatorError> {
        let policy = Policy { attempts: 3, leases_per_worker: 100, ..Policy::one_process() };
        let (clock, store) = (self.clock.clone(), self.store.clone());
        let options = JobOptions { policy, recovery, clock, store, ..JobOptions::default() };
        Job::create_or_resume(&self.path(), plan, options)
    }

    pub fn open(&self) -> (Job, Opening) {
        for _ in 0..200 {
            match self.try_open(small_plan(), Recovery::Refuse) {
                // A process that another test is starting has the lock as well until it has begun.
                Err(CoordinatorError::InUse { .. }) => thread::sleep(Duration::from_millis(50)),
                opened => return opened.unwrap(),
            }
        }
        panic!("the folder stays in use")
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
