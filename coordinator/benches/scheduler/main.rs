//! The scheduler in simulation: how fast it decides, and how long fleets of workers take for
//! the whole table of 4 stacks. Prints lines and tables for the README.
//!
//! Times of fleets are simulated and the same on every machine; only the decisions are timed.

mod costs;
mod faults;
mod fleet;
mod link;
fn main() {
    use retrotab_coordinator::plan::*;
    use retrotab_coordinator::scheduler::Policy;
    use retrotab_tablefmt::{spec::TableSpec, stack::*};
    use std::sync::Arc;
    let spec = TableSpec::Stack(StackSpec {
        stacks: Stacks::try_from(4).unwrap(),
        cards: Cards::try_from(12).unwrap(),
        rule: Rule::Sorted,
    });
    let layout = spec.layout();
    let arg = |n: &str, d: f64| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let gbit = arg("GBIT", 10.0);
    let speeds: Vec<f64> =
        std::env::var("FS").unwrap_or("50".into()).split(',').map(|x| x.parse().unwrap()).collect();
    let sizes: Vec<u64> =
        std::env::var("US").unwrap_or("49".into()).split(',').map(|x| x.parse().unwrap()).collect();
    let leases = arg("LEASES", 2.0) as usize;
    print!("gbit {gbit} leases {leases}\n{:>8}{:>6}{:>7}", "fetch", "Ment", "units");
    let ws = [1usize, 2, 4, 8, 16, 32, 64, 128, 256, 1000];
    for w in ws {
        print!("{w:>16}")
    }
    println!();
    for &fs in &speeds {
        for &us in &sizes {
            let plan = Plan::with_layout(spec.clone(), layout.clone(), UnitSize::Entries(us << 20))
                .unwrap();
            let graph: &Arc<Graph> = plan.graph();
            print!("{:>8}{:>6}{:>7}", fs, us, graph.unit_count());
            for w in ws {
                let costs = costs::stack_costs(gbit);
                let bound = costs::Bound::new(graph, &costs, w);
                let o = fleet::Fleet::run(fleet::Setup {
                    graph: graph.clone(),
                    costs,
                    faults: faults::Faults::NONE,
                    workers: w,
                    seed: 1,
                    policy: Policy {
                        fetch_speed: if fs < 0.0 { u64::MAX } else { fs as u64 },
                        leases_per_worker: leases,
                        ..Policy::default()
                    },
                });
                print!(
                    "{:>8.1}/{:<5.0}{:>3}",
                    o.makespan,
                    bound.seconds(),
                    (o.fetched / 1e9) as u64
                );
                use std::io::Write;
                std::io::stdout().flush().unwrap();
            }
            println!();
        }
    }
}
