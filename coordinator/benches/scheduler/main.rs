//! The scheduler in simulation: how fast it decides, and how long fleets of workers take for
//! the whole table of 4 stacks. Prints lines and tables for the README.
//!
//! Times of fleets are simulated and the same on every machine; only the decisions are timed.

mod costs;
mod faults;
mod fleet;
mod link;
mod load;

use std::sync::Arc;

use retrotab_coordinator::plan::{Graph, Plan, UnitSize};
use retrotab_coordinator::scheduler::Policy;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

use costs::{Bound, stack_costs};
use faults::Faults;
use fleet::{Fleet, Outcome, Setup};

/// Fleets whose makespan is simulated.
const FLEETS: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];

fn main() {
    decisions();
    let spec = StackSpec {
        stacks: Stacks::try_from(4).expect("in range"),
        cards: Cards::try_from(12).expect("in range"),
        rule: Rule::Sorted,
    };
    let table = Table::new(TableSpec::Stack(spec));
    for gigabits in [10, 1] {
        makespans(&table, gigabits);
        sizes(&table, gigabits);
        speeds(&table, gigabits);
    }
}

/// A table, planned again and again in units of different sizes.
struct Table {
    spec: TableSpec,
    layout: retrotab_tablefmt::layout::TableLayout,
}

impl Table {
    fn new(spec: TableSpec) -> Table {
        let layout = spec.layout();
        Table { spec, layout }
    }

    fn graph(&self, size: UnitSize) -> Arc<Graph> {
        let plan = Plan::with_layout(self.spec.clone(), self.layout.clone(), size);
        plan.expect("a sound table").graph().clone()
    }
}

fn decisions() {
    let (units, workers) = (100_000, 1000);
    let Outcome { decisions, deciding, slowest, makespan, lost, repeated, units: done, .. } =
        load::run(units, workers);
    println!("{units} units, {workers} workers, a bad day:");
    println!("  units done          {done}");
    println!("  leases lost         {lost}");
    println!("  shards twice        {repeated}");
    println!("  simulated time      {makespan:.0} s");
    println!("  decisions           {decisions}");
    println!("  decisions/s         {:.2} million", decisions as f64 / deciding / 1e6);
    println!("  the slowest         {:.2} ms", slowest * 1e3);
}

fn policy(gigabits: u32) -> Policy {
    let fetch_speed = Policy::fetch_speed_of_link(u64::from(gigabits) * 1_000_000_000);
    Policy { fetch_speed, ..Policy::default() }
}

fn simulate(graph: &Arc<Graph>, gigabits: u32, policy: Policy, workers: usize) -> Outcome {
    let (graph, costs) = (graph.clone(), stack_costs(gigabits.into()));
    Fleet::run(Setup { graph, costs, policy, faults: Faults::NONE, workers, seed: 1 })
}

fn makespans(table: &Table, gigabits: u32) {
    println!(
        "\n4 stacks, {gigabits} Gbit/s at the coordinator, 15 million positions/s a worker:\n"
    );
    println!("| workers | units | makespan | speed-up | bound (work, path, link) | fetched |");
    println!("|---|---|---|---|---|---|");
    let mut alone = None;
    for workers in FLEETS {
        let graph = table.graph(UnitSize::ForWorkers(workers as u32));
        let outcome = simulate(&graph, gigabits, policy(gigabits), workers);
        let bound = Bound::new(&graph, &stack_costs(gigabits.into()), workers);
        let Bound { work, path, link } = bound;
        let alone = *alone.get_or_insert(outcome.makespan);
        println!(
            "| {workers} | {} | {:.0} s | {:.1} | {:.0} s ({work:.0}, {path:.0}, {link:.0}) | {:.0} GB |",
            graph.unit_count(),
            outcome.makespan,
            alone / outcome.makespan,
            bound.seconds(),
            outcome.fetched / 1e9,
        );
    }
}

/// Why units have the size they have.
fn sizes(table: &Table, gigabits: u32) {
    println!("\nthe same by million entries in a unit (makespan in s):\n");
    println!("| entries | units | 1 worker | 2 | 4 | 8 | 16 | 1000 |");
    println!("|---|---|---|---|---|---|---|---|");
    for entries in [2, 4, 6, 12, 24, 48] {
        let graph = table.graph(UnitSize::Entries(entries << 20));
        let time = |workers| simulate(&graph, gigabits, policy(gigabits), workers).makespan;
        let times = [1, 2, 4, 8, 16, 1000].map(|workers| format!("{:.0}", time(workers)));
        println!("| {entries} | {} | {} |", graph.unit_count(), times.join(" | "));
    }
}

/// Why few workers share a section.
fn speeds(table: &Table, gigabits: u32) {
    println!("\nthe same by fetch speed of the policy (makespan in s, GB fetched):\n");
    println!("| fetch speed | 2 workers | 4 | 8 | 16 | 64 |");
    println!("|---|---|---|---|---|---|");
    for fetch_speed in [2, 5, 10, 20, 50, 100, 500] {
        let cell = |workers| {
            let graph = table.graph(UnitSize::ForWorkers(workers as u32));
            let policy = Policy { fetch_speed, ..Policy::default() };
            let outcome = simulate(&graph, gigabits, policy, workers);
            format!("{:.0} ({:.0})", outcome.makespan, outcome.fetched / 1e9)
        };
        println!("| {fetch_speed} | {} |", [2, 4, 8, 16, 64].map(cell).join(" | "));
    }
}
