//! The tests of jobs again, with the shards in a folder that is shared with the workers, and
//! what is different there.

// Each of these files is a test program by itself, too, and names what it needs.
#![allow(clippy::duplicate_mod)]

#[path = "crash_points.rs"]
mod crash_points;
#[path = "job.rs"]
mod job;
mod made_up;
#[path = "merged_shards.rs"]
mod merged_shards;
#[path = "merging.rs"]
mod merging;

use std::fs;

use bytes::Bytes;
use made_up::{Work, finish, lease, shard_of, small_plan, spec};
use retrotab_coordinator::ids::{ShardDigest, UnitId};
use retrotab_coordinator::job::{Committed, JobStatus, Opening, Recovery};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::{CoordinatorError, Job};
use retrotab_tablefmt::objects::Naming;

/// As a worker does: puts a shard into the store under the name that its bytes give it.
fn put(work: &Work, unit: UnitId, bytes: &[u8]) -> ShardDigest {
    let digest = ShardDigest::of(bytes);
    let name = Naming::ByContent.name(unit, digest.blake3);
    let shards = work.store.as_ref().unwrap().job(small_plan().digest());
    shards.put(&name, Bytes::copy_from_slice(bytes)).unwrap();
    digest
}

fn file_of(work: &Work, unit: UnitId, digest: &ShardDigest) -> std::path::PathBuf {
    work.shards().join(Naming::ByContent.name(unit, digest.blake3).to_string())
}

fn files(work: &Work) -> usize {
    fs::read_dir(work.shards()).unwrap().count()
}

#[test]
fn nothing_is_in_the_work_folder() {
    let work = Work::new();
    finish(&work.open().0);
    assert_eq!(fs::read_dir(work.path().join("shards")).unwrap().count(), 0);
    assert_eq!(files(&work), 10);
}

#[test]
fn stored_shards_are_committed_where_they_are() {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    let mut stored = 0;
    while job.status() == JobStatus::Running {
        let grant = lease(&job, worker);
        let digest = put(&work, grant.unit, &shard_of(job.plan(), grant.unit, 0));
        let file = file_of(&work, grant.unit, &digest);
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        assert_eq!(job.commit_stored(grant.lease, digest).unwrap(), Committed::First);
        assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
        assert_eq!(job.shard_digest(grant.unit), Some(digest));
        stored += digest.length;
        // The answer may get lost, and the worker say it again.
        let again = Committed::Identical { first_worker: "a".into() };
        assert_eq!(job.commit_stored(grant.lease, digest).unwrap(), again);
    }
    assert_eq!(job.stored_bytes().unwrap(), stored);
    drop(job);
    let (job, opening) = work.open();
    let Opening::Resumed(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.adopted), (10, 0));
    assert_eq!(job.status(), JobStatus::Finished);
}

/// A worker says that it has stored what it has not.
fn refused(bytes: &[u8], claim: impl Fn(ShardDigest) -> ShardDigest, what: &str) {
    let work = Work::new();
    let (job, _) = work.open();
    let grant = lease(&job, job.register("a"));
    let digest = claim(put(&work, grant.unit, bytes));
    let error = job.commit_stored(grant.lease, digest).unwrap_err();
    assert!(matches!(error, CoordinatorError::BadShard { .. }), "{error:?}");
    assert!(error.to_string().contains(what), "{what}: {error}");
    assert_eq!((job.progress().units_done, job.progress().units_running), (0, 0));
    assert_eq!(finish(&job), 10);
}

#[test]
fn claims_that_are_not_true_are_refused_and_count_as_failures() {
    let plan = small_plan();
    let good = shard_of(&plan, UnitId(0), 0);
    let longer = |d: ShardDigest| ShardDigest { length: d.length + 1, ..d };
    let shorter = |d: ShardDigest| ShardDigest { length: d.length - 1, ..d };
    let huge = |d: ShardDigest| ShardDigest { length: u64::MAX, ..d };
    let other = |d: ShardDigest| ShardDigest { blake3: blake3::hash(b"other"), ..d };
    refused(&good, longer, "corrupt");
    refused(&good, shorter, "corrupt");
    refused(&good, huge, "none has more than");
    refused(&good, other, "missing");
    refused(&good[..good.len() / 2], |d| d, "corrupt");
    refused(&shard_of(&plan, UnitId(1), 0), |d| d, "unit 1");
    refused(
        &shard_of(&Plan::new(spec(2), UnitSize::Automatic).unwrap(), UnitId(0), 0),
        |d| d,
        "job",
    );
}

#[test]
fn a_refused_shard_goes() {
    let work = Work::new();
    let (job, _) = work.open();
    let grant = lease(&job, job.register("a"));
    let digest = put(&work, grant.unit, b"nonsense");
    job.commit_stored(grant.lease, digest).unwrap_err();
    assert_eq!(files(&work), 0);
}

#[test]
fn without_a_shared_store_nothing_can_be_in_it() {
    let work = Work::without_store();
    let (job, _) = work.open();
    let grant = lease(&job, job.register("a"));
    let shard = shard_of(job.plan(), grant.unit, 0);
    let error = job.commit_stored(grant.lease, ShardDigest::of(&shard)).unwrap_err();
    assert!(matches!(error, CoordinatorError::NoSharedStore), "{error:?}");
    assert_eq!(job.commit(grant.lease, shard).unwrap(), Committed::First);
}

#[test]
fn another_shard_does_not_overwrite_and_is_a_conflict() {
    let work = Work::new();
    let (job, _) = work.open();
    let (anna, bert) = (job.register("anna"), job.register("bert"));
    let slow = lease(&job, anna);
    work.clock.pass(std::time::Duration::from_secs(100));
    job.tick();
    let fast = lease(&job, bert);
    let right = put(&work, fast.unit, &shard_of(job.plan(), fast.unit, 0));
    assert_eq!(job.commit_stored(fast.lease, right).unwrap(), Committed::First);
    let wrong = put(&work, slow.unit, &shard_of(job.plan(), slow.unit, 1));
    let error = job.commit_stored(slow.lease, wrong).unwrap_err();
    assert!(matches!(error, CoordinatorError::Stopped(_)), "{error:?}");
    assert!(error.to_string().contains("anna") && error.to_string().contains("bert"), "{error}");
    let stored = fs::read(file_of(&work, fast.unit, &right)).unwrap();
    assert_eq!(stored, shard_of(job.plan(), fast.unit, 0));
    drop(job);
    assert!(matches!(work.refused(), CoordinatorError::Untrusted { .. }));
    // Nor can a rebuild tell which one is right.
    fs::remove_dir_all(work.state()).unwrap();
    conflict_is_found(&work, Recovery::Rebuild);
}

fn conflict_is_found(work: &Work, recovery: Recovery) {
    for _ in 0..2 {
        let error = work.try_open(small_plan(), recovery).map(|_| ()).unwrap_err();
        assert!(matches!(error, CoordinatorError::Untrusted { .. }), "{error:?}");
        let url = format!("{}/{}", work.store.as_ref().unwrap().url(), small_plan().digest());
        assert!(error.to_string().contains(&url), "{error}");
    }
}

fn some_done(units: u32) -> (Work, Job) {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    for _ in 0..units {
        made_up::one(&job, worker);
    }
    (work, job)
}

#[test]
fn two_sound_shards_without_a_record_are_a_conflict() {
    let (work, job) = some_done(2);
    drop(job);
    for shift in [0, 1] {
        put(&work, UnitId(2), &shard_of(&small_plan(), UnitId(2), shift));
    }
    conflict_is_found(&work, Recovery::Refuse);
}

#[test]
fn another_sound_shard_beside_a_recorded_one_is_a_conflict() {
    let (work, job) = some_done(2);
    drop(job);
    put(&work, UnitId(1), &shard_of(&small_plan(), UnitId(1), 1));
    conflict_is_found(&work, Recovery::Refuse);
}

#[test]
fn bad_shards_beside_good_ones_are_removed() {
    let (work, job) = some_done(2);
    drop(job);
    put(&work, UnitId(1), b"nonsense");
    put(&work, UnitId(2), b"nonsense");
    put(&work, UnitId(2), &shard_of(&small_plan(), UnitId(2), 0));
    put(&work, UnitId(3), b"nonsense");
    put(&work, UnitId(77), b"no such unit");
    let (job, opening) = work.open();
    let Opening::Resumed(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.adopted, &found.bad[..]), (3, 1, &[UnitId(3)][..]));
    assert_eq!(files(&work), 3);
    assert_eq!(finish(&job), 7);
}

#[test]
fn jobs_do_not_see_each_others_shards() {
    let work = Work::new();
    let (job, _) = work.open();
    finish(&job);
    drop(job);
    fs::remove_dir_all(work.path()).unwrap();
    let other = Plan::new(spec(2), UnitSize::Automatic).unwrap();
    let (job, opening) = work.try_open(other, Recovery::Refuse).unwrap();
    assert_eq!(opening, Opening::Created);
    assert_eq!(finish(&job), 6);
    drop(job);
    fs::remove_dir_all(work.path()).unwrap();
    let error = work.refused();
    assert!(matches!(error, CoordinatorError::StateMissing { .. }), "{error:?}");
    assert!(error.to_string().contains("file://"), "{error}");
    let (_, opening) = work.try_open(small_plan(), Recovery::Rebuild).unwrap();
    let Opening::Rebuilt(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.adopted), (10, 10));
}
