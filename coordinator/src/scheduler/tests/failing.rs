//! Failures, lost leases, and when they stop the job.

use super::*;

#[test]
fn a_unit_that_keeps_failing_stops_the_job_with_worker_and_reason() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    let first = s.must_grant(at(0), a);
    s.fail(at(0), first.lease, "out of memory").unwrap();
    assert_eq!(s.must_idle(at(0), a), Idle::BackingOff { until: at(1) });
    let second = s.must_grant(at(1), a);
    s.fail(at(2), second.lease, "out of memory").unwrap();
    let third = s.must_grant(at(61), a);
    assert_ne!(first.lease, second.lease);
    assert_eq!(s.status(), Status::Running);
    s.fail(at(61), third.lease, "bad sector").unwrap();
    let Status::Stopped(stop) = s.status() else { panic!("{:?}", s.status()) };
    let worker = WorkerName::from("a");
    let reason = "bad sector".to_owned();
    let expected = StopReason::FailedTooOften { attempts: 3, worker, reason };
    assert_eq!((stop.unit, &stop.reason), (Some(UnitId(0)), &expected));
    assert!(stop.to_string().contains("bad sector"));
    // A shard that comes after all is not thrown away: the next run has it.
    assert_eq!(s.complete(at(70), second.lease, shard("0")), Ok(CompleteAnswer::First));
    assert!(matches!(s.status(), Status::Stopped(_)));
}

#[test]
fn failures_back_off_and_a_shard_forgives_them() {
    let mut s = Scheduler::new(graph(&[(&[], 9)]), Policy { attempts: 99, ..policy() }, 1, []);
    let s = s.as_mut().unwrap();
    let a = s.register(at(0), "a");
    let mut now = 0;
    for wait in [1, 2, 4, 4] {
        let grant = s.must_grant(at(now), a);
        s.fail(at(now), grant.lease, "no").unwrap();
        now += wait;
        assert_eq!(s.must_idle(at(now - 1), a), Idle::BackingOff { until: at(now) });
    }
    let good = s.must_grant(at(now), a);
    s.complete(at(now), good.lease, shard("")).unwrap();
    let bad = s.must_grant(at(now), a);
    s.fail(at(now), bad.lease, "no").unwrap();
    assert_eq!(s.must_idle(at(now), a), Idle::BackingOff { until: at(now + 1) });
}

#[test]
fn a_worker_gets_a_unit_it_lost_only_when_there_is_no_other() {
    let mut s = scheduler(&[(&[], 3)]);
    let a = s.register(at(0), "a");
    let lost = s.must_grant(at(0), a);
    s.fail(at(0), lost.lease, "no").unwrap();
    let next = [s.must_grant(at(1), a), s.must_grant(at(1), a)];
    assert_eq!(next.map(|g| g.unit.0), [1, 2]);
    s.complete(at(2), next[0].lease, shard("1")).unwrap();
    assert_eq!(s.must_grant(at(2), a).unit, lost.unit);
}

#[test]
fn a_gone_workers_units_go_out_again() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let held = [s.must_grant(at(0), a), s.must_grant(at(0), a)];
    assert_eq!(s.must_idle(at(0), a), Idle::EnoughLeases { held: 2 });
    s.worker_gone(at(1), a).unwrap();
    assert_eq!(s.take_events().len(), 2);
    assert_eq!(s.lease(at(1), a), Err(Refused::UnknownWorker(a)));
    assert_eq!(s.worker_gone(at(1), a), Err(Refused::UnknownWorker(a)));
    assert_eq!(s.must_grant(at(1), b).unit, held[0].unit);
    // It had finished before it went.
    assert_eq!(s.complete(at(2), held[1].lease, shard("1")), Ok(CompleteAnswer::First));
}

#[test]
fn a_running_copy_is_waited_for_before_the_job_stops() {
    let mut s =
        Scheduler::new(graph(&[(&[], 1)]), Policy { attempts: 1, ..policy() }, 1, []).unwrap();
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let (first, copy) = (s.must_grant(at(0), a), s.must_grant(at(20), b));
    s.fail(at(21), first.lease, "no").unwrap();
    assert_eq!(s.status(), Status::Running);
    assert_eq!(s.must_idle(at(40), a), Idle::AllRunning { running: 1 });
    s.complete(at(41), copy.lease, shard("0")).unwrap();
    assert_eq!(s.status(), Status::Finished);
}

#[test]
fn lost_leases_are_not_failures() {
    let mut s = scheduler(&[(&[], 1)]);
    // Preempted, cut off, preempted, ...: more often than a unit may fail.
    for round in 0..5 {
        let worker = s.register(at(round * 100), "spot");
        s.must_grant(at(round * 100), worker);
        if round % 2 == 0 {
            s.worker_gone(at(round * 100 + 1), worker).unwrap();
        } else {
            s.tick(at(round * 100 + LEASE));
        }
    }
    let counts = (s.units[0].failures, s.units[0].losses);
    assert_eq!((counts, s.status()), ((0, 5), Status::Running));
    let good = s.register(at(600), "good");
    let grant = s.must_grant(at(600), good);
    s.complete(at(601), grant.lease, shard("0")).unwrap();
    assert_eq!(s.status(), Status::Finished);
}

#[test]
fn a_unit_that_brings_down_every_worker_stops_the_job() {
    let mut s = scheduler(&[(&[], 1)]);
    for round in 0..6 {
        assert_eq!(s.status(), Status::Running);
        let worker = s.register(at(round), &format!("node{round}"));
        s.must_grant(at(round), worker);
        s.worker_gone(at(round), worker).unwrap();
    }
    let Status::Stopped(stop) = s.status() else { panic!("{:?}", s.status()) };
    let reason = "the worker went away".to_owned();
    let expected = StopReason::LostTooOften { losses: 6, worker: "node5".into(), reason };
    assert_eq!((stop.unit, &stop.reason), (Some(UnitId(0)), &expected));
    let text = stop.to_string();
    assert!(["unit 0", "6 times", "node5", "went away"].iter().all(|s| text.contains(s)), "{text}");
}

#[test]
fn a_worker_that_leaves_in_good_order_gives_its_units_back() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let held = [s.must_grant(at(0), a), s.must_grant(at(0), a)];
    s.worker_left(at(1), a).unwrap();
    assert_eq!(s.take_events(), []);
    assert_eq!((s.units[0].losses, s.units[1].losses), (0, 0));
    assert_eq!(s.worker_left(at(1), a), Err(Refused::UnknownWorker(a)));
    assert_eq!(
        s.complete(at(1), held[0].lease, shard("0")),
        Err(Refused::UnknownLease(held[0].lease))
    );
    assert_eq!(
        [s.must_grant(at(1), b), s.must_grant(at(1), b)].map(|g| g.unit),
        held.map(|g| g.unit)
    );
}
