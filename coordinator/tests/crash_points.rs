//! What a killed process or a damaged disk can leave behind, and how a job goes on from it.

mod made_up;

use std::fs;
use std::path::Path;

use made_up::{Work, finish, flip, one, shard_of, small_plan};
use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::ids::UnitId;
use retrotab_coordinator::job::{JobStatus, Opening, Recovery};

/// A folder with three units done, and the job closed.
fn three_done() -> Work {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    for expected in 0..3 {
        assert_eq!(one(&job, worker), UnitId(expected));
    }
    work
}

/// Opens the job again; checks how many units were done, adopted and bad; finishes it.
fn goes_on(work: &Work, recovery: Recovery, expected: (u32, u32, &[u32])) {
    let (job, opening) = work.try_open(small_plan(), recovery).unwrap();
    let (Opening::Resumed(found) | Opening::Rebuilt(found)) = opening else {
        panic!("{opening:?}")
    };
    let bad: Vec<u32> = found.bad.iter().map(|unit| unit.0).collect();
    assert_eq!((found.units_done, found.adopted, bad.as_slice()), expected);
    assert_eq!(job.progress().units_done, found.units_done);
    assert_eq!(finish(&job), 10 - found.units_done);
    for unit in job.plan().graph().units() {
        let right = shard_of(job.plan(), unit, 0);
        assert_eq!(fs::read(work.shard(unit.0)).unwrap(), right, "unit {unit}");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn nothing_but_folders() {
    let work = Work::new();
    fs::create_dir_all(work.path().join("shards")).unwrap();
    assert_eq!(work.open().1, Opening::Created);
}

#[test]
fn a_restart_in_the_middle() {
    goes_on(&three_done(), Recovery::Refuse, (3, 0, &[]));
}

#[test]
fn a_shard_was_put_but_the_state_not_written() {
    let work = three_done();
    fs::write(work.shard(3), shard_of(&small_plan(), UnitId(3), 0)).unwrap();
    goes_on(&work, Recovery::Refuse, (4, 1, &[]));
}

#[test]
fn half_a_shard_without_a_record() {
    let work = three_done();
    let shard = shard_of(&small_plan(), UnitId(3), 0);
    fs::write(work.shard(3), &shard[..shard.len() / 2]).unwrap();
    goes_on(&work, Recovery::Refuse, (3, 0, &[3]));
}

#[test]
fn a_shard_of_the_wrong_unit_without_a_record() {
    let work = three_done();
    fs::copy(work.shard(2), work.shard(3)).unwrap();
    goes_on(&work, Recovery::Refuse, (3, 0, &[3]));
}

#[test]
fn a_done_shard_is_missing() {
    let work = three_done();
    fs::remove_file(work.shard(1)).unwrap();
    goes_on(&work, Recovery::Refuse, (2, 0, &[1]));
}

#[test]
fn a_done_shard_is_cut_short() {
    let work = three_done();
    let shard = fs::read(work.shard(2)).unwrap();
    fs::write(work.shard(2), &shard[..shard.len() - 1]).unwrap();
    goes_on(&work, Recovery::Refuse, (2, 0, &[2]));
}

#[test]
fn a_leftover_of_an_interrupted_write() {
    let work = three_done();
    let leftover = work.path().join("shards/.00000003.shard.zst.4711-0.retrotab-tmp");
    fs::write(&leftover, b"half").unwrap();
    fs::write(work.path().join("shards/notes.txt"), b"mine").unwrap();
    goes_on(&work, Recovery::Refuse, (3, 0, &[]));
    assert!(!leftover.exists());
    assert!(work.path().join("shards/notes.txt").exists());
}

#[test]
fn a_missing_state_is_refused_and_rebuilt_on_request() {
    let work = three_done();
    fs::remove_dir_all(work.state()).unwrap();
    let error = work.refused();
    assert!(matches!(error, CoordinatorError::StateMissing { .. }), "{error:?}");
    assert!(error.to_string().contains("rebuild"), "{error}");
    goes_on(&work, Recovery::Rebuild, (3, 3, &[]));
}

#[test]
fn a_rebuild_drops_bad_shards() {
    let work = three_done();
    fs::remove_dir_all(work.state()).unwrap();
    let length = fs::metadata(work.shard(2)).unwrap().len() as usize;
    flip(&work.shard(2), length - 60);
    goes_on(&work, Recovery::Rebuild, (2, 2, &[2]));
}

#[test]
fn a_damaged_state_is_refused_and_rebuilt_on_request() {
    for damage in [&b""[..], b"garbage", &[0; 600_000], &[0xff; 600_000]] {
        let work = three_done();
        // The database writes its files until its threads have ended.
        drop(work.open());
        fs::write(work.state().join("db"), damage).unwrap();
        fs::write(work.state().join("conf"), b"garbage").unwrap();
        let error = work.refused();
        let clear = matches!(
            error,
            CoordinatorError::StateDamaged { .. } | CoordinatorError::StateMissing { .. }
        );
        assert!(clear && error.to_string().contains("rebuild"), "{error:?}");
        goes_on(&work, Recovery::Rebuild, (3, 3, &[]));
    }
}

#[test]
fn an_old_state_beside_newer_shards() {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    one(&job, worker);
    let old = work.path().join("old");
    copy_folder(&work.state(), &old);
    one(&job, worker);
    one(&job, worker);
    drop(job);
    fs::remove_dir_all(work.state()).unwrap();
    fs::rename(old, work.state()).unwrap();
    goes_on(&work, Recovery::Refuse, (3, 2, &[]));
}

#[test]
fn a_rebuild_that_was_interrupted_starts_over() {
    let work = three_done();
    // Records of units without the job's: the job's record is written last.
    drop(work.open());
    fs::remove_dir_all(work.state()).unwrap();
    {
        use retrotab_coordinator::state::{SledStore, StateStore};
        let state = SledStore::open(&work.state()).unwrap();
        let pending = retrotab_proto::v1::UnitRecord { state: 1, ..Default::default() };
        state.put_unit(UnitId(0), &pending).unwrap();
    }
    assert!(matches!(work.refused(), CoordinatorError::StateMissing { .. }));
    goes_on(&work, Recovery::Rebuild, (3, 3, &[]));
}

#[test]
fn a_rebuild_of_a_sound_state_changes_nothing() {
    let work = three_done();
    goes_on(&work, Recovery::RebuildAlways, (3, 3, &[]));
}

#[test]
fn a_newer_state_is_refused() {
    let work = three_done();
    {
        use retrotab_coordinator::state::{SledStore, StateStore};
        let state = SledStore::open(&work.state()).unwrap();
        let record = state.job().unwrap().unwrap();
        state.put_job(&retrotab_proto::v1::JobRecord { state_version: 2, ..record }).unwrap();
    }
    let error = work.refused();
    assert!(matches!(error, CoordinatorError::NewerState { found: 2, .. }), "{error:?}");
}

#[test]
fn a_kill_at_any_moment_costs_only_the_units_in_flight() {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    let copy = Work::new();
    let mut done = 0;
    while job.status() == JobStatus::Running {
        one(&job, worker);
        done += 1;
        // What a killed process leaves behind: the files as they are now.
        let _ = fs::remove_dir_all(copy.path());
        let _ = fs::remove_dir_all(copy.shards());
        copy_folder(&work.state(), &copy.state());
        copy_folder(&work.shards(), &copy.shards());
        goes_on(&copy, Recovery::Refuse, (done, 0, &[]));
    }
    assert_eq!(done, 10);
}
