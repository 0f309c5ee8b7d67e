//! The fast solver against the naive one, bit for bit.

mod in_memory;
#[allow(dead_code, reason = "each test file uses its part of the oracle")]
mod oracle;

use std::collections::HashSet;

use num_bigint::BigInt;
use oracle::{Combine, Entries, Exact, Random, Raw, smallest_form};
use retrotab_tablefmt::stack::{Position, Rule, count};
use retrotab_worker::stack::Isa;

const RULES: [(Rule, Combine); 2] =
    [(Rule::Sorted, Combine::Sorted), (Rule::Choice, Combine::Choice)];

#[test]
fn every_entry_of_small_tables() {
    for (rule, combine) in RULES {
        for (stacks, cards) in [(1, 7), (2, 5), (3, 4), (4, 4), (5, 3)] {
            let ranking = in_memory::ranking(stacks, cards, rule);
            let table = in_memory::solve(&ranking, Isa::detect(), u64::MAX >> 1);
            let mut entries = Entries::new(stacks, combine);
            for (index, &value) in table.iter().enumerate() {
                let Position { a, b } = ranking.unrank(index as u64).unwrap();
                let expected = entries.value(&Raw::new(&a.to_string(), &b.to_string()));
                assert_eq!(value, expected, "{} entry {index}: {a} {b}", ranking.spec());
            }
        }
    }
}

#[test]
fn ten_thousand_random_positions() {
    let seed = 20_261_130;
    println!("seed {seed}");
    let mut random = Random(seed);
    for (rule, combine) in RULES {
        for stacks in 1..=4 {
            let cards = 7;
            let ranking = in_memory::ranking(stacks, cards, rule);
            let spec = ranking.spec();
            let table = in_memory::solve(&ranking, Isa::detect(), u64::MAX >> 1);
            let mut entries = Entries::new(stacks, combine);
            let mut exact = Exact::new(stacks, combine);
            for round in 0..1250 {
                let [a, b] = random.position(stacks, u64::from(cards), 7);
                let position = Position::parse(&a, &b, spec.stacks, spec.cards).unwrap();
                let value = table[ranking.rank(&position).unwrap() as usize];
                let raw = Raw::new(&a, &b);
                assert_eq!(value, entries.value(&raw), "{spec}: {a} {b}");
                if round % 25 == 0 {
                    let scaled = exact.value(&raw) * BigInt::from(65535);
                    let error = (scaled - BigInt::from(value)).to_integer();
                    assert!(error.magnitude() <= &24u32.into(), "{spec}: {a} {b} is {error} off");
                }
            }
        }
    }
}

#[test]
fn distinct_positions_are_those_counted() {
    for (stacks, cards) in [(1, 6), (2, 4), (3, 3), (4, 3)] {
        let ranking = in_memory::ranking(stacks, cards, Rule::Sorted);
        let spec = ranking.spec();
        let lanes = all_lanes(stacks, usize::from(cards));
        let mut distinct = HashSet::new();
        let mut ranks = HashSet::new();
        for a in &lanes {
            for b in &lanes {
                distinct.insert(smallest_form(&Raw::new(a, b), stacks));
                let position = Position::parse(a, b, spec.stacks, spec.cards).unwrap();
                ranks.insert(ranking.rank(&position).unwrap());
            }
        }
        let counted = count::positions(spec.stacks, spec.cards);
        assert_eq!((distinct.len() as u64, ranks.len() as u64), (counted, counted), "{spec}");
    }
}

/// Every text of at most `cards` cards that begins with a stock card, and the empty lane.
fn all_lanes(stacks: u8, cards: usize) -> Vec<String> {
    let mut lanes = vec!["-".to_owned()];
    let mut longest = vec![".".to_owned()];
    for _ in 0..cards {
        lanes.extend(longest.iter().cloned());
        let symbols = || std::iter::once('.').chain((0..stacks).map(|s| char::from(b'0' + s)));
        longest = longest
            .iter()
            .flat_map(|lane| symbols().map(move |symbol| format!("{lane}{symbol}")))
            .collect();
    }
    lanes
}

#[test]
fn units_instructions_and_threads_do_not_matter() {
    for (rule, _) in RULES {
        for (stacks, cards) in [(1, 9), (2, 7), (3, 6), (4, 5), (5, 4)] {
            let ranking = in_memory::ranking(stacks, cards, rule);
            let whole = in_memory::solve(&ranking, Isa::Portable, u64::MAX >> 1);
            for unit in [1000, 4096, u64::MAX >> 1] {
                for threads in [1, 2, 3] {
                    let pool =
                        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let table = pool.install(|| in_memory::solve(&ranking, Isa::detect(), unit));
                    let spec = ranking.spec();
                    assert!(table == whole, "{spec}: {threads} threads, units of {unit}");
                }
            }
        }
    }
}
