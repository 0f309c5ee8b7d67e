//! A fleet of workers on a simulated network, driving the real scheduler event by event.
//!
//! A worker fetches the inputs of one unit, computes another and sends the shards of earlier
//! ones, all at the same time, as far as its leases allow. It keeps the section below that
//! all units of a section need, for the section it fetched for last.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use retrotab_coordinator::ids::{LeaseId, ShardDigest, Tick, WorkerId};
use retrotab_coordinator::plan::Graph;
use retrotab_coordinator::scheduler::{
    Event as Decided, HeartbeatAnswer, LeaseAnswer, Policy, Scheduler, Status,
};
use retrotab_tablefmt::layout::{SectionId, UnitRange};

use crate::costs::Costs;
use crate::faults::{Faults, RESTART, SILENCE, STALL};
use crate::link::{Flow, Link};

/// What to simulate.
pub struct Setup {
    /// The units.
    pub graph: Arc<Graph>,
    /// What they cost.
    pub costs: Costs,
    /// By which numbers the scheduler decides.
    pub policy: Policy,
    /// What goes wrong.
    pub faults: Faults,
    /// Number of workers.
    pub workers: usize,
    /// Fixes everything that is random.
    pub seed: u64,
}

/// What came out.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Simulated seconds until the last unit was done.
    pub makespan: f64,
    /// Bytes of inputs that workers fetched.
    pub fetched: f64,
    /// Calls of the scheduler.
    pub decisions: u64,
    /// Real seconds spent in them.
    pub deciding: f64,
    /// The longest of them, in real seconds.
    pub slowest: f64,
    /// Shards that were the first of their unit.
    pub units: u64,
    /// Leases that ended without a result.
    pub lost: u64,
    /// Shards of units that were done already.
    pub repeated: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Poll(usize),
    Heartbeat(usize),
    Computed(usize, LeaseId),
    Stored(usize, LeaseId),
    Silent(WorkerId),
    Back(usize),
    LinkOut(u64),
    LinkIn(u64),
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Leased,
    Fetching(Flow),
    Fetched,
    Computing { since: f64 },
    Sending(Flow),
    Storing,
}

struct Task {
    lease: LeaseId,
    unit: UnitRange,
    stage: Stage,
}

struct Machine {
    id: WorkerId,
    speed: f64,
    tasks: Vec<Task>,
    kept: Option<SectionId>,
    /// Does and says nothing before.
    stalled_until: f64,
    polling: bool,
    alive: bool,
}

/// The simulation.
pub struct Fleet {
    setup: Setup,
    scheduler: Scheduler,
    rng: Rng,
    now: f64,
    queue: BinaryHeap<Reverse<(u64, u64, What)>>,
    sequence: u64,
    machines: Vec<Machine>,
    out: Link,
    into: Link,
    flows_out: HashMap<Flow, (usize, LeaseId)>,
    flows_in: HashMap<Flow, (usize, LeaseId)>,
    store_free: f64,
    outcome: Outcome,
}

impl Fleet {
    /// Runs a job to its end.
    ///
    /// # Panics
    /// If the job stops, or never ends: the scheduler or the simulation is wrong.
    pub fn run(setup: Setup) -> Outcome {
        let scheduler = Scheduler::new(setup.graph.clone(), setup.policy.clone(), 1, []);
        let link = || Link::new(setup.costs.link);
        let mut fleet = Fleet {
            scheduler: scheduler.expect("no unit is done"),
            rng: Rng::with_seed(setup.seed),
            now: 0.0,
            queue: BinaryHeap::new(),
            sequence: 0,
            machines: Vec::new(),
            out: link(),
            into: link(),
            flows_out: HashMap::new(),
            flows_in: HashMap::new(),
            store_free: 0.0,
            outcome: Outcome::default(),
            setup,
        };
        for number in 0..fleet.setup.workers {
            fleet.appear(number);
        }
        while fleet.scheduler.status() == Status::Running {
            fleet.step();
        }
        let Status::Finished = fleet.scheduler.status() else {
            panic!("{:?}", fleet.scheduler.status());
        };
        let (makespan, fetched) = (fleet.now, fleet.out.carried);
        Outcome { makespan, fetched, ..fleet.outcome }
    }

    fn step(&mut self) {
        let Reverse((at, _, what)) = self.queue.pop().expect("somebody always polls");
        self.now = f64::from_bits(at);
        match what {
            What::Poll(number) => {
                self.machines[number].polling = false;
                self.poll(number);
            }
            What::Heartbeat(number) => self.heartbeat(number),
            What::Computed(number, lease) => self.computed(number, lease),
            What::Stored(number, lease) => self.stored(number, lease),
            What::Silent(id) => _ = self.ask(|s, now| s.worker_gone(now, id)),
            What::Back(number) => self.appear(number),
            What::LinkOut(watch) if watch == self.out.watch => {
                while let Some(flow) = self.out.ended(self.now) {
                    self.fetched(flow);
                }
                self.watch_links();
            }
            What::LinkIn(watch) if watch == self.into.watch => {
                while let Some(flow) = self.into.ended(self.now) {
                    self.sent(flow);
                }
                self.watch_links();
            }
            // The transfers have changed since.
            What::LinkOut(_) | What::LinkIn(_) => {}
        }
    }

    fn at(&mut self, time: f64, what: What) {
        self.sequence += 1;
        self.queue.push(Reverse((time.to_bits(), self.sequence, what)));
    }

    /// Looks at the links again when their next transfers end.
    fn watch_links(&mut self) {
        if let Some((end, watch)) = self.out.new_watch() {
            self.at(end.max(self.now), What::LinkOut(watch));
        }
        if let Some((end, watch)) = self.into.new_watch() {
            self.at(end.max(self.now), What::LinkIn(watch));
        }
    }

    /// One call of the scheduler, timed; its events are counted and dropped.
    fn ask<T>(&mut self, call: impl FnOnce(&mut Scheduler, Tick) -> T) -> T {
        let now = Tick(Duration::from_secs_f64(self.now));
        let begin = Instant::now();
        let answer = call(&mut self.scheduler, now);
        let events = self.scheduler.take_events();
        let took = begin.elapsed().as_secs_f64();
        self.outcome.decisions += 1;
        self.outcome.deciding += took;
        self.outcome.slowest = self.outcome.slowest.max(took);
        for event in events {
            match event {
                Decided::AttemptFailed { .. } => self.outcome.lost += 1,
                Decided::UnitDone { .. } => self.outcome.units += 1,
                _ => {}
            }
        }
        answer
    }

    fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.rng.f64() < probability
    }

    fn appear(&mut self, number: usize) {
        let id = self.ask(|s, now| s.register(now, &format!("worker {number}")));
        let speed = if self.chance(self.setup.faults.slow) { 0.1 } else { 1.0 };
        let machine = Machine {
            id,
            speed: speed * self.setup.costs.compute,
            tasks: Vec::new(),
            kept: None,
            stalled_until: 0.0,
            polling: false,
            alive: true,
        };
        match self.machines.get_mut(number) {
            Some(slot) => *slot = machine,
            None => self.machines.push(machine),
        }
        // Not all at the same moment.
        let first = self.now + self.setup.costs.heartbeat * self.rng.f64();
        self.at(first, What::Heartbeat(number));
        self.poll(number);
    }

    /// Leases what the worker may hold.
    fn poll(&mut self, number: usize) {
        while self.machines[number].alive {
            let id = self.machines[number].id;
            match self.ask(|s, now| s.lease(now, id)).expect("the worker is registered") {
                LeaseAnswer::Granted(grant) => {
                    let (lease, unit) = (grant.lease, grant.range);
                    self.machines[number].tasks.push(Task { lease, unit, stage: Stage::Leased });
                }
                LeaseAnswer::Idle(_) => {
                    if !self.machines[number].polling {
                        self.machines[number].polling = true;
                        let retry = self.now + self.setup.costs.retry;
                        self.at(retry, What::Poll(number));
                    }
                    break;
                }
                LeaseAnswer::Finished | LeaseAnswer::Stopped(_) => return,
            }
        }
        self.go_on(number);
    }

    /// Begins the next fetch and the next unit, if the worker is free for them.
    fn go_on(&mut self, number: usize) {
        let machine = &mut self.machines[number];
        let busy = |machine: &Machine, is: fn(&Stage) -> bool| {
            machine.tasks.iter().any(|task| is(&task.stage))
        };
        if !busy(machine, |stage| matches!(stage, Stage::Fetching(_)))
            && let Some(task) = machine.tasks.iter_mut().find(|t| t.stage == Stage::Leased)
        {
            let mut entries = Costs::window(&self.setup.graph, task.unit);
            if machine.kept != Some(task.unit.section) {
                entries += Costs::kept(&self.setup.graph, task.unit.section);
                machine.kept = Some(task.unit.section);
            }
            let flow = self.out.begin(self.now, entries * self.setup.costs.entry_bytes);
            task.stage = Stage::Fetching(flow);
            self.flows_out.insert(flow, (number, task.lease));
        }
        let machine = &mut self.machines[number];
        if !busy(machine, |stage| matches!(stage, Stage::Computing { .. }))
            && let Some(task) = machine.tasks.iter_mut().find(|t| t.stage == Stage::Fetched)
        {
            task.stage = Stage::Computing { since: self.now };
            let (lease, takes) = (task.lease, task.unit.entries as f64 / machine.speed);
            let stalls = self.chance(self.setup.faults.stall);
            let delay = if stalls { STALL } else { 0.0 };
            self.machines[number].stalled_until = self.now + delay;
            self.at(self.now + takes + delay, What::Computed(number, lease));
        }
        self.watch_links();
    }

    fn task(&mut self, number: usize, lease: LeaseId) -> Option<&mut Task> {
        self.machines[number].tasks.iter_mut().find(|task| task.lease == lease)
    }

    fn fetched(&mut self, flow: Flow) {
        let Some((number, lease)) = self.flows_out.remove(&flow) else { return };
        if let Some(task) = self.task(number, lease) {
            task.stage = Stage::Fetched;
            self.go_on(number);
        }
    }

    fn computed(&mut self, number: usize, lease: LeaseId) {
        let bytes = self.setup.costs.entry_bytes;
        let Some(task) = self.task(number, lease) else { return };
        let bytes = task.unit.entries as f64 * bytes;
        if self.chance(self.setup.faults.crash) {
            return self.crash(number);
        }
        if self.chance(self.setup.faults.failure) {
            self.ask(|s, now| s.fail(now, lease, "no memory")).expect("the lease is known");
            self.forget(number, lease);
            return self.poll(number);
        }
        let flow = self.into.begin(self.now, bytes);
        self.flows_in.insert(flow, (number, lease));
        if let Some(task) = self.task(number, lease) {
            task.stage = Stage::Sending(flow);
        }
        self.go_on(number);
    }

    fn sent(&mut self, flow: Flow) {
        let Some((number, lease)) = self.flows_in.remove(&flow) else { return };
        let Some(task) = self.task(number, lease) else { return };
        task.stage = Stage::Storing;
        self.store_free = self.store_free.max(self.now) + self.setup.costs.store;
        self.at(self.store_free, What::Stored(number, lease));
    }

    fn stored(&mut self, number: usize, lease: LeaseId) {
        let Some(task) = self.task(number, lease) else { return };
        let shard = ShardDigest::of(&task.unit.first.to_le_bytes());
        let before = self.outcome.units;
        self.ask(|s, now| s.complete(now, lease, shard)).expect("the lease is known");
        self.outcome.repeated += u64::from(self.outcome.units == before);
        if self.chance(self.setup.faults.duplicate) {
            self.ask(|s, now| s.complete(now, lease, shard)).expect("the lease is known");
            self.outcome.repeated += 1;
        }
        self.forget(number, lease);
        if self.chance(self.setup.faults.leave) {
            return self.leave(number);
        }
        self.poll(number);
    }

    /// Says how far the units are, and drops those whose leases have ended.
    fn heartbeat(&mut self, number: usize) {
        let machine = &self.machines[number];
        if !machine.alive {
            return;
        }
        if self.now >= machine.stalled_until {
            let (now, speed) = (self.now, machine.speed);
            let reached = |task: &Task| match task.stage {
                Stage::Computing { since } => ((now - since) * speed) as u64,
                Stage::Sending(_) | Stage::Storing => u64::MAX,
                _ => 0,
            };
            let told: Vec<_> =
                machine.tasks.iter().map(|t| (t.lease, reached(t), t.stage)).collect();
            for (lease, entries, stage) in told {
                let answer = match stage {
                    Stage::Fetching(flow) => {
                        let bytes = self.out.moved(self.now, flow);
                        let entries = (bytes / self.setup.costs.entry_bytes) as u64;
                        self.ask(|s, now| s.fetching(now, lease, entries))
                    }
                    _ => self.ask(|s, now| s.heartbeat(now, lease, entries)),
                };
                if let Ok(HeartbeatAnswer::Ended(_)) | Err(_) = answer {
                    self.forget(number, lease);
                }
            }
            self.poll(number);
        }
        self.at(self.now + self.setup.costs.heartbeat, What::Heartbeat(number));
    }

    fn forget(&mut self, number: usize, lease: LeaseId) {
        let tasks = &mut self.machines[number].tasks;
        let Some(place) = tasks.iter().position(|task| task.lease == lease) else { return };
        match tasks.remove(place).stage {
            Stage::Fetching(flow) => {
                self.out.drop(self.now, flow);
                // It may have been the section that all units need.
                self.machines[number].kept = None;
            }
            Stage::Sending(flow) => self.into.drop(self.now, flow),
            _ => {}
        }
    }

    fn forget_all(&mut self, number: usize) {
        for lease in self.machines[number].tasks.iter().map(|t| t.lease).collect::<Vec<_>>() {
            self.forget(number, lease);
        }
        self.machines[number].alive = false;
        self.watch_links();
    }

    fn crash(&mut self, number: usize) {
        self.forget_all(number);
        self.at(self.now + SILENCE, What::Silent(self.machines[number].id));
        self.at(self.now + RESTART, What::Back(number));
    }

    fn leave(&mut self, number: usize) {
        let id = self.machines[number].id;
        self.ask(|s, now| s.worker_left(now, id)).expect("the worker is registered");
        self.forget_all(number);
        self.at(self.now + RESTART, What::Back(number));
    }
}
