//! What a draw from the stock is worth.

use super::memo::Value;
use super::rules::Rules;

/// How the values after the draws make the value before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draws {
    /// Every stock card is equally likely: their mean. The values are exact chances.
    Chance,
    /// As in `choice-1` of the stack tables, for a game with so many ranks. In Calculation a drawn
    /// card may take the part of any stock copy of its rank, so a draw offers some choice: with
    /// probability q = min(1, 9 (t - 1) / 130) the better one of two draws counts, t being the
    /// stock of a pair of whole foundations. The values are for playing; they are no chances.
    Choice {
        /// Ranks of the game, and so cards of a whole foundation.
        ranks: u8,
    },
}

impl Draws {
    /// The value before a draw from the values after each, which are put in order; rounded to the
    /// nearest.
    pub(super) fn value(self, rules: Rules, after: &mut [Value]) -> Value {
        let stock = after.len() as u64;
        let sum: u64 = after.iter().map(|value| u64::from(value.0)).sum();
        let Draws::Choice { ranks } = self else {
            return Value(((sum + stock / 2) / stock) as u32);
        };
        if stock == 1 {
            return after[0];
        }
        after.sort_unstable();
        // Each value times the number of values below it: the better one of two.
        let better: u64 = (0..).zip(&*after).map(|(below, value)| below * u64::from(value.0)).sum();
        // q is two / all. A subgame of few cards has its share of the whole stock.
        let chain = rules.chain() as u64;
        let whole = 130 * chain;
        let two = (9 * (u64::from(ranks) * stock).saturating_sub(chain)).min(whole);
        let weighed = (whole - two) * (stock - 1) * sum + 2 * two * better;
        let all = whole * stock * (stock - 1);
        Value(((weighed + all / 2) / all) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(chances: &[f64]) -> Vec<Value> {
        let one = f64::from(Value::ONE.0);
        chances.iter().map(|chance| Value((chance * one).round() as u32)).collect()
    }

    #[test]
    fn chance_is_the_mean() {
        let rules = Rules::new(3, 7).unwrap();
        let mean = Draws::Chance.value(rules, &mut values(&[0.2, 0.9, 0.1]));
        assert!((mean.chance() - 0.4).abs() < 1e-6);
    }

    #[test]
    fn choice_is_between_the_mean_and_the_better_of_two() {
        // Whole foundations, where the stack table's formula holds as it stands.
        let rules = Rules::new(3, 9).unwrap();
        let draws = Draws::Choice { ranks: 9 };
        for stock in 2..=18usize {
            let mut chances: Vec<f64> =
                (0..stock).map(|at| (at * 7 % stock) as f64 / 20.0).collect();
            let found = draws.value(rules, &mut values(&chances)).chance();
            chances.sort_by(|a, b| b.total_cmp(a));
            let t = stock as f64;
            let term = |(at, chance): (usize, &f64)| {
                let i = at as f64 + 1.0;
                match stock {
                    ..=15 => chance * (130.0 - 9.0 * (t - 1.0) + 18.0 * (t - i)) / (130.0 * t),
                    _ => chance * 2.0 * (t - i) / (t * (t - 1.0)),
                }
            };
            let expected: f64 = chances.iter().enumerate().map(term).sum();
            assert!((found - expected).abs() < 1e-6, "{stock}: {found}, not {expected}");
        }
    }
}
