//! How fast the scheduler decides: a large job, many workers, and a bad day.

use std::sync::Arc;

use retrotab_coordinator::plan::{Graph, SectionNode};
use retrotab_coordinator::scheduler::Policy;
use retrotab_tablefmt::layout::{SectionId, UnitRange};

use crate::costs::Costs;
use crate::faults::Faults;
use crate::fleet::{Fleet, Outcome, Setup};

/// Levels of the made-up graph.
const LEVELS: u32 = 10;
/// Sections of a level.
const WIDTH: u32 = 10;
/// Entries of a unit.
const UNIT: u64 = 15_000_000;

/// Runs so many units on so many workers with faults.
pub fn run(units: u64, workers: usize) -> Outcome {
    let costs = Costs {
        // Workers read from a shared store; the link is no limit.
        link: 1e12,
        entry_bytes: 1.0,
        ..crate::costs::stack_costs(10.0)
    };
    let policy = Policy { fetch_speed: u64::MAX, ..Policy::default() };
    let graph = grid(units / u64::from(LEVELS * WIDTH));
    Fleet::run(Setup { graph, costs, policy, faults: Faults::MANY, workers, seed: 1 })
}

/// Sections in levels, each of so many units; each needs two of the level below.
fn grid(units: u64) -> Arc<Graph> {
    let section = |level: u32, place: u32| SectionId(level * WIDTH + place % WIDTH);
    let places = || (0..LEVELS).flat_map(|level| (0..WIDTH).map(move |place| (level, place)));
    let needs = |(level, place): (u32, u32)| match level.checked_sub(1) {
        Some(below) => vec![section(below, place), section(below, place + 1)],
        None => Vec::new(),
    };
    let node = |at| SectionNode { needs: needs(at), entries: units * UNIT };
    let unit = |at: (u32, u32), i| UnitRange {
        section: section(at.0, at.1),
        first: i * UNIT,
        entries: UNIT,
    };
    let units = places().flat_map(|at| (0..units).map(move |i| unit(at, i)));
    let graph = Graph::new(places().map(node).collect(), units.collect());
    Arc::new(graph.expect("a sound graph"))
}
