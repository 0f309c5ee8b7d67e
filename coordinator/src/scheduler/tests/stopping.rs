//! How a job stops, and how it goes on.

use super::*;

fn stop_of(s: &Scheduler) -> Stop {
    match s.status() {
        Status::Stopped(stop) => stop.clone(),
        other => panic!("not stopped: {other:?}"),
    }
}

#[test]
fn a_cancelled_job_ends_its_leases_and_grants_none() {
    let mut s = scheduler(&[(&[], 3)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let (kept, dropped) = (s.must_grant(at(0), a), s.must_grant(at(0), b));
    s.cancel(at(1));
    let stop = Stop { unit: None, reason: StopReason::Cancelled };
    assert_eq!(s.take_events(), [Event::JobStopped(stop.clone())]);
    assert_eq!(stop.to_string(), "cancelled by a user");
    assert_eq!(s.lease(at(1), a), Ok(LeaseAnswer::Stopped(stop)));
    let ended = HeartbeatAnswer::Ended(Ended::JobStopped);
    assert_eq!(s.heartbeat(at(1), dropped.lease, 10), Ok(ended));
    assert_eq!(s.reclaim(at(1), b, dropped.unit), Ok(ReclaimAnswer::NotWanted));
    assert_eq!((s.next_deadline(), s.progress().units_running), (None, 0));
    // What was computed for nothing is not thrown away.
    assert_eq!(s.complete(at(2), kept.lease, shard("0")), Ok(CompleteAnswer::First));
    s.cancel(at(3));
    assert!(matches!(s.take_events().as_slice(), [Event::UnitDone { .. }]));
}

#[test]
fn a_cancelled_job_goes_on_when_it_is_resumed() {
    let mut s = scheduler(&[(&[], 2)]);
    let a = s.register(at(0), "a");
    let before = s.must_grant(at(0), a);
    s.cancel(at(1));
    assert_eq!(s.resume(at(2)), Ok(()));
    assert_eq!(s.resume(at(2)), Ok(()));
    let again = s.must_grant(at(2), a);
    assert_eq!(again.unit, before.unit);
    assert_ne!(again.lease, before.lease);
    s.complete(at(3), again.lease, shard("0")).unwrap();
    // Cancelled again, the last shard comes too late to be celebrated, and is there later.
    let last = s.must_grant(at(3), a);
    s.cancel(at(4));
    s.complete(at(5), last.lease, shard("1")).unwrap();
    assert!(matches!(s.status(), Status::Stopped(_)));
    assert!(!s.take_events().contains(&Event::JobFinished));
    s.resume(at(6)).unwrap();
    assert_eq!(s.take_events(), [Event::JobFinished]);
    // A finished job cannot be cancelled.
    s.cancel(at(7));
    assert_eq!(s.status(), Status::Finished);
}

#[test]
fn a_resumed_job_has_all_its_attempts_again() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    for round in 1..3_u64 {
        for attempt in 0..3 {
            assert_eq!(s.status(), Status::Running);
            let now = at(round * 1000 + attempt * 10);
            let grant = s.must_grant(now, a);
            s.fail(now, grant.lease, "no memory").unwrap();
        }
        let attempts = 3;
        let (worker, reason) = ("a".into(), "no memory".to_owned());
        let expected = StopReason::FailedTooOften { attempts, worker, reason };
        assert_eq!(stop_of(&s).reason, expected);
        s.resume(at(round * 1000 + 100)).unwrap();
    }
    let grant = s.must_grant(at(9000), a);
    s.complete(at(9000), grant.lease, shard("0")).unwrap();
    assert_eq!(s.status(), Status::Finished);
}

#[test]
fn open_leases_do_not_hide_why_the_job_stopped() {
    let mut s = Scheduler::new(graph(&[(&[], 4)]), Policy { attempts: 1, ..policy() }, 1, []);
    let s = s.as_mut().unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| s.register(at(0), name));
    let (bad, open, other) =
        (s.must_grant(at(0), a), s.must_grant(at(0), b), s.must_grant(at(0), c));
    s.fail(at(1), bad.lease, "bad sector").unwrap();
    let stop = stop_of(s);
    assert_eq!(stop.unit, Some(bad.unit));
    s.take_events();
    // A lease runs out, a worker goes, another reports a failure: nothing of it counts.
    s.fail(at(2), open.lease, "no memory").unwrap();
    s.worker_gone(at(3), c).unwrap();
    s.tick(at(500));
    let ended = HeartbeatAnswer::Ended(Ended::JobStopped);
    assert_eq!(s.heartbeat(at(501), other.lease, 1), Ok(ended));
    assert_eq!((s.take_events(), stop_of(s)), (vec![], stop));
}

#[test]
fn the_unit_that_stops_the_job_takes_the_leases_of_its_gone_worker_along() {
    let mut s = Scheduler::new(graph(&[(&[], 2)]), Policy { losses: 1, ..policy() }, 1, []);
    let s = s.as_mut().unwrap();
    let a = s.register(at(0), "a");
    let (first, second) = (s.must_grant(at(0), a), s.must_grant(at(0), a));
    s.worker_gone(at(1), a).unwrap();
    assert_eq!(stop_of(s).unit, Some(first.unit));
    let events = s.take_events();
    assert!(
        matches!(events.as_slice(), [Event::AttemptFailed { .. }, Event::JobStopped(_)]),
        "{events:?}"
    );
    let ended = HeartbeatAnswer::Ended(Ended::JobStopped);
    assert_eq!(s.heartbeat(at(1), second.lease, 1), Ok(ended));
}

#[test]
fn a_job_with_two_different_shards_never_goes_on() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let slow = s.must_grant(at(0), a);
    let other = s.must_grant(at(60), b);
    s.complete(at(61), other.lease, shard("right")).unwrap();
    // Wrong values are worse than a wish of a user.
    s.cancel(at(61));
    s.complete(at(62), slow.lease, shard("wrong")).unwrap();
    assert!(matches!(stop_of(&s).reason, StopReason::Conflict(_)));
    s.cancel(at(63));
    assert_eq!(s.resume(at(63)), Err(Refused::Untrusted(slow.unit)));
    assert!(matches!(stop_of(&s).reason, StopReason::Conflict(_)));
}
