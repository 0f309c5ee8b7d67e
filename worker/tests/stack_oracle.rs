//! Ranking and solver against the oracle, bit for bit.

mod in_memory;
mod oracle;

use std::collections::{HashMap, HashSet};

use fastrand::Rng;
use in_memory::{ranking, solve};
use num_rational::BigRational;
use oracle::distinct::{all_raw, distinct, least_form, renamings};
use oracle::entry::{ONE, entry};
use oracle::exact::{exact, fraction};
use oracle::random::{Size, random_raw, seed};
use oracle::{Mean, Raw};
use rayon::ThreadPoolBuilder;
use retrotab_tablefmt::stack::{Cards, Position, Ranking, Rule, Stacks, count};
use retrotab_worker::stack::Isa;

/// More entries than any section has.
const WHOLE_SECTION: u64 = 1 << 40;

fn rule(mean: Mean) -> Rule {
    match mean {
        Mean::Plain => Rule::Sorted,
        Mean::Choice => Rule::Choice,
    }
}

/// A table and its ranking.
struct Solved {
    ranking: std::sync::Arc<Ranking>,
    values: Vec<u16>,
}

impl Solved {
    fn new(stacks: u8, cards: u8, mean: Mean) -> Self {
        let ranking = ranking(stacks, cards, rule(mean));
        let values = solve(&ranking, Isa::detect(), WHOLE_SECTION);
        Solved { ranking, values }
    }

    fn value(&self, raw: &Raw) -> u16 {
        self.values[index(&self.ranking, raw) as usize]
    }
}

fn index(ranking: &Ranking, raw: &Raw) -> u64 {
    let spec = ranking.spec();
    let position = Position::parse(&raw.text(0), &raw.text(1), spec.stacks, spec.cards);
    let position = position.expect("raw positions are written as positions are");
    ranking.rank(&position).expect("the position belongs to the table")
}

/// What the table calls the position with this index.
fn written(ranking: &Ranking, index: u64) -> Raw {
    let text = ranking.unrank(index).expect("the index is below the end").to_string();
    let (a, b) = text.split_once(' ').expect("a position is two lanes");
    Raw::parse(a, b)
}

fn check_every_entry(stacks: u8, cards: u8, mean: Mean) {
    let table = Solved::new(stacks, cards, mean);
    assert_eq!(table.values.len() as u64, table.ranking.entries());
    let mut oracle = entry(stacks, mean);
    for (index, &value) in (0..).zip(&table.values) {
        let raw = written(&table.ranking, index);
        assert_eq!(value, oracle.value(&raw), "{stacks} stacks, {mean:?}, entry {index}: {raw}");
    }
}

/// One stack goes up to 18 stock cards: from 16 on, `choice-1` has other weights.
#[test]
fn every_entry_with_one_stack() {
    for mean in Mean::ALL {
        (1..=9).for_each(|cards| check_every_entry(1, cards, mean));
    }
}

#[test]
fn every_entry_with_two_stacks() {
    for mean in Mean::ALL {
        (1..=6).for_each(|cards| check_every_entry(2, cards, mean));
    }
}

#[test]
fn every_entry_with_three_stacks() {
    for mean in Mean::ALL {
        (1..=5).for_each(|cards| check_every_entry(3, cards, mean));
    }
}

#[test]
fn every_entry_with_four_stacks() {
    for mean in Mean::ALL {
        (1..=4).for_each(|cards| check_every_entry(4, cards, mean));
    }
}

#[test]
fn every_entry_with_five_stacks() {
    for mean in Mean::ALL {
        (1..=3).for_each(|cards| check_every_entry(5, cards, mean));
    }
}

/// Sizes of random positions: the more stacks, the fewer stock cards, so that the oracle is
/// done in time.
const SIZES: [Size; 4] = [
    Size { stacks: 1, cards: 6, stock: 8 },
    Size { stacks: 2, cards: 6, stock: 8 },
    Size { stacks: 3, cards: 6, stock: 8 },
    Size { stacks: 4, cards: 6, stock: 7 },
];

#[test]
fn random_positions_bit_for_bit() {
    let mut rng = Rng::with_seed(seed());
    for size in SIZES {
        for mean in Mean::ALL {
            let table = Solved::new(size.stacks, size.cards as u8, mean);
            let mut oracle = entry(size.stacks, mean);
            for _ in 0..1250 {
                let raw = random_raw(&mut rng, size);
                assert_eq!(table.value(&raw), oracle.value(&raw), "{size:?}, {mean:?}: {raw}");
            }
        }
    }
}

/// Each of the `t` levels rounds by at most half a unit, and neither the best of several values
/// nor a mean makes an error greater. At 24 stock cards that is 12 units.
#[test]
fn random_positions_near_their_exact_values() {
    let mut rng = Rng::with_seed(seed());
    for size in SIZES.map(|size| Size { stock: 6, ..size }) {
        for mean in Mean::ALL {
            let table = Solved::new(size.stacks, size.cards as u8, mean);
            let mut oracle = exact(size.stacks, mean);
            for _ in 0..100 {
                let raw = random_raw(&mut rng, size);
                let stored = fraction(table.value(&raw).into(), ONE.into());
                let error = distance(&stored, &oracle.value(&raw));
                let bound = fraction(raw.stock() as i64, 2 * i64::from(ONE));
                assert!(error <= bound, "{size:?}, {mean:?}: {raw} is off by {error}");
            }
        }
    }
}

fn distance(a: &BigRational, b: &BigRational) -> BigRational {
    if a < b { b - a } else { a - b }
}

/// Two ways of writing have the same index exactly when renaming stacks, swapping lanes and
/// repeating cards makes one of the other; and there are as many as Burnside's lemma says.
#[test]
fn ranking_tells_distinct_positions_apart() {
    for (stacks, cards) in [(1, 6), (2, 5), (3, 4), (4, 4), (5, 3)] {
        let ranking = ranking(stacks, cards, Rule::Sorted);
        let renamings = renamings(stacks);
        let mut indices = HashMap::new();
        for raw in all_raw(stacks, cards.into()) {
            let found = index(&ranking, &raw);
            let first = *indices.entry(least_form(&raw, &renamings)).or_insert(found);
            assert_eq!(found, first, "{stacks} stacks: {raw} has two indices");
        }
        let different: HashSet<u64> = indices.values().copied().collect();
        assert_eq!(different.len(), indices.len(), "{stacks} stacks: an index has two positions");
        assert!(different.iter().all(|&index| index < ranking.entries()));
    }
}

#[test]
fn distinct_positions_are_as_many_as_counted() {
    let tables = [(1, 7), (2, 6), (3, 5), (4, 4), (5, 3)];
    for (stacks, most) in tables {
        for cards in 1..=most {
            let counted = count::positions(
                Stacks::try_from(stacks).unwrap(),
                Cards::try_from(cards).unwrap(),
            );
            let found = distinct(stacks, cards.into()).len() as u64;
            assert_eq!(found, counted, "{stacks} stacks, {cards} cards");
        }
    }
}

#[test]
fn any_way_of_running_makes_the_same_table() {
    for (stacks, cards) in [(3, 6), (4, 5), (3, 7), (4, 7)] {
        for mean in Mean::ALL {
            let ranking = ranking(stacks, cards, rule(mean));
            let expected = solve(&ranking, Isa::Portable, WHOLE_SECTION);
            for threads in [1, 2] {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                for isa in [Isa::Portable, Isa::detect()] {
                    for unit in [97, 1000, 4096, WHOLE_SECTION] {
                        let found = pool.install(|| solve(&ranking, isa, unit));
                        let way = format!("{threads} threads, {isa:?}, units of {unit}");
                        assert!(found == expected, "{stacks} stacks, {mean:?}: {way}");
                    }
                }
            }
        }
    }
}
