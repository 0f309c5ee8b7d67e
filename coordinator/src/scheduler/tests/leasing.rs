//! Who gets which unit, and how long a lease lasts.

use super::*;

#[test]
fn ready_units_go_out_in_order_and_needs_are_waited_for() {
    let mut s = scheduler(&[(&[], 1), (&[0], 2), (&[0], 1), (&[1, 2], 1)]);
    let a = s.register(at(0), "a");
    let b = s.register(at(0), "b");
    let first = s.must_grant(at(0), a);
    assert_eq!((first.unit, first.kind, first.deadline), (UnitId(0), GrantKind::Ready, at(60)));
    assert_eq!(s.must_idle(at(0), b), Idle::AllRunning { running: 1 });
    assert_eq!(s.complete(at(1), first.lease, shard("0")), Ok(CompleteAnswer::First));
    let worker = WorkerName::from("a");
    let done = Event::UnitDone { unit: UnitId(0), worker };
    assert_eq!(s.take_events(), [done, Event::SectionDone { section: SectionId(0) }]);
    let grants: Vec<_> = [a, b, a].map(|w| s.must_grant(at(1), w)).into();
    assert_eq!(grants.iter().map(|g| g.unit.0).collect::<Vec<_>>(), [1, 3, 2]);
    for (i, grant) in grants.iter().enumerate() {
        assert_eq!(s.must_idle(at(2), b), Idle::AllRunning { running: 3 - i as u32 });
        assert_eq!(s.complete(at(2), grant.lease, shard("x")), Ok(CompleteAnswer::First));
    }
    let last = s.must_grant(at(3), b);
    assert_eq!(last.unit, UnitId(4));
    s.take_events();
    s.complete(at(3), last.lease, shard("4")).unwrap();
    assert!(s.take_events().ends_with(&[Event::JobFinished]));
    assert_eq!(s.status(), Status::Finished);
    assert_eq!(s.lease(at(3), a), Ok(LeaseAnswer::Finished));
}

#[test]
fn only_progress_renews_a_lease() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    let grant = s.must_grant(at(0), a);
    let renewed = HeartbeatAnswer::Renewed { deadline: at(70) };
    assert_eq!(s.heartbeat(at(10), grant.lease, 5), Ok(renewed));
    let stuck = HeartbeatAnswer::NoProgress { deadline: at(70) };
    assert_eq!(s.heartbeat(at(20), grant.lease, 5), Ok(stuck));
    assert_eq!(s.heartbeat(at(20), grant.lease, 3), Ok(stuck));
    // More than everything is everything: it cannot be raised again.
    let full = HeartbeatAnswer::Renewed { deadline: at(90) };
    assert_eq!(s.heartbeat(at(30), grant.lease, u64::MAX), Ok(full));
    let stuck = HeartbeatAnswer::NoProgress { deadline: at(90) };
    assert_eq!(s.heartbeat(at(40), grant.lease, u64::MAX), Ok(stuck));
    assert_eq!(s.next_deadline(), Some(at(90)));
    s.tick(at(89));
    assert_eq!(s.take_events(), []);
    s.tick(at(90));
    assert!(matches!(
        s.take_events().as_slice(),
        [Event::AttemptFailed { unit: UnitId(0), ended: Ended::Expired, .. }]
    ));
    let ended = HeartbeatAnswer::Ended(Ended::Expired);
    assert_eq!(s.heartbeat(at(91), grant.lease, 50), Ok(ended));
    assert_eq!(s.next_deadline(), None);
}

#[test]
fn fetching_renews_a_lease_as_long_as_there_is_something_to_fetch() {
    let mut s = scheduler(&[(&[], 2), (&[0], 1)]);
    let a = s.register(at(0), "a");
    for name in ["0", "1"] {
        let grant = s.must_grant(at(0), a);
        // The first section needs nothing.
        let stuck = HeartbeatAnswer::NoProgress { deadline: at(60) };
        assert_eq!(s.fetching(at(0), grant.lease, 9), Ok(stuck));
        s.complete(at(0), grant.lease, shard(name)).unwrap();
    }
    let grant = s.must_grant(at(0), a);
    for (now, fetched) in [(50, 10), (100, 150), (150, 200)] {
        let renewed = HeartbeatAnswer::Renewed { deadline: at(now + LEASE) };
        assert_eq!(s.fetching(at(now), grant.lease, fetched), Ok(renewed));
    }
    let stuck = HeartbeatAnswer::NoProgress { deadline: at(210) };
    assert_eq!(s.fetching(at(200), grant.lease, u64::MAX), Ok(stuck));
    assert_eq!(s.fetching(at(200), grant.lease, 10), Ok(stuck));
    // What is computed is counted apart.
    let renewed = HeartbeatAnswer::Renewed { deadline: at(261) };
    assert_eq!(s.heartbeat(at(201), grant.lease, 1), Ok(renewed));
    assert_eq!(s.progress().entries_running, 1);
    let ended = HeartbeatAnswer::Ended(Ended::Expired);
    assert_eq!(s.fetching(at(261), grant.lease, 200), Ok(ended));
    let unknown = LeaseId(77);
    assert_eq!(s.fetching(at(261), unknown, 1), Err(Refused::UnknownLease(unknown)));
}

#[test]
fn units_that_wait_for_another_of_the_same_worker_do_not_run_out() {
    let mut s = scheduler(&[(&[], 3)]);
    let a = s.register(at(0), "a");
    let (first, second) = (s.must_grant(at(0), a), s.must_grant(at(0), a));
    for now in [50, 100, 150] {
        s.heartbeat(at(now), first.lease, now / 2).unwrap();
    }
    assert_eq!(s.take_events(), []);
    s.complete(at(160), first.lease, shard("0")).unwrap();
    let third = s.must_grant(at(160), a);
    // The second is stuck; what comes after it does not help.
    s.heartbeat(at(200), third.lease, 50).unwrap();
    let ended = HeartbeatAnswer::Ended(Ended::Expired);
    assert_eq!(s.heartbeat(at(210), second.lease, 1), Ok(ended));
    let renewed = HeartbeatAnswer::Renewed { deadline: at(270) };
    assert_eq!(s.heartbeat(at(210), third.lease, 60), Ok(renewed));
}

#[test]
fn a_delay_of_the_coordinator_does_not_cost_a_lease() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    let grant = s.must_grant(at(0), a);
    s.hold(at(50), grant.lease).unwrap();
    assert_eq!(s.next_deadline(), Some(at(110)));
    s.tick(at(110));
    s.hold(at(111), grant.lease).unwrap();
    assert_eq!(s.next_deadline(), None);
}

#[test]
fn time_never_goes_back() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(100), "a");
    assert_eq!(s.must_grant(at(0), a).deadline, at(160));
}

#[test]
fn released_units_go_out_again_without_a_mark() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    for now in 0..10 {
        let grant = s.must_grant(at(now), a);
        s.release(at(now), grant.lease).unwrap();
        let unknown = Err(Refused::UnknownLease(grant.lease));
        assert_eq!(s.heartbeat(at(now), grant.lease, 1), unknown);
    }
    assert_eq!(s.take_events(), []);
    assert_eq!(s.status(), Status::Running);
}

#[test]
fn progress_counts_what_is_done_and_what_runs() {
    let mut s = scheduler(&[(&[], 2), (&[0], 1)]);
    let a = s.register(at(0), "a");
    let first = s.must_grant(at(0), a);
    let second = s.must_grant(at(0), a);
    s.complete(at(1), first.lease, shard("0")).unwrap();
    s.heartbeat(at(1), second.lease, 30).unwrap();
    let p = s.progress();
    assert_eq!((p.units, p.units_done, p.units_running), (3, 1, 1));
    assert_eq!((p.entries, p.entries_done, p.entries_running), (300, 100, 30));
    let section = SectionProgress {
        section: SectionId(0),
        units: 2,
        units_done: 1,
        entries: 200,
        entries_done: 100,
        entries_running: 30,
        state: SectionState::Open,
    };
    assert_eq!(p.sections[0], section);
    assert_eq!(p.sections[1].state, SectionState::Blocked);
    assert_eq!(p.workers, [WorkerStatus { worker: a, name: "a".into(), leases: 1 }]);
}

/// 100,000 units and 1,000 workers, some of them bad: only a scheduler without scans over
/// all units does this in the time of a test.
#[test]
fn a_large_job_is_quick() {
    let sections: Vec<(Vec<u32>, u64)> =
        (0..100_u32).map(|i| (i.checked_sub(1).into_iter().collect(), 1000)).collect();
    let sections: Vec<(&[u32], u64)> =
        sections.iter().map(|(needs, units)| (needs.as_slice(), *units)).collect();
    let mut scheduler = scheduler(&sections);
    let workers: Vec<_> = (0..1000).map(|i| scheduler.register(at(0), &format!("w{i}"))).collect();
    let (mut calls, mut now) = (0_u32, at(0));
    let mut held: Vec<Option<Grant>> = vec![None; workers.len()];
    while scheduler.status() != Status::Finished {
        now = now + Duration::from_secs(1);
        for (i, worker) in workers.iter().enumerate() {
            calls += 1;
            if let Some(grant) = held[i].take() {
                let late = (calls + i as u32).is_multiple_of(17);
                let answer = match late {
                    true => scheduler.heartbeat(now, grant.lease, 1).map(|_| ()),
                    false => scheduler.complete(now, grant.lease, shard("")).map(|_| ()),
                };
                answer.unwrap();
                held[i] = late.then_some(grant);
            } else if let Ok(LeaseAnswer::Granted(grant)) = scheduler.lease(now, *worker) {
                held[i] = Some(grant);
            }
        }
        scheduler.take_events();
    }
    assert!(calls >= 200_000, "{calls} calls");
}
