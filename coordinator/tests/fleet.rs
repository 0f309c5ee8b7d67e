//! Simulated fleets on the real scheduler: small jobs, good days and bad ones.

#[path = "../benches/scheduler/costs.rs"]
mod costs;
#[path = "../benches/scheduler/faults.rs"]
mod faults;
#[path = "../benches/scheduler/fleet.rs"]
mod fleet;
#[path = "../benches/scheduler/link.rs"]
mod link;
#[path = "../benches/scheduler/load.rs"]
mod load;

use std::sync::Arc;

use retrotab_coordinator::plan::{Graph, Plan, UnitSize};
use retrotab_coordinator::scheduler::Policy;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

use costs::{Bound, stack_costs};
use faults::Faults;
use fleet::{Fleet, Outcome, Setup};

/// The table of 3 stacks in units of 2 MiB raw.
fn three_stacks() -> Arc<Graph> {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(12).unwrap());
    let spec = TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted });
    Plan::new(spec, UnitSize::Entries(1 << 20)).unwrap().graph().clone()
}

fn run(graph: &Arc<Graph>, fetch_speed: u64, faults: Faults, workers: usize) -> Outcome {
    let (costs, policy) = (stack_costs(1.0), Policy { fetch_speed, ..Policy::default() });
    Fleet::run(Setup { graph: graph.clone(), costs, policy, faults, workers, seed: 7 })
}

#[test]
fn no_fleet_beats_the_bound_and_one_worker_comes_near_it() {
    let graph = three_stacks();
    for workers in [1, 3, 20] {
        let outcome = run(&graph, 5, Faults::NONE, workers);
        let bound = Bound::new(&graph, &stack_costs(1.0), workers);
        assert!(outcome.makespan >= bound.seconds(), "{workers}: {outcome:?}, {bound:?}");
        assert!(workers > 1 || outcome.makespan < 1.5 * bound.work, "{outcome:?}, {bound:?}");
        assert_eq!((outcome.units, outcome.lost), (graph.unit_count().into(), 0));
    }
}

#[test]
fn a_limited_fleet_fetches_less_and_is_faster_on_a_slow_link() {
    let graph = three_stacks();
    let limited = run(&graph, 5, Faults::NONE, 50);
    let free = run(&graph, u64::MAX, Faults::NONE, 50);
    assert!(limited.fetched * 2.0 < free.fetched, "{limited:?}, {free:?}");
    assert!(limited.makespan < free.makespan, "{limited:?}, {free:?}");
}

#[test]
fn a_bad_day_costs_time_but_no_unit() {
    let outcome = load::run(5000, 100);
    assert_eq!(outcome.units, 5000);
    assert!(outcome.lost > 20 && outcome.repeated > 20, "{outcome:?}");
    let again = load::run(5000, 100);
    assert_eq!((outcome.makespan, outcome.lost), (again.makespan, again.lost));
}
