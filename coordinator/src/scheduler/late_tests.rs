//! Calls that come late, or twice because their answer was lost.

use super::tests::{at, graph, policy, scheduler, shard};
use super::*;

#[test]
fn a_shard_in_hand_is_never_the_failure_that_stops_the_job() {
    let policy = Policy { attempts: 1, ..policy() };
    let mut s = Scheduler::new(graph(&[(&[], 2)]), policy, 1, []).unwrap();
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let (late, stuck) = (s.must_grant(at(0), a), s.must_grant(at(5), b));
    // Its time is over, but nothing has noticed before the shard comes.
    assert_eq!(s.complete(at(61), late.lease, shard("0")), Ok(CompleteAnswer::First));
    assert_eq!(s.status(), Status::Running);
    assert!(matches!(s.take_events().as_slice(), [Event::UnitDone { unit: UnitId(0), .. }]));
    // A shard saves its own lease, not those of others.
    assert!(s.complete(at(70), late.lease, shard("0")).is_ok());
    let Status::Stopped(stop) = s.status() else { panic!("{:?}", s.status()) };
    assert_eq!(stop.unit, stuck.unit);
}

#[test]
fn a_slow_write_of_the_coordinator_outlasts_a_lease() {
    let policy = Policy { attempts: 1, ..policy() };
    let mut s = Scheduler::new(graph(&[(&[], 1)]), policy, 1, []).unwrap();
    let a = s.register(at(0), "a");
    let grant = s.must_grant(at(0), a);
    s.hold(at(75), grant.lease).unwrap();
    assert_eq!(s.next_deadline(), Some(at(135)));
    assert_eq!((s.take_events(), s.status()), (vec![], Status::Running));
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
