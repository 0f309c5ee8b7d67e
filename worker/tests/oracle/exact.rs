//! Values as exact fractions.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::Mean;
use super::recursion::{Oracle, Worth};

/// Exact values under a rule.
pub struct Exact(pub Mean);

impl Worth for Exact {
    type Value = BigRational;

    fn won(&self) -> BigRational {
        fraction(1, 1)
    }

    fn lost(&self) -> BigRational {
        fraction(0, 1)
    }

    fn combine(&self, best: Vec<BigRational>) -> BigRational {
        match self.0 {
            Mean::Plain => mean(&best),
            Mean::Choice => chosen(&best),
        }
    }
}

/// An oracle of exact values.
pub fn exact(stacks: u8, mean: Mean) -> Oracle<Exact> {
    Oracle::new(stacks, Exact(mean))
}

/// `numerator / denominator`, in lowest terms.
pub fn fraction(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

fn mean(values: &[BigRational]) -> BigRational {
    values.iter().sum::<BigRational>() / BigInt::from(values.len())
}

/// The meaning of `choice-1`: with probability `q` the better of two distinct draws counts,
/// else a single draw.
pub fn chosen(values: &[BigRational]) -> BigRational {
    let draws = values.len() as i64;
    let q = fraction(9 * (draws - 1), 130).min(fraction(1, 1));
    let single = (fraction(1, 1) - &q) * mean(values);
    if draws == 1 {
        return single;
    }
    let mut better = Vec::new();
    for (i, first) in values.iter().enumerate() {
        better.extend(values[..i].iter().map(|second| first.max(second).clone()));
    }
    single + q * mean(&better)
}

/// The printed sum of `choice-1` over the values in descending order.
pub fn chosen_by_sum(values: &[BigRational]) -> BigRational {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.cmp(a));
    let t = values.len() as i64;
    if t == 1 {
        return sorted.remove(0);
    }
    let weight = |i: i64| match t {
        ..=15 => fraction(130 - 9 * (t - 1) + 18 * (t - i), 130 * t),
        _ => fraction(2 * (t - i), t * (t - 1)),
    };
    (1..).zip(sorted).map(|(i, value)| weight(i) * value).sum()
}
