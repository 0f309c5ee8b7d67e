//! Second leases of slow units.

use super::*;

#[test]
fn idle_workers_get_copies_of_the_slowest_unit() {
    let mut s = scheduler(&[(&[], 3)]);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| s.register(at(0), name));
    let fast = s.must_grant(at(0), a);
    let slow = s.must_grant(at(0), b);
    let slower = s.must_grant(at(0), c);
    s.heartbeat(at(9), fast.lease, 90).unwrap();
    s.heartbeat(at(9), slow.lease, 10).unwrap();
    s.heartbeat(at(9), slower.lease, 5).unwrap();
    // Too early to tell.
    assert_eq!(s.must_idle(at(9), d), Idle::AllRunning { running: 3 });
    s.complete(at(10), fast.lease, shard("fast")).unwrap();
    let copy = s.must_grant(at(10), d);
    assert_eq!((copy.unit, copy.kind), (slower.unit, GrantKind::Copy));
    let second = s.must_grant(at(10), a);
    assert_eq!((second.unit, second.kind), (slow.unit, GrantKind::Copy));
    // Every unit has its copy.
    assert_eq!(s.must_idle(at(30), a), Idle::AllRunning { running: 2 });
    assert_eq!(s.complete(at(31), copy.lease, shard("x")), Ok(CompleteAnswer::First));
    let ended = HeartbeatAnswer::Ended(Ended::Superseded);
    assert_eq!(s.heartbeat(at(32), slower.lease, 50), Ok(ended));
    // The loser of the other race fails; the unit is still running.
    s.fail(at(33), second.lease, "no").unwrap();
    assert_eq!(s.must_grant(at(33), d).kind, GrantKind::Copy);
}

#[test]
fn no_copy_where_a_fresh_start_cannot_overtake() {
    let mut s = scheduler(&[(&[], 2)]);
    let (a, b) = (s.register(at(0), "a"), s.register(at(0), "b"));
    let (first, second) = (s.must_grant(at(0), a), s.must_grant(at(0), b));
    s.heartbeat(at(20), second.lease, 80).unwrap();
    s.complete(at(20), first.lease, shard("0")).unwrap();
    // Pace 20 s a unit; 5 s are left of the other.
    assert_eq!(s.must_idle(at(20), a), Idle::AllRunning { running: 1 });
    // It makes no progress: at 100 s, 25 s are left at its pace.
    s.hold(at(70), second.lease).unwrap();
    assert_eq!(s.must_grant(at(100), a).kind, GrantKind::Copy);
}

#[test]
fn a_worker_gets_no_copy_of_its_own_unit() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    s.must_grant(at(0), a);
    assert_eq!(s.must_idle(at(50), a), Idle::AllRunning { running: 1 });
}
