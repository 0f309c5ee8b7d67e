//! Which section a worker works in.

use super::*;

/// Sections 0 and 1 of 100 entries; then 2 and 3, which need one of them each.
const TWO: &[(&[u32], u64)] = &[(&[], 1), (&[], 1), (&[0], 8), (&[1], 8)];

fn two_open(fetch_speed: u64) -> (Scheduler, WorkerId) {
    let policy = Policy { fetch_speed, ..policy() };
    let mut s = Scheduler::new(graph(TWO), policy, 1, []).unwrap();
    let first = s.register(at(0), "first");
    for _ in 0..2 {
        let grant = s.must_grant(at(0), first);
        s.complete(at(0), grant.lease, shard("0")).unwrap();
    }
    (s, first)
}

fn section_of(s: &mut Scheduler, worker: WorkerId) -> u32 {
    s.must_grant(at(1), worker).range.section.0
}

#[test]
fn workers_spread_over_sections_and_stay_in_theirs() {
    let (mut s, a) = two_open(u64::MAX);
    let b = s.register(at(0), "b");
    let c = s.register(at(0), "c");
    assert_eq!([a, b, c].map(|w| section_of(&mut s, w)), [2, 3, 2]);
    // Not where most is left, but where their inputs are.
    assert_eq!([a, b, c].map(|w| section_of(&mut s, w)), [2, 3, 2]);
}

#[test]
fn a_worker_whose_section_is_used_up_helps_in_another() {
    let (mut s, a) = two_open(u64::MAX);
    let b = s.register(at(0), "b");
    assert_eq!(section_of(&mut s, b), 2);
    let finish = |s: &mut Scheduler, worker| {
        let grant = s.must_grant(at(1), worker);
        s.complete(at(1), grant.lease, shard("x")).unwrap();
        grant.range.section.0
    };
    assert_eq!([(); 8].map(|()| finish(&mut s, a)), [3; 8]);
    assert_eq!(finish(&mut s, a), 2);
}

#[test]
fn a_section_is_joined_only_while_fetching_pays() {
    // Eight units of 100 entries each, and 100 to fetch: with 2 entries fetched while one is
    // computed, a worker alone has 800 to do, four share 1600 : 400.
    let (mut s, a) = two_open(2);
    let mut granted = vec![section_of(&mut s, a)];
    let more: Vec<_> = (0..9).map(|i| s.register(at(0), &format!("w{i}"))).collect();
    let mut idle = None;
    for worker in more {
        match s.lease(at(1), worker).unwrap() {
            LeaseAnswer::Granted(grant) => granted.push(grant.range.section.0),
            LeaseAnswer::Idle(reason) => idle = Some((worker, reason)),
            other => panic!("{other:?}"),
        }
    }
    // Of 800 entries 500 are left when three are at work: a fourth would need 4 * 4 * 100.
    assert_eq!(granted, [2, 3, 2, 3, 2, 3]);
    let (waiting, reason) = idle.unwrap();
    assert_eq!(reason, Idle::Crowded { ready: 10 });
    assert!(reason.to_string().contains("10 units"), "{reason}");
    // Those at work go on, and when one goes, another may come.
    assert_eq!(section_of(&mut s, a), 2);
    s.worker_gone(at(1), a).unwrap();
    assert_eq!(section_of(&mut s, waiting), 2);
}

#[test]
fn a_section_nobody_works_in_is_open_to_everybody() {
    let (mut s, a) = two_open(0);
    let b = s.register(at(0), "b");
    let c = s.register(at(0), "c");
    assert_eq!([a, b].map(|w| section_of(&mut s, w)), [2, 3]);
    assert_eq!(s.must_idle(at(1), c), Idle::Crowded { ready: 14 });
    // Their leases run out without a word.
    let late = at(1 + LEASE);
    assert_eq!(s.must_grant(late, c).range.section.0, 2);
}
