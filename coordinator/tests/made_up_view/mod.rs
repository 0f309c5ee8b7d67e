//! A view that is changed by hand: a 3-stack job with its real sections and units, done in the
//! order a coordinator would hand them out.

#![allow(dead_code)] // Each user takes its part of it.

use std::sync::{Mutex, MutexGuard};

use retrotab_coordinator::clock::unix_millis;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::view::View;
use retrotab_proto::v1;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

/// Units that are being computed at a time, with how far each is.
const RUNNING: [f64; 3] = [0.7, 0.45, 0.1];

/// Entries a second of one made-up worker.
pub const RATE: f64 = 14.8e6;

/// What can be changed.
#[derive(Default)]
pub struct World {
    pub jobs: Vec<v1::GetJobResponse>,
    pub workers: Vec<v1::WorkerInfo>,
    /// Why the coordinator is not ready; empty if it is.
    pub trouble: String,
}

/// The view.
#[derive(Default)]
pub struct MadeUp {
    world: Mutex<World>,
}

impl MadeUp {
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    /// One half-done 3-stack job with three workers.
    pub fn half_done() -> MadeUp {
        let made_up = MadeUp::default();
        {
            let mut world = made_up.world();
            world.jobs = vec![stack_job(3, 12, 0.0)];
            world.workers = ["ant", "bee", "cricket"].iter().zip(1..).map(worker).collect();
        }
        made_up.progress(0.57);
        made_up.story();
        made_up
    }

    /// So much of the first job is done.
    pub fn progress(&self, share: f64) {
        let mut world = self.world();
        let rate = world.workers.iter().map(|worker| worker.entries_per_second).sum();
        let old = world.jobs[0].job.clone().unwrap();
        let mut job = stack_job(3, 12, share);
        job.events = std::mem::take(&mut world.jobs[0].events);
        let new = job.job.as_mut().unwrap();
        new.created_unix_seconds = old.created_unix_seconds;
        new.entries_per_second = rate;
        let left = new.entries - new.entries_done - new.entries_running;
        new.eta_seconds = (rate > 0.0).then(|| left as f64 / rate);
        world.jobs[0] = job;
    }

    /// Something happens in the first job.
    pub fn happen(&self, text: &str, kind: EventKind, seconds_ago: u64) {
        let unix_millis = unix_millis() - 1000 * seconds_ago;
        let warning = matches!(kind, EventKind::Warning);
        let event = v1::JobEvent { unix_millis, text: text.to_owned(), warning };
        self.world().jobs[0].events.push(event);
    }

    fn story(&self) {
        use EventKind::{Plain, Warning};
        self.happen("submitted: 204 units in 91 sections", Plain, 74);
        self.happen("worker ant registered with 2 threads", Plain, 70);
        self.happen("worker bee registered with 2 threads", Plain, 69);
        self.happen("worker dragonfly registered with 4 threads", Plain, 66);
        self.happen("section 6,3 is complete", Plain, 48);
        let gone = "the lease of worker dragonfly on unit 66 expired: no progress for 30 s; the \
                    unit goes out again";
        self.happen(gone, Warning, 31);
        self.happen("worker cricket registered with 2 threads", Plain, 27);
        self.happen("section 6,6 is complete", Plain, 20);
        self.happen("section 7,5 is complete", Plain, 12);
        self.happen("section 8,4 is complete", Plain, 3);
    }
}

/// Whether somebody should look at an event.
#[derive(Clone, Copy)]
pub enum EventKind {
    Plain,
    Warning,
}

/// A worker that is computing.
pub fn worker((name, id): (&&str, u64)) -> v1::WorkerInfo {
    v1::WorkerInfo {
        worker: id,
        name: format!("{name}/4{id}17"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        threads: 2,
        memory: 4 << 30,
        address: format!("10.0.0.{}:5110{id}", 10 + id),
        leases: 1,
        units_done: 30 + 7 * id as u32,
        entries_per_second: RATE + 0.4e6 * id as f64,
        silent_seconds: 0.6 * id as f64,
        doing: format!("computing unit {}", 115 + id),
    }
}

/// A job for a stack table, of which a share is done.
pub fn stack_job(stacks: u8, cards: u8, share: f64) -> v1::GetJobResponse {
    let (of_stacks, of_cards) = (Stacks::try_from(stacks), Cards::try_from(cards));
    let (stacks_, cards_) = (of_stacks.unwrap(), of_cards.unwrap());
    let spec = StackSpec { stacks: stacks_, cards: cards_, rule: Rule::Sorted };
    let plan = Plan::new(TableSpec::Stack(spec), UnitSize::Automatic).unwrap();
    let sections = sections(&plan, share);
    let sum = |of: fn(&v1::SectionStatus) -> u64| sections.iter().map(of).sum::<u64>();
    let done = sum(|section| section.entries_done);
    let finished = done == plan.graph().entries();
    let running = if finished { 0 } else { RUNNING.len() as u32 };
    let phase = if finished { v1::JobPhase::Finished } else { v1::JobPhase::Running };
    let summary = v1::JobSummary {
        job_digest: plan.digest().0.to_vec(),
        name: format!("stack{stacks}"),
        table: format!("stack game, {stacks} stacks, {cards} cards, rule sorted-1"),
        phase: phase.into(),
        units: plan.graph().unit_count(),
        units_done: sections.iter().map(|section| section.units_done).sum(),
        units_running: running,
        entries: plan.graph().entries(),
        entries_done: done,
        entries_running: sum(|section| section.entries_running),
        stored_bytes: done * 4 / 3,
        created_unix_seconds: unix_millis() / 1000 - 74,
        ..v1::JobSummary::default()
    };
    v1::GetJobResponse { job: Some(summary), sections, events: Vec::new() }
}

/// Units are done one level after the other, as far as the share goes; the next are running.
fn sections(plan: &Plan, share: f64) -> Vec<v1::SectionStatus> {
    let (graph, layout) = (plan.graph(), plan.layout());
    let mut sections: Vec<_> = graph.sections().map(|id| blank(plan, id)).collect();
    let level = |section: u32| {
        let name = &layout.sections[section as usize].name;
        name.split(',').map(|part| part.parse::<u32>().unwrap()).sum::<u32>()
    };
    let mut units: Vec<_> = graph.units().map(|unit| graph.range(unit)).collect();
    units.sort_by_key(|range| level(range.section.0));
    let (mut done, wanted) = (0, (share * graph.entries() as f64) as u64);
    let mut units = units.into_iter().peekable();
    while let Some(unit) = units.next_if(|unit| done + unit.entries <= wanted) {
        let section = &mut sections[unit.section.0 as usize];
        section.units_done += 1;
        section.entries_done += unit.entries;
        done += unit.entries;
    }
    for (unit, share) in units.zip(RUNNING) {
        let computed = (unit.entries as f64 * share) as u64;
        sections[unit.section.0 as usize].entries_running += computed;
    }
    for id in graph.sections() {
        let complete = |i: usize, all: &[v1::SectionStatus]| all[i].units_done == all[i].units;
        let open = graph.section(id).needs.iter().all(|need| complete(need.0 as usize, &sections));
        let phase = match (complete(id.0 as usize, &sections), open) {
            (true, _) => v1::SectionPhase::Complete,
            (false, true) => v1::SectionPhase::Open,
            (false, false) => v1::SectionPhase::Blocked,
        };
        sections[id.0 as usize].phase = phase.into();
    }
    sections
}

fn blank(plan: &Plan, id: retrotab_tablefmt::layout::SectionId) -> v1::SectionStatus {
    let spec = &plan.layout().sections[id.0 as usize];
    v1::SectionStatus {
        name: spec.name.clone(),
        units: plan.graph().units_of(id).len() as u32,
        entries: spec.entries,
        ..v1::SectionStatus::default()
    }
}

impl View for MadeUp {
    fn jobs(&self) -> Vec<v1::JobSummary> {
        self.world().jobs.iter().filter_map(|job| job.job.clone()).collect()
    }

    fn job(&self, digest: &[u8]) -> Option<v1::GetJobResponse> {
        let is_it = |job: &&v1::GetJobResponse| {
            job.job.as_ref().is_some_and(|summary| summary.job_digest == digest)
        };
        self.world().jobs.iter().find(is_it).cloned()
    }

    fn workers(&self) -> Vec<v1::WorkerInfo> {
        self.world().workers.clone()
    }

    fn ready(&self) -> Result<(), String> {
        let trouble = self.world().trouble.clone();
        if trouble.is_empty() { Ok(()) } else { Err(trouble) }
    }
}
