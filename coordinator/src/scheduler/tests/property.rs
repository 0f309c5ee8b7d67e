//! Random events, and the promises that must hold after each of them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// Something that happens to the scheduler; numbers pick among what exists.
#[derive(Debug, Clone)]
enum Step {
    Register,
    Lease(usize),
    Heartbeat(usize, u64),
    Fetching(usize, u64),
    Complete(usize),
    Fail(usize),
    Release(usize),
    Gone(usize),
    Left(usize),
    Cancel,
    Resume,
    Reclaim(usize, u32),
    Reopen(u32),
    Pass(u64),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Register),
        6 => any::<usize>().prop_map(Step::Lease),
        3 => (any::<usize>(), 0_u64..120).prop_map(|(lease, entries)| Step::Heartbeat(lease, entries)),
        2 => (any::<usize>(), 0_u64..500).prop_map(|(lease, entries)| Step::Fetching(lease, entries)),
        4 => any::<usize>().prop_map(Step::Complete),
        1 => any::<usize>().prop_map(Step::Fail),
        1 => any::<usize>().prop_map(Step::Release),
        1 => any::<usize>().prop_map(Step::Gone),
        1 => any::<usize>().prop_map(Step::Left),
        1 => Just(Step::Cancel),
        2 => Just(Step::Resume),
        1 => (any::<usize>(), 0_u32..20).prop_map(|(worker, unit)| Step::Reclaim(worker, unit)),
        1 => (0_u32..20).prop_map(Step::Reopen),
        4 => (0_u64..40).prop_map(Step::Pass),
        1 => Just(Step::Restart),
    ]
}

/// Sections that need some of the earlier ones, with 1 to 4 units each.
fn sections() -> impl Strategy<Value = Vec<(Vec<u32>, u64)>> {
    prop::collection::vec((any::<u32>(), 1_u64..5), 1..6).prop_map(|raw| {
        let needs = |i: usize, bits: u32| (0..i as u32).filter(|j| bits >> j & 1 == 1).collect();
        raw.iter().enumerate().map(|(i, &(bits, units))| (needs(i, bits), units)).collect()
    })
}

/// Failures never stop the job.
fn patient(fetch_speed: u64) -> Policy {
    Policy { attempts: 1000, losses: 1000, fetch_speed, ..Policy::default() }
}

/// Drives a scheduler and remembers, in the simplest way, what must be true.
struct Driver {
    scheduler: Scheduler,
    graph: Arc<Graph>,
    now: Tick,
    workers: Vec<WorkerId>,
    grants: Vec<Grant>,
    done: HashSet<UnitId>,
    /// Failures and losses.
    failed: HashMap<UnitId, [u32; 2]>,
    cancelled: bool,
    policy: Policy,
    openings: u64,
}

impl Driver {
    fn new(sections: &[(Vec<u32>, u64)], fetch_speed: u64) -> Driver {
        let policy = patient(fetch_speed);
        let sections: Vec<(&[u32], u64)> =
            sections.iter().map(|(needs, units)| (needs.as_slice(), *units)).collect();
        let graph = graph(&sections);
        let mut scheduler = Scheduler::new(graph.clone(), policy.clone(), 1, []).unwrap();
        let workers = vec![scheduler.register(Tick::default(), "first")];
        Driver {
            scheduler,
            graph,
            now: Tick::default(),
            workers,
            grants: vec![],
            done: HashSet::new(),
            failed: HashMap::new(),
            cancelled: false,
            policy,
            openings: 1,
        }
    }

    /// The coordinator dies and starts again: what is done stays, all else is forgotten. Old
    /// grants are kept, for their holders will come back.
    fn restart(&mut self) {
        self.openings += 1;
        let result = |unit: &UnitId| Some((*unit, self.scheduler.result(*unit)?.clone()));
        let done: Vec<_> = self.done.iter().filter_map(result).collect();
        self.scheduler =
            Scheduler::new(self.graph.clone(), self.policy.clone(), self.openings, done).unwrap();
        self.now = Tick::default();
        self.workers.clear();
        self.failed.clear();
        self.cancelled = false;
    }

    fn resume(&mut self) {
        self.scheduler.resume(self.now).unwrap();
        if std::mem::take(&mut self.cancelled) {
            self.failed.clear();
            self.scheduler.take_events();
        }
    }

    fn worker(&self, pick: usize) -> Option<WorkerId> {
        (!self.workers.is_empty()).then(|| self.workers[pick % self.workers.len()])
    }

    fn held(&self, pick: usize) -> Option<Grant> {
        (!self.grants.is_empty()).then(|| self.grants[pick % self.grants.len()])
    }

    fn needs_complete(&self, unit: UnitId) -> bool {
        let needs = &self.graph.section(self.graph.range(unit).section).needs;
        needs.iter().all(|need| self.graph.units_of(*need).all(|u| self.done.contains(&u)))
    }

    fn check_grant(&mut self, grant: Grant) {
        assert!(!self.done.contains(&grant.unit), "a done unit went out");
        // Copies and reclaims follow a first lease, which had its needs.
        if grant.kind == GrantKind::Ready {
            assert!(self.needs_complete(grant.unit), "a unit went out before its needs");
        }
        if grant.kind == GrantKind::Copy {
            assert_eq!(self.scheduler.frontier.ready().next(), None, "a copy before a first");
        }
        assert_eq!(grant.range, self.graph.range(grant.unit));
        let known = self.grants.iter().find(|g| g.lease == grant.lease);
        let again = known.is_none_or(|g| g.unit == grant.unit);
        assert!(again && (known.is_none() || grant.kind == GrantKind::Reclaimed));
        self.grants.push(grant);
    }

    fn lease(&mut self, worker: WorkerId) {
        match self.scheduler.lease(self.now, worker).unwrap() {
            LeaseAnswer::Granted(grant) => self.check_grant(grant),
            LeaseAnswer::Finished => assert_eq!(self.done.len(), self.graph.units().len()),
            LeaseAnswer::Idle(Idle::Crowded { ready }) => self.check_crowded(ready),
            LeaseAnswer::Idle(_) => {}
            LeaseAnswer::Stopped(stop) => assert!(self.cancelled, "stopped: {stop}"),
        }
    }

    /// Ready units may wait only where somebody is at work.
    fn check_crowded(&self, ready: u32) {
        let ready_units: Vec<_> = self.scheduler.frontier.ready().collect();
        assert!(ready > 0 && ready as usize == ready_units.len());
        for unit in ready_units {
            let mut units = self.graph.units_of(self.graph.range(unit).section);
            assert!(units.any(|u| self.scheduler.frontier.is_running(u)), "nobody is at work");
        }
    }

    /// Compares what the choice of a section looks at with a count of everything.
    fn check_sections(&self) {
        let (frontier, leases) = (&self.scheduler.frontier, &self.scheduler.leases);
        for section in self.graph.sections() {
            let units = || self.graph.units_of(section);
            let ready: Vec<_> = units().filter(|u| frontier.is_ready(*u)).collect();
            assert_eq!(frontier.ready_of(section).collect::<Vec<_>>(), ready);
            let entries: u64 = ready.iter().map(|u| self.graph.range(*u).entries).sum();
            assert_eq!(frontier.entries_ready(section), entries);
            assert_eq!(frontier.ready_sections().any(|s| s == section), entries > 0);
            let active = units().flat_map(|u| leases.of_unit(u).to_vec());
            let holders: HashSet<_> = active.map(|id| leases.get(id).unwrap().worker).collect();
            assert_eq!(self.scheduler.workers.in_section(section) as usize, holders.len());
        }
    }

    fn complete(&mut self, grant: Grant) {
        let digest = shard(&grant.unit.0.to_string());
        let answer = match self.scheduler.complete(self.now, grant.lease, digest) {
            Ok(answer) => answer,
            // Given back, or from before a restart.
            Err(refused) => return assert_eq!(refused, Refused::UnknownLease(grant.lease)),
        };
        let first = self.done.insert(grant.unit);
        assert_eq!(answer == CompleteAnswer::First, first, "{answer:?}");
    }

    fn act(&mut self, step: &Step) {
        let now = self.now;
        match *step {
            Step::Register => self.workers.push(self.scheduler.register(now, "more")),
            Step::Lease(pick) => {
                if let Some(worker) = self.worker(pick) {
                    self.lease(worker);
                }
            }
            Step::Reclaim(pick, unit) => {
                let Some(worker) = self.worker(pick) else { return };
                if let Ok(ReclaimAnswer::Granted(grant)) =
                    self.scheduler.reclaim(now, worker, UnitId(unit))
                {
                    self.check_grant(grant);
                }
            }
            Step::Reopen(unit) => {
                if self.scheduler.reopen(now, UnitId(unit)).is_ok() {
                    self.done.remove(&UnitId(unit));
                }
            }
            Step::Gone(pick) => {
                if let Some(worker) = self.worker(pick) {
                    self.scheduler.worker_gone(now, worker).unwrap();
                    self.workers.retain(|w| *w != worker);
                }
            }
            Step::Left(pick) => {
                if let Some(worker) = self.worker(pick) {
                    self.scheduler.worker_left(now, worker).unwrap();
                    self.workers.retain(|w| *w != worker);
                }
            }
            Step::Cancel => {
                self.cancelled |= self.scheduler.status() == Status::Running;
                self.scheduler.cancel(now);
            }
            Step::Resume => self.resume(),
            Step::Restart => self.restart(),
            Step::Pass(seconds) => {
                self.now = now + Duration::from_secs(seconds);
                self.scheduler.tick(self.now);
            }
            Step::Heartbeat(pick, _)
            | Step::Fetching(pick, _)
            | Step::Complete(pick)
            | Step::Fail(pick)
            | Step::Release(pick) => {
                if let Some(grant) = self.held(pick) {
                    self.act_on(step, grant);
                }
            }
        }
    }

    /// The answers of heartbeats, failures and releases are free; what counts is the state.
    fn act_on(&mut self, step: &Step, grant: Grant) {
        let (s, now) = (&mut self.scheduler, self.now);
        match *step {
            Step::Heartbeat(_, entries) => _ = s.heartbeat(now, grant.lease, entries),
            Step::Fetching(_, entries) => _ = s.fetching(now, grant.lease, entries),
            Step::Fail(_) => _ = s.fail(now, grant.lease, "no"),
            Step::Release(_) => _ = s.release(now, grant.lease),
            _ => self.complete(grant),
        }
    }

    /// Compares the scheduler's counts with the plain ones.
    fn check(&mut self) {
        for event in self.scheduler.take_events() {
            if let Event::AttemptFailed { unit, ended, .. } = event {
                let lost = usize::from(ended != Ended::Failed);
                self.failed.entry(unit).or_default()[lost] += 1;
            }
        }
        for unit in self.graph.units() {
            let (frontier, leases) = (&self.scheduler.frontier, &self.scheduler.leases);
            assert_eq!(frontier.is_done(unit), self.done.contains(&unit));
            assert_eq!(self.scheduler.result(unit).is_some(), self.done.contains(&unit));
            let active = leases.of_unit(unit).len();
            assert_eq!(frontier.is_running(unit), active > 0, "a unit is lost or held twice");
            assert!(active <= LEASES_PER_UNIT);
            let holder = |lease: &LeaseId| leases.get(*lease).unwrap().worker;
            let holders: HashSet<_> = leases.of_unit(unit).iter().map(holder).collect();
            assert_eq!(holders.len(), active, "a worker has a unit twice");
            let waiting = !frontier.is_done(unit) && !frontier.is_running(unit);
            assert_eq!(frontier.is_ready(unit), waiting && self.needs_complete(unit));
            let failed = self.failed.get(&unit).copied().unwrap_or_default();
            let Unit { failures, losses, .. } = self.scheduler.units[unit.0 as usize];
            assert_eq!([failures, losses], failed);
        }
        self.check_sections();
        let held: usize = self.scheduler.workers.iter().map(|(_, w)| w.held()).sum();
        let active: usize =
            self.graph.units().map(|u| self.scheduler.leases.of_unit(u).len()).sum();
        assert_eq!(held, active);
        assert!(active == 0 || !self.cancelled, "a stopped job has leases");
        assert_eq!(matches!(self.scheduler.status(), Status::Stopped(_)), self.cancelled);
        let progress = self.scheduler.progress();
        assert_eq!(progress.units_done as usize, self.done.len());
        let entries_done: u64 = self.done.iter().map(|u| self.graph.range(*u).entries).sum();
        assert_eq!(progress.entries_done, entries_done);
        assert!(progress.entries_done + progress.entries_running <= progress.entries);
    }

    /// From now on one good worker: the job must come to its end.
    fn behave(&mut self) {
        self.resume();
        let good = self.scheduler.register(self.now, "good");
        for _ in 0..10_000 {
            let before = self.grants.len();
            self.lease(good);
            match self.grants.get(before).copied() {
                Some(grant) => self.complete(grant),
                None if self.scheduler.status() == Status::Finished => return,
                None => self.now = self.now + Duration::from_secs(1),
            }
            self.check();
        }
        panic!("the job does not finish: {:?}", self.scheduler.progress());
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_and_every_job_finishes(
        sections in sections(),
        steps in prop::collection::vec(step(), 0..150),
        fetch_speed in prop::sample::select(vec![0, 1, 5, u64::MAX]),
    ) {
        let mut driver = Driver::new(&sections, fetch_speed);
        for step in &steps {
            driver.act(step);
            driver.check();
        }
        driver.behave();
    }
}
