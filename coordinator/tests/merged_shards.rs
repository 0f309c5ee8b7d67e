//! A merge frees the disk as it goes, and is gone on with.

mod made_up;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use made_up::{Work, lease, spec};
use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::job::{Job, JobStatus, Recovery};
use retrotab_coordinator::merge::merge;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_tablefmt::layout::TableLayout;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::shard::encode_shard;

/// A table of more than three data files; its zeros compress to almost nothing.
fn layout() -> TableLayout {
    let mut layout = spec(1).layout();
    for (section, entries) in layout.sections.iter_mut().zip([5, 700_000_000, 1_000_000_001]) {
        section.entries = entries;
    }
    layout
}

fn open(work: &Work) -> Job {
    let plan = Plan::with_layout(spec(1), layout(), UnitSize::Entries(100_000_000)).unwrap();
    work.try_open(plan, Recovery::Refuse).unwrap().0
}

fn finish(job: &Job) -> u32 {
    let worker = job.register("zeros");
    let mut units = 0;
    while job.status() == JobStatus::Running {
        let grant = lease(job, worker);
        let raw = vec![0; 2 * grant.range.entries as usize];
        let (job_digest, layout) = (job.plan().digest(), job.plan().layout());
        let shard = encode_shard(job_digest, grant.unit, grant.range, layout, &[&raw]).unwrap();
        job.commit(grant.lease, shard).unwrap();
        units += 1;
    }
    units
}

fn whole(job: &Job, table: &Path) -> Manifest {
    merge(job, table, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

/// Merges until the first shard is gone, and stops there.
fn part(job: &Job, work: &Work) {
    let cancel = AtomicBool::new(false);
    let merged = merge(job, &work.table(), &cancel, &mut |_| {
        cancel.store(!work.shard(0).exists(), Ordering::Relaxed);
    });
    assert!(matches!(merged, Err(CoordinatorError::Cancelled)), "{merged:?}");
    assert!(!work.shard(0).exists() && !work.shard(3).exists());
}

fn contents(manifest: &Manifest) -> (String, String) {
    (manifest.identity.clone(), format!("{:?}", manifest.columns))
}

#[test]
fn shards_go_as_their_files_become_durable() {
    let undisturbed = {
        let work = Work::new();
        let job = open(&work);
        finish(&job);
        contents(&whole(&job, &work.table()))
    };

    let work = Work::new();
    let job = open(&work);
    let units = finish(&job);
    part(&job, &work);
    drop(job);
    // The next start needs no shard of what is in the data files.
    let job = open(&work);
    assert_eq!(job.status(), JobStatus::Finished);
    assert_eq!(contents(&whole(&job, &work.table())), undisturbed);
    drop(job);
    if work.store.is_some() {
        // What follows does not depend on where the shards are, and takes long.
        return;
    }

    // A data file that is damaged meanwhile takes its units with it, and only time is lost.
    let work = Work::new();
    let job = open(&work);
    finish(&job);
    part(&job, &work);
    let data = work.table().join("000.u16.zst");
    let length = std::fs::metadata(&data).unwrap().len();
    std::fs::File::options().write(true).open(&data).unwrap().set_len(length - 3).unwrap();
    let again = merge(&job, &work.table(), &AtomicBool::new(false), &mut |_| ());
    assert!(matches!(again, Err(CoordinatorError::BadStoredShard { .. })), "{again:?}");
    assert!((2..units).contains(&finish(&job)), "the merged units are computed again");
    assert_eq!(contents(&whole(&job, &work.table())), undisturbed);
    drop(job);

    // A shard that is lost after others were merged makes those needed again.
    let work = Work::new();
    let job = open(&work);
    finish(&job);
    part(&job, &work);
    drop(job);
    std::fs::remove_file(work.shard(units - 1)).unwrap();
    let job = open(&work);
    assert!(finish(&job) > 2);
    assert_eq!(contents(&whole(&job, &work.table())), undisturbed);
}
