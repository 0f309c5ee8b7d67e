//! What workers reclaim after a restart, and units whose shards turn out to be bad.

use super::*;

#[test]
fn a_restart_keeps_done_units_and_workers_reclaim_theirs() {
    let result = |name: &str| UnitResult { shard: shard(name), worker: name.into() };
    let done = [(UnitId(1), result("old"))];
    let sections: &[(&[u32], u64)] = &[(&[], 2), (&[0], 1)];
    let mut s = Scheduler::new(graph(sections), policy(), 2, done).unwrap();
    let earlier = scheduler(sections);
    let a = s.register(at(0), "a");
    assert_eq!(s.reclaim(at(0), a, UnitId(1)), Ok(ReclaimAnswer::AlreadyDone));
    assert_eq!(s.reclaim(at(0), a, UnitId(2)), Ok(ReclaimAnswer::NotWanted));
    assert_eq!(s.reclaim(at(0), a, UnitId(3)), Err(Refused::UnknownUnit(UnitId(3))));
    let Ok(ReclaimAnswer::Granted(grant)) = s.reclaim(at(0), a, UnitId(0)) else { panic!() };
    assert_eq!(grant.kind, GrantKind::Reclaimed);
    assert!(grant.lease > earlier.leases.next_id());
    assert_eq!(s.must_idle(at(0), a), Idle::AllRunning { running: 1 });
    s.complete(at(0), grant.lease, shard("0")).unwrap();
    assert_eq!(s.must_grant(at(0), a).unit, UnitId(2));
    let bad = Scheduler::new(graph(sections), policy(), 2, [(UnitId(9), result("old"))]);
    assert_eq!(bad.unwrap_err(), Refused::UnknownUnit(UnitId(9)));
}

#[test]
fn a_reopened_unit_closes_what_needs_it() {
    let mut s = scheduler(&[(&[], 2), (&[0], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    for name in ["0", "1"] {
        let grant = s.must_grant(at(0), a);
        s.complete(at(0), grant.lease, shard(name)).unwrap();
    }
    let running = s.must_grant(at(1), a);
    assert_eq!(running.unit, UnitId(2));
    s.take_events();
    s.reopen(at(1), UnitId(1)).unwrap();
    s.reopen(at(1), UnitId(1)).unwrap();
    assert_eq!(s.take_events(), [Event::UnitReopened { unit: UnitId(1) }]);
    assert_eq!(s.progress().units_done, 1);
    let again = s.must_grant(at(1), b);
    assert_eq!(again.unit, UnitId(1));
    assert_eq!(s.must_idle(at(1), b), Idle::AllRunning { running: 2 });
    // A unit that comes back waits until its needs are complete again.
    s.release(at(2), running.lease).unwrap();
    assert_eq!(s.must_idle(at(2), a), Idle::AllRunning { running: 1 });
    s.complete(at(3), again.lease, shard("1")).unwrap();
    assert_eq!([s.must_grant(at(3), a), s.must_grant(at(3), b)].map(|g| g.unit.0), [2, 3]);
}

#[test]
fn a_worker_that_reclaims_twice_has_one_lease() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let Ok(ReclaimAnswer::Granted(first)) = s.reclaim(at(0), a, UnitId(0)) else { panic!() };
    // The answer was lost on the way; the worker asks again.
    let Ok(ReclaimAnswer::Granted(again)) = s.reclaim(at(20), a, UnitId(0)) else { panic!() };
    assert_eq!(again, first);
    // Another worker that has the unit too is as good as a copy.
    let Ok(ReclaimAnswer::Granted(other)) = s.reclaim(at(20), b, UnitId(0)) else { panic!() };
    assert_ne!(other.lease, first.lease);
    s.complete(at(21), again.lease, shard("0")).unwrap();
    s.tick(at(500));
    assert!(matches!(s.take_events().as_slice(), [Event::UnitDone { unit: UnitId(0), .. }]));
}

#[test]
fn a_worker_reclaims_what_it_has_but_not_the_whole_job() {
    let mut s = scheduler(&[(&[], 9)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let mut reclaim = |unit| s.reclaim(at(0), a, UnitId(unit)).unwrap();
    // Two were being computed, two wait to be submitted.
    let held: Vec<_> = (0..5).map(&mut reclaim).collect();
    let granted = |answer: &ReclaimAnswer| matches!(answer, ReclaimAnswer::Granted(_));
    assert!(held[..4].iter().all(granted), "{held:?}");
    assert_eq!(held[4], ReclaimAnswer::NotWanted);
    // Asking again for what it has is free.
    assert_eq!(reclaim(3), held[3]);
    // No new unit before it is below the limit again.
    for (i, answer) in held[..3].iter().enumerate() {
        assert_eq!(s.must_idle(at(1), a), Idle::EnoughLeases { held: 4 - i });
        let ReclaimAnswer::Granted(grant) = answer else { panic!("{answer:?}") };
        s.complete(at(1), grant.lease, shard("x")).unwrap();
    }
    assert_eq!(s.must_grant(at(1), a).unit, UnitId(4));
    assert_eq!(s.must_grant(at(1), b).unit, UnitId(5));
}
