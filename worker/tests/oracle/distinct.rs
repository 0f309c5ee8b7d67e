//! All distinct positions of small tables, by writing down every one in every way.

use std::collections::HashSet;

use super::raw::{Card, Lane, Raw};

/// Every lane of at most `cards` cards, in every way of writing it, whose first card is in the
/// stock.
pub fn all_lanes(stacks: u8, cards: usize) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = vec![vec![]];
    let mut longest: Vec<Lane> = vec![vec![]];
    for _ in 0..cards {
        let longer = longest.iter().flat_map(|lane| {
            let stacks = (0..stacks).filter(|_| !lane.is_empty()).map(Card::On);
            stacks.chain([Card::Stock]).map(|card| [lane.as_slice(), &[card]].concat())
        });
        longest = longer.collect();
        lanes.extend_from_slice(&longest);
    }
    lanes
}

/// Every pair of such lanes.
pub fn all_raw(stacks: u8, cards: usize) -> impl Iterator<Item = Raw> {
    let lanes = all_lanes(stacks, cards);
    let pairs = move |a: &Lane| {
        let a = a.clone();
        lanes.clone().into_iter().map(move |b| Raw { lanes: [a.clone(), b] })
    };
    all_lanes(stacks, cards).into_iter().flat_map(move |a| pairs(&a).collect::<Vec<_>>())
}

/// The distinct positions of a table, each in the form that [`least_form`] gives it.
pub fn distinct(stacks: u8, cards: usize) -> HashSet<Raw> {
    let renamings = renamings(stacks);
    all_raw(stacks, cards).map(|raw| least_form(&raw, &renamings)).collect()
}

/// The least of all ways of writing a position that renaming its stacks and swapping its lanes
/// give, each gap in ascending order and without repeats.
pub fn least_form(raw: &Raw, renamings: &[Vec<u8>]) -> Raw {
    let forms = renamings.iter().flat_map(|names| {
        let lanes = renamed(raw, names).lanes.map(|lane| without_repeats(&lane));
        let [a, b] = lanes.clone();
        [Raw { lanes }, Raw { lanes: [b, a] }]
    });
    forms.min().expect("there is at least one renaming")
}

/// The position with every stack `s` called `names[s]`.
pub fn renamed(raw: &Raw, names: &[u8]) -> Raw {
    let card = |card: &Card| match card {
        Card::Stock => Card::Stock,
        Card::On(stack) => Card::On(names[usize::from(*stack)]),
    };
    Raw { lanes: raw.lanes.each_ref().map(|lane| lane.iter().map(card).collect()) }
}

fn without_repeats(lane: &[Card]) -> Lane {
    let mut clean = Vec::new();
    for gap in lane.split(|&card| card == Card::Stock) {
        let mut gap = gap.to_vec();
        gap.sort();
        gap.dedup();
        clean.extend(gap);
        clean.push(Card::Stock);
    }
    // The split has one part more than there are stock cards.
    clean.pop();
    clean
}

/// All orders of the numbers below `stacks`.
pub fn renamings(stacks: u8) -> Vec<Vec<u8>> {
    let mut orders = vec![vec![]];
    for next in 0..stacks {
        let longer = orders.iter().flat_map(|order: &Vec<u8>| {
            (0..=order.len()).map(move |at| [&order[..at], &[next], &order[at..]].concat())
        });
        orders = longer.collect();
    }
    orders
}
