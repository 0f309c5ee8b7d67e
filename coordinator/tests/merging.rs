//! From shards to a table.

mod made_up;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use made_up::{Work, finish, flip, one, spec, value};
use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::job::{Job, JobStatus, Recovery};
use retrotab_coordinator::merge::{MergeProgress, merge};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::{ReadOptions, Table, TableError};

fn open(work: &Work, size: UnitSize) -> Job {
    let plan = Plan::new(spec(8), size).unwrap();
    work.try_open(plan, Recovery::Refuse).unwrap().0
}

fn merge_quietly(job: &Job, table: &Path) -> Result<Manifest, CoordinatorError> {
    merge(job, table, &AtomicBool::new(false), &mut |_| ())
}

#[test]
fn the_table_has_the_values_and_does_not_depend_on_the_units() {
    let mut manifests = Vec::new();
    for size in [UnitSize::Entries(1), UnitSize::Automatic] {
        let work = Work::new();
        let job = open(&work, size);
        finish(&job);
        let mut seen = Vec::new();
        let mut progress = |p: MergeProgress| seen.push(p);
        let manifest = merge(&job, &work.table(), &AtomicBool::new(false), &mut progress).unwrap();
        let last = seen.last().unwrap();
        assert_eq!(last.shards, u64::from(job.plan().graph().unit_count()));
        assert_eq!(last.shards_done, last.shards);
        assert!(seen.is_sorted_by_key(|p| (p.shards_done, p.bytes)));
        assert_eq!(manifest.made.units, last.shards);
        let table = Table::open(&work.table(), ReadOptions::default()).unwrap();
        let entries = job.plan().graph().entries();
        for entry in (0..entries).step_by(9973).chain([entries - 1]) {
            assert_eq!(table.value(0, entry).unwrap(), u32::from(value(entry)));
        }
        let bytes = fs::read(work.table().join("000.u16.zst")).unwrap();
        manifests.push((manifest.identity, bytes));
    }
    assert_eq!(manifests[0], manifests[1]);
}

#[test]
fn an_unfinished_job_is_not_merged() {
    let work = Work::new();
    let job = open(&work, UnitSize::Automatic);
    one(&job, job.register("a"));
    let error = merge_quietly(&job, &work.table()).unwrap_err();
    let left = job.plan().graph().unit_count() - 1;
    assert!(matches!(error, CoordinatorError::Unfinished { left: l } if l == left), "{error:?}");
    assert!(!work.table().exists());
}

#[test]
fn an_interrupted_merge_leaves_no_table_and_can_be_repeated() {
    let work = Work::new();
    let job = open(&work, UnitSize::Entries(1));
    finish(&job);
    let cancel = AtomicBool::new(false);
    let error = merge(&job, &work.table(), &cancel, &mut |p| {
        cancel.store(p.shards_done >= 20, Ordering::Relaxed);
    });
    let error = error.unwrap_err();
    assert!(matches!(error, CoordinatorError::Cancelled), "{error:?}");
    assert_eq!(fs::read_dir(work.table()).unwrap().count(), 0);
    // What a kill leaves behind: half a file under its temporary name, and a whole old one.
    fs::write(work.table().join(".000.u16.zst.4711-0.retrotab-tmp"), b"half").unwrap();
    fs::write(work.table().join("000.u16.zst"), b"old").unwrap();
    drop(job);
    let job = open(&work, UnitSize::Entries(1));
    assert_eq!(job.status(), JobStatus::Finished);
    merge_quietly(&job, &work.table()).unwrap();
    let mut names: Vec<_> = fs::read_dir(work.table())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["000.u16.zst", "SHA256SUMS", "manifest.json"]);
    let table = Table::open(&work.table(), ReadOptions::default()).unwrap();
    assert_eq!(table.value(0, 1000).unwrap(), u32::from(value(1000)));
}

#[test]
fn a_finished_table_is_not_overwritten() {
    let work = Work::new();
    let job = open(&work, UnitSize::Automatic);
    finish(&job);
    merge_quietly(&job, &work.table()).unwrap();
    let error = merge_quietly(&job, &work.table()).unwrap_err();
    assert!(matches!(error, CoordinatorError::Table(TableError::Exists { .. })), "{error:?}");
    assert!(error.is_users());
}

#[test]
fn a_shard_that_is_bad_at_the_merge_is_computed_again() {
    let work = Work::new();
    let job = open(&work, UnitSize::Automatic);
    finish(&job);
    let last = job.plan().graph().unit_count() - 1;
    let length = fs::metadata(work.shard(last)).unwrap().len() as usize;
    for damage in 0..3 {
        match damage {
            0 => flip(&work.shard(last), length / 2),
            1 => fs::write(work.shard(last), b"short").unwrap(),
            _ => fs::remove_file(work.shard(last)).unwrap(),
        }
        let error = merge_quietly(&job, &work.table()).unwrap_err();
        let bad = matches!(error, CoordinatorError::BadStoredShard { unit, .. } if unit.0 == last);
        assert!(bad, "{error:?}");
        assert!(!work.table().join("manifest.json").exists());
        assert_eq!(finish(&job), 1);
    }
    merge_quietly(&job, &work.table()).unwrap();
}
