//! A job from its start to its end, with good and bad workers.

mod made_up;

use std::time::Duration;

use made_up::{Work, finish, flip, lease, one, raw, shard_of, small_plan, spec, value};
use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::ids::{LeaseId, UnitId};
use retrotab_coordinator::job::{Committed, JobStatus, Opening, Recovery};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::{HeartbeatAnswer, LeaseAnswer, Refused, StopReason};
use retrotab_tablefmt::layout::SectionId;

#[test]
fn a_job_runs_to_its_end_and_stays_there() {
    let work = Work::new();
    let (job, opening) = work.open();
    assert_eq!(opening, Opening::Created);
    assert_eq!(finish(&job), 10);
    let worker = job.register("late");
    assert_eq!(job.lease(worker).unwrap(), LeaseAnswer::Finished);
    let progress = job.progress();
    assert_eq!((progress.units_done, progress.entries_done), (10, progress.entries));
    let made = job.made().unwrap();
    assert_eq!((made.units, made.workers), (10, 1));
    drop(job);
    let (job, opening) = work.open();
    let Opening::Resumed(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.adopted, found.bad.len()), (10, 0, 0));
    assert_eq!(job.status(), JobStatus::Finished);
}

#[test]
fn a_second_opening_is_refused_while_the_first_lasts() {
    let work = Work::new();
    let (job, _) = work.open();
    let error = work.refused();
    assert!(matches!(error, CoordinatorError::InUse { .. }), "{error:?}");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    assert!(error.is_users());
    drop(job);
    work.open();
}

#[test]
fn another_jobs_folder_is_refused_and_the_differences_named() {
    let work = Work::new();
    let (job, _) = work.open();
    one(&job, job.register("a"));
    drop(job);
    let automatic = Plan::new(spec(3), UnitSize::Automatic).unwrap().unit_entries();
    let units = format!("unit-entries: {automatic} there, 131072");
    let others = [
        (Plan::new(spec(4), UnitSize::Automatic).unwrap(), "4 cards"),
        (Plan::new(spec(3), UnitSize::Entries(1)).unwrap(), units.as_str()),
    ];
    for (plan, difference) in others {
        for recovery in [Recovery::Refuse, Recovery::Rebuild, Recovery::RebuildAlways] {
            let error = work.try_open(plan.clone(), recovery).map(|_| ()).unwrap_err();
            assert!(matches!(error, CoordinatorError::OtherJob { .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains(difference) && text.contains("delete"), "{text}");
            assert!(error.is_users());
        }
    }
    if work.store.is_some() {
        return;
    }
    // Also when only the shards are left to tell.
    std::fs::remove_dir_all(work.state()).unwrap();
    let plan = Plan::new(spec(4), UnitSize::Automatic).unwrap();
    let error = work.try_open(plan, Recovery::Rebuild).map(|_| ()).unwrap_err();
    assert!(matches!(error, CoordinatorError::OtherJob { .. }), "{error:?}");
    assert!(work.shard(0).exists());
}

#[test]
fn bad_shards_are_refused_and_count_as_failures() {
    let plan = small_plan();
    let good = shard_of(&plan, UnitId(5), 0);
    let other_job = shard_of(&Plan::new(spec(3), UnitSize::Entries(1)).unwrap(), UnitId(5), 0);
    let longer = [good.clone(), vec![0; 9]].concat();
    let mut flipped = good.clone();
    let in_the_values = flipped.len() - 60;
    flipped[in_the_values] ^= 1;
    let bad = [
        (shard_of(&plan, UnitId(4), 0), "unit 4"),
        (other_job, "belongs to job"),
        (good[..good.len() - 1].to_vec(), "corrupt"),
        (good[..50].to_vec(), "corrupt"),
        (Vec::new(), "corrupt"),
        (longer, "corrupt"),
        (flipped, "corrupt"),
        (b"nonsense".repeat(1000), "not a shard"),
    ];
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    for _ in 0..5 {
        one(&job, worker);
    }
    drop(job);
    for (bytes, what) in bad {
        let (job, _) = work.open();
        let grant = lease(&job, job.register("a"));
        assert_eq!(grant.unit, UnitId(5));
        let error = job.commit(grant.lease, bytes).unwrap_err();
        assert!(matches!(error, CoordinatorError::BadShard { .. }), "{error:?}");
        assert!(error.to_string().contains(what), "{what}: {error}");
        assert!(!work.shard(5).exists());
        let progress = job.progress();
        assert_eq!((progress.units_done, progress.units_running), (5, 0));
    }
}

#[test]
fn bad_shards_without_end_stop_the_job() {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    for _ in 0..3 {
        job.commit(lease(&job, worker).lease, b"bad".to_vec()).unwrap_err();
    }
    let JobStatus::Stopped(stop) = job.status() else { panic!("{:?}", job.status()) };
    assert!(stop.to_string().contains("worker a"), "{stop}");
    let StopReason::FailedTooOften { attempts, .. } = stop.reason else { panic!() };
    assert_eq!((stop.unit, attempts), (Some(UnitId(0)), 3));
}

#[test]
fn a_stopped_job_is_tried_again_by_the_next_run() {
    let work = Work::new();
    let (job, _) = work.open();
    let worker = job.register("a");
    for _ in 0..3 {
        job.fail(lease(&job, worker).lease, "out of memory").unwrap();
    }
    assert!(matches!(job.status(), JobStatus::Stopped(_)));
    drop(job);
    let (job, _) = work.open();
    assert_eq!(finish(&job), 10);
}

#[test]
fn a_conflict_stops_the_job_for_good() {
    let work = Work::new();
    let (job, _) = work.open();
    let (anna, bert) = (job.register("anna"), job.register("bert"));
    let slow = lease(&job, anna);
    work.clock.pass(Duration::from_secs(100));
    job.tick();
    let fast = lease(&job, bert);
    assert_eq!(fast.unit, slow.unit);
    job.commit(fast.lease, shard_of(job.plan(), fast.unit, 0)).unwrap();
    let stored = std::fs::read(work.shard(fast.unit.0)).unwrap();
    let error = job.commit(slow.lease, shard_of(job.plan(), slow.unit, 1)).unwrap_err();
    let named = |text: String| text.contains("anna") && text.contains("bert");
    assert!(matches!(error, CoordinatorError::Stopped(_)) && named(error.to_string()), "{error}");
    assert_eq!(std::fs::read(work.shard(fast.unit.0)).unwrap(), stored);
    let again = job.commit(slow.lease, shard_of(job.plan(), slow.unit, 0)).unwrap_err();
    assert!(matches!(again, CoordinatorError::Stopped(_)), "{again:?}");
    drop(job);
    for recovery in [Recovery::Refuse, Recovery::Rebuild, Recovery::RebuildAlways] {
        let error = work.try_open(small_plan(), recovery).map(|_| ()).unwrap_err();
        assert!(matches!(error, CoordinatorError::Untrusted { .. }), "{error:?}");
        assert!(named(error.to_string()), "{error}");
    }
}

#[test]
fn an_identical_second_shard_is_a_success() {
    let work = Work::new();
    let (job, _) = work.open();
    let (anna, bert) = (job.register("anna"), job.register("bert"));
    let slow = lease(&job, anna);
    work.clock.pass(Duration::from_secs(100));
    let fast = lease(&job, bert);
    let shard = || shard_of(job.plan(), slow.unit, 0);
    assert_eq!(job.commit(slow.lease, shard()).unwrap(), Committed::First);
    let identical = Committed::Identical { first_worker: "anna".into() };
    assert_eq!(job.commit(fast.lease, shard()).unwrap(), identical);
    assert_eq!(job.commit(slow.lease, shard()).unwrap(), identical);
}

#[test]
fn leases_of_an_earlier_run_are_unknown_but_units_can_be_reclaimed() {
    let work = Work::new();
    let (job, _) = work.open();
    let old = lease(&job, job.register("a"));
    drop(job);
    let (job, _) = work.open();
    let a = job.register("a");
    let shard = || shard_of(job.plan(), old.unit, 0);
    let error = job.commit(old.lease, shard()).unwrap_err();
    let unknown = Refused::UnknownLease(old.lease);
    assert!(matches!(error, CoordinatorError::Refused(e) if e == unknown), "{error:?}");
    let answer = job.reclaim(a, old.unit).unwrap();
    let retrotab_coordinator::scheduler::ReclaimAnswer::Granted(grant) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(job.commit(grant.lease, shard()).unwrap(), Committed::First);
    assert!(job.heartbeat(LeaseId(7), 1).is_err());
}

#[test]
fn a_shard_that_cannot_be_stored_keeps_its_lease() {
    let work = Work::new();
    let (job, _) = work.open();
    let grant = lease(&job, job.register("a"));
    let shard = || shard_of(job.plan(), grant.unit, 0);
    // A folder in the way of the file: the write fails whoever runs the test.
    let in_the_way = work.shard(grant.unit.0);
    std::fs::create_dir_all(&in_the_way).unwrap();
    work.clock.pass(Duration::from_secs(50));
    let error = job.commit(grant.lease, shard()).unwrap_err();
    assert!(matches!(error, CoordinatorError::Table(_)), "{error:?}");
    work.clock.pass(Duration::from_secs(50));
    let answer = job.heartbeat(grant.lease, 0).unwrap();
    assert!(matches!(answer, HeartbeatAnswer::NoProgress { .. }), "{answer:?}");
    std::fs::remove_dir(&in_the_way).unwrap();
    assert_eq!(job.commit(grant.lease, shard()).unwrap(), Committed::First);
}

#[test]
fn many_threads_finish_a_job_together() {
    let work = Work::new();
    let plan = Plan::new(spec(8), UnitSize::Entries(1)).unwrap();
    let (job, _) = work.try_open(plan, Recovery::Refuse).unwrap();
    let first: Vec<u32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|i| {
                let job = &job;
                scope.spawn(move || {
                    let worker = job.register(&format!("worker {i}"));
                    let mut first = 0;
                    loop {
                        match job.lease(worker).unwrap() {
                            LeaseAnswer::Granted(grant) => {
                                let shard = shard_of(job.plan(), grant.unit, 0);
                                let committed = job.commit(grant.lease, shard).unwrap();
                                first += u32::from(committed == Committed::First);
                            }
                            LeaseAnswer::Finished => return first,
                            _ => std::thread::yield_now(),
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(first.iter().sum::<u32>(), job.plan().graph().unit_count());
}

#[test]
fn stored_values_can_be_read_across_units() {
    let work = Work::new();
    let plan = Plan::new(spec(9), UnitSize::Entries(1)).unwrap();
    let graph = plan.graph().clone();
    let section = graph.sections().find(|s| graph.units_of(*s).len() >= 2).unwrap();
    let (job, _) = work.try_open(plan, Recovery::Refuse).unwrap();
    let worker = job.register("a");
    while job.progress().sections[section.0 as usize].units_done < 2 {
        one(&job, worker);
    }
    let first = job.plan().layout().first_entry(section);
    for (from, entries) in [(0, 1), (131_071, 2), (130_000, 2000), (131_072, 5)] {
        let mut out = vec![0; entries as usize * 2];
        job.read(section, 0, from, &mut out).unwrap();
        assert_eq!(out, raw(first + from, entries), "{entries} entries from {from}");
    }
    let entries = job.plan().layout().sections[section.0 as usize].entries;
    for (section, column, from) in [(section, 0, entries), (section, 1, 0), (SectionId(99), 0, 0)] {
        let error = job.read(section, column, from, &mut [0; 2]).unwrap_err();
        assert!(matches!(error, CoordinatorError::NoSuchEntries { .. }), "{error:?}");
    }
    assert_ne!(value(first), value(first + 1));
}

#[test]
fn a_shard_that_goes_bad_is_computed_again() {
    let work = Work::new();
    let (job, _) = work.open();
    finish(&job);
    let unit = UnitId(6);
    let length = std::fs::metadata(work.shard(6)).unwrap().len() as usize;
    flip(&work.shard(6), length - 60);
    let section = job.plan().graph().range(unit).section;
    let mut out = vec![0; 2 * job.plan().graph().range(unit).entries as usize];
    let error = job.read(section, 0, 0, &mut out).unwrap_err();
    assert!(matches!(error, CoordinatorError::BadStoredShard { .. }), "{error:?}");
    assert_eq!(job.status(), JobStatus::Running);
    assert!(!work.shard(6).exists());
    assert_eq!(finish(&job), 1);
    std::fs::remove_file(work.shard(2)).unwrap();
    assert!(matches!(job.shard(UnitId(2)), Err(CoordinatorError::BadStoredShard { .. })));
    assert_eq!(finish(&job), 1);
}
