//! The stack game played naively, from its rules alone.
//!
//! A raw position is two texts, the remaining cards of each lane in order of need: `.` for a
//! card in the stock, a digit for a card on that stack. Nothing is renamed, swapped or merged,
//! and nothing here is shared with the table's ranking or solver.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_rational::BigRational;

/// How draws are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    Sorted,
    Choice,
}

/// A raw position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Raw {
    pub lanes: [String; 2],
}

impl Raw {
    /// From notation; `-` is an empty lane.
    pub fn new(a: &str, b: &str) -> Raw {
        let lane = |text: &str| play(if text == "-" { "" } else { text });
        Raw { lanes: [lane(a), lane(b)] }
    }

    /// All positions that drawing can lead to: for each stock card, those the player may
    /// choose from.
    fn draws(&self, stacks: u8) -> Vec<Vec<Raw>> {
        let mut draws = Vec::new();
        for lane in 0..2 {
            for (card, _) in self.lanes[lane].match_indices('.') {
                draws.push(self.choices(stacks, lane, card));
            }
        }
        draws
    }

    fn choices(&self, stacks: u8, lane: usize, card: usize) -> Vec<Raw> {
        let own = &self.lanes[lane];
        let with = |text: String| {
            let mut lanes = self.lanes.clone();
            lanes[lane] = play(&text);
            Raw { lanes }
        };
        if card == 0 {
            return vec![with(own[1..].to_owned())];
        }
        let allowed = |stack: &char| {
            let sooner_own = own[..card].contains(*stack);
            let other = &self.lanes[1 - lane];
            let distance = stock(&own[..card]);
            let sooner_other =
                other.char_indices().any(|(at, c)| c == *stack && stock(&other[..at]) < distance);
            !sooner_own && !sooner_other
        };
        let stacks = (0..stacks).map(|s| char::from(b'0' + s));
        stacks
            .filter(allowed)
            .map(|stack| {
                let (before, after) = (&own[..card], &own[card + 1..]);
                with(format!("{before}{stack}{after}"))
            })
            .collect()
    }

    fn is_won(&self) -> bool {
        self.lanes.iter().all(String::is_empty)
    }
}

/// Stock cards of part of a lane.
fn stock(cards: &str) -> usize {
    cards.matches('.').count()
}

/// A stack card is played as soon as its lane needs it.
fn play(lane: &str) -> String {
    lane.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// Exact values, as fractions.
pub struct Exact {
    stacks: u8,
    combine: Combine,
    known: HashMap<Raw, BigRational>,
}

impl Exact {
    pub fn new(stacks: u8, combine: Combine) -> Self {
        Exact { stacks, combine, known: HashMap::new() }
    }

    pub fn value(&mut self, position: &Raw) -> BigRational {
        if position.is_won() {
            return fraction(1, 1);
        }
        if let Some(value) = self.known.get(position) {
            return value.clone();
        }
        let mut best = Vec::new();
        for choices in position.draws(self.stacks) {
            let values = choices.iter().map(|choice| self.value(choice));
            best.push(values.max().unwrap_or_else(|| fraction(0, 1)));
        }
        let value = match self.combine {
            Combine::Sorted => mean(&best),
            Combine::Choice => choose(&best),
        };
        self.known.insert(position.clone(), value.clone());
        value
    }
}

pub fn fraction(a: i64, b: i64) -> BigRational {
    BigRational::new(BigInt::from(a), BigInt::from(b))
}

fn mean(values: &[BigRational]) -> BigRational {
    values.iter().sum::<BigRational>() / BigInt::from(values.len())
}

/// (1 - q) mean + q E[better of two distinct draws], q = min(1, 9 (t - 1) / 130).
fn choose(values: &[BigRational]) -> BigRational {
    let t = values.len() as i64;
    if t == 1 {
        return values[0].clone();
    }
    let q = fraction(9 * (t - 1), 130).min(fraction(1, 1));
    let mut better = fraction(0, 1);
    for (i, a) in values.iter().enumerate() {
        for b in &values[i + 1..] {
            better += a.max(b);
        }
    }
    better /= BigInt::from(t * (t - 1) / 2);
    (fraction(1, 1) - &q) * mean(values) + q * better
}

/// Values in the table's integers, where 65535 stands for 1.
pub struct Entries {
    stacks: u8,
    combine: Combine,
    known: HashMap<Raw, u16>,
}

impl Entries {
    pub fn new(stacks: u8, combine: Combine) -> Self {
        Entries { stacks, combine, known: HashMap::new() }
    }

    pub fn value(&mut self, position: &Raw) -> u16 {
        if position.is_won() {
            return u16::MAX;
        }
        if let Some(&value) = self.known.get(position) {
            return value;
        }
        let mut best = Vec::new();
        for choices in position.draws(self.stacks) {
            let values = choices.iter().map(|choice| self.value(choice));
            best.push(u64::from(values.max().unwrap_or(0)));
        }
        let value = combine_entries(self.combine, best);
        self.known.insert(position.clone(), value);
        value
    }
}

/// The design's integer formulas, with the weights written out.
fn combine_entries(combine: Combine, mut best: Vec<u64>) -> u16 {
    best.sort_by(|a, b| b.cmp(a));
    let t = best.len() as u64;
    let weight = |i: u64| match combine {
        Combine::Sorted => 1,
        Combine::Choice if t == 1 => 1,
        Combine::Choice if t <= 15 => 130 + 18 * (t - i) - 9 * (t - 1),
        Combine::Choice => 2 * (t - i),
    };
    let divisor = match combine {
        Combine::Sorted => t,
        Combine::Choice if t == 1 => 1,
        Combine::Choice if t <= 15 => 130 * t,
        Combine::Choice => t * (t - 1),
    };
    let sum: u64 = (1..).zip(&best).map(|(i, value)| weight(i) * value).sum();
    ((sum + divisor / 2) / divisor) as u16
}

/// A small generator of random numbers (xorshift64*), so that a printed seed repeats a test.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }

    /// A lane of at most `cards` cards, `stock` of them in the stock.
    fn lane(&mut self, stacks: u8, cards: u64, stock: u64) -> String {
        if stock == 0 {
            return "-".to_owned();
        }
        let mut lane = ".".repeat(stock as usize);
        for _ in 0..self.below(cards - stock + 1) {
            let at = 1 + self.below(lane.len() as u64) as usize;
            let stack = char::from(b'0' + self.below(u64::from(stacks)) as u8);
            lane.insert(at, stack);
        }
        lane
    }

    /// The lanes of a legal position with at most `cards` cards each and at most `stock`
    /// stock cards together.
    pub fn position(&mut self, stacks: u8, cards: u64, stock: u64) -> [String; 2] {
        let a = self.below(stock.min(cards) + 1);
        let b = self.below((stock - a).min(cards) + 1);
        [self.lane(stacks, cards, a), self.lane(stacks, cards, b)]
    }
}

/// The smallest of all ways to write a position: stacks renamed, lanes swapped, and cards of
/// one gap and stack written once, in order.
pub fn smallest_form(position: &Raw, stacks: u8) -> [String; 2] {
    let mut forms = Vec::new();
    for names in renamings(stacks) {
        let lanes = position.lanes.each_ref().map(|lane| tidy(lane, &names));
        forms.push([lanes[1].clone(), lanes[0].clone()]);
        forms.push(lanes);
    }
    forms.into_iter().min().unwrap()
}

pub fn renamings(stacks: u8) -> Vec<Vec<u8>> {
    let Some(last) = stacks.checked_sub(1) else { return vec![Vec::new()] };
    let insert = |names: Vec<u8>| {
        (0..=names.len()).map(move |at| {
            let mut names = names.clone();
            names.insert(at, last);
            names
        })
    };
    renamings(last).into_iter().flat_map(insert).collect()
}

pub fn rename(lane: &str, names: &[u8]) -> String {
    let renamed = |c: char| match c.to_digit(10) {
        Some(stack) => char::from(b'0' + names[stack as usize]),
        None => c,
    };
    lane.chars().map(renamed).collect()
}

fn tidy(lane: &str, names: &[u8]) -> String {
    let gap = |gap: &str| {
        let mut stacks: Vec<char> = rename(gap, names).chars().collect();
        stacks.sort_unstable();
        stacks.dedup();
        stacks.into_iter().collect::<String>()
    };
    lane.split('.').map(gap).collect::<Vec<_>>().join(".")
}
