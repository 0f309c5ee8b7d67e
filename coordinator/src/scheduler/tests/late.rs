//! Shards and calls that come late, or twice because their answer was lost.

use super::*;

#[test]
fn expired_units_go_out_again_and_a_late_shard_still_counts() {
    let mut s = scheduler(&[(&[], 1)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let slow = s.must_grant(at(0), a);
    let again = s.must_grant(at(60), b);
    assert_eq!((again.unit, again.kind), (UnitId(0), GrantKind::Ready));
    assert_eq!(s.complete(at(61), slow.lease, shard("0")), Ok(CompleteAnswer::First));
    let ended = HeartbeatAnswer::Ended(Ended::Superseded);
    assert_eq!(s.heartbeat(at(61), again.lease, 7), Ok(ended));
    let first_worker = WorkerName::from("a");
    let identical = CompleteAnswer::Identical { first_worker };
    assert_eq!(s.complete(at(62), again.lease, shard("0")), Ok(identical));
    assert_eq!(s.status(), Status::Finished);
}

#[test]
fn a_late_shard_counts_while_its_unit_waits() {
    let mut s = scheduler(&[(&[], 2)]);
    let a = s.register(at(0), "a");
    let slow = s.must_grant(at(0), a);
    s.tick(at(60));
    assert_eq!(s.complete(at(61), slow.lease, shard("0")), Ok(CompleteAnswer::First));
    assert_eq!(s.must_grant(at(61), a).unit, UnitId(1));
    assert_eq!(s.must_idle(at(61), a), Idle::AllRunning { running: 1 });
}

#[test]
fn different_shards_stop_the_job_and_name_both_workers() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "anna"), s.register(at(0), "bert"));
    let slow = s.must_grant(at(0), a);
    let other = s.must_grant(at(60), b);
    assert_eq!(other.unit, slow.unit);
    s.complete(at(61), other.lease, shard("right")).unwrap();
    s.take_events();
    let answer = s.complete(at(62), slow.lease, shard("wrong")).unwrap();
    let CompleteAnswer::Conflict(conflict) = answer else { panic!("{answer:?}") };
    assert_eq!((&*conflict.first_worker, &*conflict.second_worker), ("bert", "anna"));
    let Status::Stopped(stop) = s.status() else { panic!("{:?}", s.status()) };
    assert_eq!(
        (stop.unit, &stop.reason),
        (Some(UnitId(0)), &StopReason::Conflict(Box::new(conflict)))
    );
    let text = stop.to_string();
    assert!(text.contains("anna") && text.contains("bert"), "{text}");
    assert!(matches!(s.lease(at(63), b), Ok(LeaseAnswer::Stopped(_))));
    assert!(matches!(s.take_events().as_slice(), [Event::JobStopped(_)]));
}

#[test]
fn a_shard_in_hand_is_never_the_failure_that_stops_the_job() {
    let policy = Policy { losses: 1, ..policy() };
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
    assert_eq!(stop.unit, Some(stuck.unit));
}

#[test]
fn a_slow_write_of_the_coordinator_outlasts_a_lease() {
    let policy = Policy { losses: 1, ..policy() };
    let mut s = Scheduler::new(graph(&[(&[], 1)]), policy, 1, []).unwrap();
    let a = s.register(at(0), "a");
    let grant = s.must_grant(at(0), a);
    s.hold(at(75), grant.lease).unwrap();
    assert_eq!(s.next_deadline(), Some(at(135)));
    assert_eq!((s.take_events(), s.status()), (vec![], Status::Running));
}
