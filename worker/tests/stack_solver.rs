//! The solver against the published values, and against itself in other ways of running.

mod in_memory;

use in_memory::{ranking, solve};
use retrotab_tablefmt::stack::{Position, Ranking, Rule};
use retrotab_worker::stack::Isa;

fn value(ranking: &Ranking, table: &[u16], a: &str, b: &str) -> f64 {
    let spec = ranking.spec();
    let position = Position::parse(a, b, spec.stacks, spec.cards).unwrap();
    f64::from(table[ranking.rank(&position).unwrap() as usize]) / 65535.0
}

#[test]
fn values_of_the_design() {
    let cases: [(u8, &str, &str, f64); 13] = [
        (1, "...", "...", 11.0 / 18.0),
        (2, "...", "...", 59.0 / 60.0),
        (1, "....", "....", 2441.0 / 10080.0),
        (2, "....", "....", 16663.0 / 20160.0),
        (3, "....", "....", 95.0 / 96.0),
        (4, "....", "....", 3359.0 / 3360.0),
        (1, "..", ".....", 499.0 / 1680.0),
        (2, "..", ".....", 5.0 / 6.0),
        (3, "..", ".....", 104.0 / 105.0),
        (1, "......", "-", 11.0 / 60.0),
        (2, "......", "-", 32.0 / 45.0),
        (3, "......", "-", 347.0 / 360.0),
        (4, "......", "-", 719.0 / 720.0),
    ];
    for stacks in 1..=4 {
        let ranking = ranking(stacks, 6, Rule::Sorted);
        let table = solve(&ranking, Isa::detect(), u64::MAX >> 1);
        for (_, a, b, exact) in cases.iter().filter(|case| case.0 == stacks) {
            let found = value(&ranking, &table, a, b);
            assert!((found - exact).abs() < 24.0 / 65535.0, "{stacks}: {a} {b}: {found} {exact}");
        }
    }
}
