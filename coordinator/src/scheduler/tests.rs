//! Every rule of the scheduler, step by step, with a fake clock.

use std::sync::Arc;
use std::time::Duration;

use retrotab_tablefmt::layout::{SectionId, UnitRange};

use super::*;
use crate::plan::SectionNode;

const LEASE: u64 = 60;
const COPY: u64 = 10;

pub(super) fn at(seconds: u64) -> Tick {
    Tick(Duration::from_secs(seconds))
}

pub(super) fn policy() -> Policy {
    Policy {
        lease_time: Duration::from_secs(LEASE),
        attempts: 3,
        leases_per_worker: 2,
        copy_after: Duration::from_secs(COPY),
        back_off: Duration::from_secs(1),
        longest_back_off: Duration::from_secs(4),
    }
}

/// Sections given by their needs and numbers of units of 100 entries.
pub(super) fn graph(sections: &[(&[u32], u64)]) -> Arc<Graph> {
    let nodes = sections.iter().map(|(needs, units)| SectionNode {
        needs: needs.iter().copied().map(SectionId).collect(),
        entries: units * 100,
    });
    let units = (0..).map(SectionId).zip(sections).flat_map(|(section, (_, units))| {
        (0..*units).map(move |i| UnitRange { section, first: i * 100, entries: 100 })
    });
    Arc::new(Graph::new(nodes.collect(), units.collect()).unwrap())
}

pub(super) fn scheduler(sections: &[(&[u32], u64)]) -> Scheduler {
    Scheduler::new(graph(sections), policy(), 1, []).unwrap()
}

pub(super) fn shard(text: &str) -> ShardDigest {
    ShardDigest::of(text.as_bytes())
}

impl Scheduler {
    pub(super) fn must_grant(&mut self, now: Tick, worker: WorkerId) -> Grant {
        match self.lease(now, worker) {
            Ok(LeaseAnswer::Granted(grant)) => grant,
            other => panic!("no lease: {other:?}"),
        }
    }

    fn must_idle(&mut self, now: Tick, worker: WorkerId) -> Idle {
        match self.lease(now, worker) {
            Ok(LeaseAnswer::Idle(idle)) => idle,
            other => panic!("not idle: {other:?}"),
        }
    }
}

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
    assert_eq!(grants.iter().map(|g| g.unit.0).collect::<Vec<_>>(), [1, 2, 3]);
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
    assert_eq!((stop.unit, &stop.reason), (UnitId(0), &StopReason::Conflict(Box::new(conflict))));
    let text = stop.to_string();
    assert!(text.contains("anna") && text.contains("bert"), "{text}");
    assert!(matches!(s.lease(at(63), b), Ok(LeaseAnswer::Stopped(_))));
    assert!(matches!(s.take_events().as_slice(), [Event::JobStopped(_)]));
}

#[test]
fn a_unit_that_keeps_failing_stops_the_job_with_worker_and_reason() {
    let mut s = scheduler(&[(&[], 1)]);
    let a = s.register(at(0), "a");
    let first = s.must_grant(at(0), a);
    s.fail(at(0), first.lease, "out of memory").unwrap();
    assert_eq!(s.must_idle(at(0), a), Idle::BackingOff { until: at(1) });
    let second = s.must_grant(at(1), a);
    s.tick(at(61));
    let third = s.must_grant(at(61), a);
    assert_ne!(first.lease, second.lease);
    assert_eq!(s.status(), Status::Running);
    s.fail(at(61), third.lease, "bad sector").unwrap();
    let Status::Stopped(stop) = s.status() else { panic!("{:?}", s.status()) };
    let worker = WorkerName::from("a");
    let reason = "bad sector".to_owned();
    let expected = StopReason::FailedTooOften { attempts: 3, worker, reason };
    assert_eq!((stop.unit, &stop.reason), (UnitId(0), &expected));
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
