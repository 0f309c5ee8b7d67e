//! What units cost, and what no schedule can beat.

use retrotab_coordinator::plan::Graph;
use retrotab_tablefmt::layout::{SectionId, UnitRange};

/// What things cost. The link is full duplex: inputs go one way, shards the other.
#[derive(Debug, Clone)]
pub struct Costs {
    /// Entries a second that a worker computes.
    pub compute: f64,
    /// Bytes a second of the coordinator's link, each way.
    pub link: f64,
    /// Bytes of an entry, compressed.
    pub entry_bytes: f64,
    /// Seconds in which the coordinator stores one shard; one after the other.
    pub store: f64,
    /// Seconds after which a worker that got nothing asks again.
    pub retry: f64,
    /// Seconds between two heartbeats of a worker.
    pub heartbeat: f64,
}

/// A table of 4 stacks: 16-bit entries that compress to 0.82 of their size, computed by a
/// worker of one core.
pub fn stack_costs(gigabits: f64) -> Costs {
    Costs {
        compute: 15e6,
        link: gigabits * 1e9 / 8.0,
        entry_bytes: 2.0 * 0.82,
        store: 0.010,
        retry: 0.25,
        heartbeat: 5.0,
    }
}

impl Costs {
    /// Seconds for so many entries through the whole link.
    fn transfer(&self, entries: f64) -> f64 {
        entries * self.entry_bytes / self.link
    }

    /// Entries that a worker must have before its first unit of a section, and keeps: the
    /// section that the row's draws lead to, which is the first of the needs.
    pub fn kept(graph: &Graph, section: SectionId) -> f64 {
        let first = graph.section(section).needs.first();
        first.map_or(0.0, |need| graph.section(*need).entries as f64)
    }

    /// Entries that a unit needs for itself: its own rows, of the second need.
    pub fn window(graph: &Graph, unit: UnitRange) -> f64 {
        let node = graph.section(unit.section);
        let share = unit.entries as f64 / node.entries as f64;
        node.needs.get(1).map_or(0.0, |need| graph.section(*need).entries as f64 * share)
    }
}

/// Seconds that no schedule can be faster than, and why.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// All computing, evenly spread.
    pub work: f64,
    /// The longest chain of sections that need each other, each as fast as it could be done
    /// with all workers and the whole link for itself.
    pub path: f64,
    /// All shards once, or all inputs once, through the link.
    pub link: f64,
}

impl Bound {
    /// The bound for so many workers.
    pub fn new(graph: &Graph, costs: &Costs, workers: usize) -> Bound {
        let entries = graph.entries() as f64;
        let inputs: f64 = graph.sections().map(|s| inputs(graph, s)).sum();
        Bound {
            work: entries / costs.compute / workers as f64,
            path: longest_path(graph, costs, workers),
            link: costs.transfer(entries.max(inputs)),
        }
    }

    /// The largest of the three.
    pub fn seconds(&self) -> f64 {
        self.work.max(self.path).max(self.link)
    }
}

/// Entries that are fetched for a section if one worker does all of it.
fn inputs(graph: &Graph, section: SectionId) -> f64 {
    let windows = graph.units_of(section).map(|unit| Costs::window(graph, graph.range(unit)));
    Costs::kept(graph, section) + windows.sum::<f64>()
}

/// Sections are in an order in which needs come first.
fn longest_path(graph: &Graph, costs: &Costs, workers: usize) -> f64 {
    let mut done: Vec<f64> = Vec::new();
    for section in graph.sections() {
        let needs = graph.section(section).needs.iter();
        let begin = needs.map(|need| done[need.0 as usize]).fold(0.0, f64::max);
        done.push(begin + section_time(graph, costs, section, workers));
    }
    done.into_iter().fold(0.0, f64::max)
}

/// The least time for a section. Its workers get what all its units need one after the other,
/// so of `m` workers the `i`-th begins after `i` transfers; together they compute everything
/// in `work / m + transfer * (m + 1) / 2`, for the best `m`.
fn section_time(graph: &Graph, costs: &Costs, section: SectionId, workers: usize) -> f64 {
    let work = graph.section(section).entries as f64 / costs.compute;
    let transfer = costs.transfer(Costs::kept(graph, section));
    let most = workers.min(graph.units_of(section).len());
    let time = |m: usize| work / m as f64 + transfer * (m + 1) as f64 / 2.0;
    let ranges = graph.units_of(section).map(|unit| graph.range(unit).entries as f64);
    let last_shard = costs.transfer(ranges.fold(f64::MAX, f64::min));
    (1..=most).map(time).fold(f64::MAX, f64::min) + last_shard + costs.store
}
