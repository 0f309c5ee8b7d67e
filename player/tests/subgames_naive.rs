//! The two-foundation game solved again, on raw positions and by the letter of the rules: a next
//! card may be put on a stack, a top card need not move, nothing is merged or renamed. The solver
//! must agree on every position.

use std::collections::HashMap;

use retrotab_player::subgames::{Arrangement, Card, Position, Rules, Solver};

/// Cards of a foundation.
const CARDS: usize = 4;

/// A raw position. Card c of lane l is `1 + l * CARDS + c`.
#[derive(Debug, Clone)]
struct Raw {
    built: [usize; 2],
    /// Bit c for card c.
    stock: u16,
    stacks: Vec<Vec<u8>>,
}

impl Raw {
    fn start(stacks: usize) -> Self {
        let stock = ((1 << (2 * CARDS)) - 1) << 1;
        Self { built: [0, 0], stock, stacks: vec![Vec::new(); stacks] }
    }

    fn is_next(&self, card: u8) -> bool {
        let (lane, index) = place(card);
        self.built[lane] == index
    }

    /// The position as a word: the stacks, at most 11 times four bits with a 0 after each, then
    /// the stock and what is built.
    fn packed(&self) -> u64 {
        let stack = |word, stack: &Vec<u8>| {
            stack.iter().fold(word, |word, &card| word << 4 | u64::from(card)) << 4
        };
        let stacks = self.stacks.iter().fold(0, stack);
        let built = (self.built[0] * (CARDS + 1) + self.built[1]) as u64;
        stacks | u64::from(self.stock >> 1) << 44 | built << 52
    }

    /// As the solver is told it; `None` when it cannot be won.
    fn position(&self, rules: Rules) -> Option<Position> {
        let mut cards = Arrangement::new(self.built.map(|built| CARDS - built));
        for (number, stack) in self.stacks.iter().enumerate() {
            for &card in stack {
                let (lane, index) = place(card);
                cards.put(number, Card::new(lane, index - self.built[lane]));
            }
        }
        cards.position(rules).unwrap()
    }
}

fn place(card: u8) -> (usize, usize) {
    let at = usize::from(card) - 1;
    (at / CARDS, at % CARDS)
}

/// Chances to win of all positions that any play reaches; the start comes last.
#[derive(Default)]
struct Naive {
    known: HashMap<u64, f64>,
    positions: Vec<(Raw, f64)>,
}

impl Naive {
    fn value(&mut self, raw: &Raw) -> f64 {
        if raw.built == [CARDS; 2] {
            return 1.0;
        }
        let key = raw.packed();
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let mut best = self.draw(raw);
        for stack in 0..raw.stacks.len() {
            let top = raw.stacks[stack].last().copied();
            if let Some(card) = top.filter(|&card| raw.is_next(card)) {
                let mut after = raw.clone();
                after.stacks[stack].pop();
                after.built[place(card).0] += 1;
                best = best.max(self.value(&after));
            }
        }
        self.known.insert(key, best);
        self.positions.push((raw.clone(), best));
        best
    }

    fn draw(&mut self, raw: &Raw) -> f64 {
        let mut sum = 0.0;
        for card in (1..=2 * CARDS as u8).filter(|card| raw.stock >> card & 1 != 0) {
            let mut drawn = raw.clone();
            drawn.stock &= !(1 << card);
            let mut best = 0.0f64;
            if drawn.is_next(card) {
                let mut after = drawn.clone();
                after.built[place(card).0] += 1;
                best = best.max(self.value(&after));
            }
            for stack in 0..drawn.stacks.len() {
                let mut after = drawn.clone();
                after.stacks[stack].push(card);
                best = best.max(self.value(&after));
            }
            sum += best;
        }
        sum / f64::from(raw.stock.count_ones().max(1))
    }
}

/// Compares all positions, and returns the start's value.
fn compare(stacks: usize) -> f64 {
    let rules = Rules::new(stacks, CARDS).unwrap();
    let solver = Solver::new(rules, 1 << 28).unwrap();
    let mut naive = Naive::default();
    let start = naive.value(&Raw::start(stacks));
    let (mut hopeless, mut certain) = (0, 0);
    for (raw, value) in &naive.positions {
        let found = raw.position(rules).map(|position| solver.value(&position));
        hopeless += usize::from(found.is_none());
        certain += usize::from(found == Some(1.0));
        assert!((found.unwrap_or(0.0) - value).abs() < 1e-6, "{raw:?}: {found:?}, not {value}");
    }
    let others = naive.positions.len() - hopeless - certain;
    assert!(hopeless > 1000 && certain > 1000 && others > 1000, "{hopeless} {certain} {others}");
    start
}

#[test]
fn all_positions_of_two_stacks() {
    let start = compare(2);
    assert!((start - 0.906894841).abs() < 1e-9, "{start}");
}

#[test]
fn all_positions_of_three_stacks() {
    let start = compare(3);
    // Easier than with five cards a foundation: never lost.
    assert!((start - 1.0).abs() < 1e-9, "{start}");
}
