//! Values as a table stores them: integers, rounded at every position.

use super::Mean;
use super::recursion::{Oracle, Worth};

/// What a table stores for probability 1.
pub const ONE: u16 = 65535;

/// Stored values under a rule.
pub struct Stored(pub Mean);

impl Worth for Stored {
    type Value = u16;

    fn won(&self) -> u16 {
        ONE
    }

    fn lost(&self) -> u16 {
        0
    }

    fn combine(&self, best: Vec<u16>) -> u16 {
        match self.0 {
            Mean::Plain => plain(&best),
            Mean::Choice => chosen(best),
        }
    }
}

/// An oracle of stored values.
pub fn entry(stacks: u8, mean: Mean) -> Oracle<Stored> {
    Oracle::new(stacks, Stored(mean))
}

fn plain(best: &[u16]) -> u16 {
    let draws = best.len() as u64;
    let sum: u64 = best.iter().map(|&value| u64::from(value)).sum();
    narrow((sum + draws / 2) / draws)
}

fn chosen(mut best: Vec<u16>) -> u16 {
    best.sort_by(|a, b| b.cmp(a));
    let t = best.len() as u64;
    let sum = |weight: &dyn Fn(u64) -> u64| -> u64 {
        (1..).zip(&best).map(|(i, &value)| weight(i) * u64::from(value)).sum()
    };
    let (sum, divisor) = match t {
        1 => (u64::from(best[0]), 1),
        2..=15 => (sum(&|i| 130 - 9 * (t - 1) + 18 * (t - i)), 130 * t),
        _ => (sum(&|i| 2 * (t - i)), t * (t - 1)),
    };
    narrow((sum + divisor / 2) / divisor)
}

fn narrow(value: u64) -> u16 {
    u16::try_from(value).expect("means of 16-bit values have 16 bits")
}
