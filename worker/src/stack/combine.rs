//! From the best values of the draws to the value of a position, in integers.
//!
//! With `t` draws, each equally likely, whose best values are `v`, rule `sorted-1` is
//! `(sum v + t/2) / t`. Rule `choice-1` takes the values in descending order and weights them:
//!
//! ```text
//! t <= 15:  sum v_i (130 - 9(t-1) + 18(t-i)) / (130 t)
//! t >= 16:  sum v_i 2(t-i) / (t(t-1))
//! ```
//!
//! rounded to nearest. The only sums needed are those of `v_i` and of `v_i (t - i)`, and the
//! second is the sum of the first `t - 1` prefix sums of the first.

use retrotab_tablefmt::stack::Rule;

use super::simd::{LANES, Tile, Values};

/// The most draws a position can have: 13 cards in each of two lanes.
pub(super) const MAX_DRAWS: usize = 26;

/// Best values of the draws of a tile of positions: by draw, row and column.
pub(super) type Draws = [Tile; MAX_DRAWS];

/// Value of a won position: probability 1.
pub(super) const WON: u16 = u16::MAX;

/// Exact division of small integers by a constant, by multiplication (Granlund and
/// Montgomery 1994): with `m = floor(2^s / d) + 1`, `floor(x / d) = (x m) >> s` for all
/// `x (m d - 2^s) < 2^s`; here `d <= 1950`, `x <= 65535 d + d / 2` and `s = 38` (for `d < 64`,
/// `s = 32`, so that `m` fits 32 bits).
#[derive(Debug, Clone, Copy)]
struct Divisor {
    factor: u32,
    shift: u32,
    half: u32,
}

impl Divisor {
    fn new(divisor: u32) -> Self {
        let shift = if divisor < 64 { 32 } else { 38 };
        // 2^32 / 1 + 1 does not fit; dividing by 1 is never asked for (see `Combine::new`).
        let factor = ((1u64 << shift) / u64::from(divisor) + 1) as u32;
        Divisor { factor, shift, half: divisor / 2 }
    }

    /// `x / divisor`, rounded to nearest, halves up.
    #[inline(always)]
    fn round(self, x: u32) -> u16 {
        ((u64::from(x + self.half) * u64::from(self.factor)) >> self.shift) as u16
    }
}

/// How the draws of the positions of one level are combined.
#[derive(Debug, Clone)]
pub(super) struct Combine {
    draws: usize,
    divisor: Divisor,
    weights: Weights,
}

#[derive(Debug, Clone)]
enum Weights {
    /// All alike.
    Equal,
    /// After sorting by `network`: `constant * sum v_i + slope * sum v_i (t - i)`.
    Descending { constant: u32, slope: u32, network: Vec<(u8, u8)> },
}

impl Combine {
    /// For positions with `draws` draws, 1 to [`MAX_DRAWS`].
    pub(super) fn new(rule: Rule, draws: usize) -> Self {
        assert!((1..=MAX_DRAWS).contains(&draws), "{draws} draws");
        let t = draws as u32;
        let (constant, slope, divisor) = match rule {
            // A single draw decides; any weight will do that divides out.
            Rule::Sorted if t == 1 => (2, 0, 2),
            Rule::Sorted => (1, 0, t),
            Rule::Choice if t <= 15 => (130 - 9 * (t - 1), 18, 130 * t),
            Rule::Choice => (0, 2, t * (t - 1)),
        };
        let weights = match rule {
            Rule::Sorted if t > 1 => Weights::Equal,
            _ => Weights::Descending { constant, slope, network: sorting_network(draws) },
        };
        Combine { draws, divisor: Divisor::new(divisor), weights }
    }

    /// The values of the sixteen positions of one row of a tile.
    #[inline(always)]
    pub(super) fn combine(&self, draws: &Draws, row: usize) -> Values {
        let draws = &draws[..self.draws];
        let sum = match &self.weights {
            Weights::Equal => {
                let mut sum = [0u32; LANES];
                for tile in draws {
                    for lane in 0..LANES {
                        sum[lane] += u32::from(tile[row][lane]);
                    }
                }
                sum
            }
            Weights::Descending { constant, slope, network } => {
                let mut best = [[0; LANES]; MAX_DRAWS];
                for (best, tile) in best.iter_mut().zip(draws) {
                    *best = tile[row];
                }
                let best = &mut best[..draws.len()];
                sort_descending(best, network);
                weigh_descending(best, *constant, *slope)
            }
        };
        std::array::from_fn(|lane| self.divisor.round(sum[lane]))
    }
}

#[inline(always)]
fn weigh_descending(sorted: &[Values], constant: u32, slope: u32) -> [u32; LANES] {
    let mut prefix = [0u32; LANES];
    let mut ranked = [0u32; LANES];
    for values in sorted {
        for lane in 0..LANES {
            // Before this value is added, so that value i is counted t - i times.
            ranked[lane] += prefix[lane];
            prefix[lane] += u32::from(values[lane]);
        }
    }
    std::array::from_fn(|lane| constant * prefix[lane] + slope * ranked[lane])
}

#[inline(always)]
fn sort_descending(values: &mut [Values], network: &[(u8, u8)]) {
    for &(high, low) in network {
        let (a, b) = (values[usize::from(high)], values[usize::from(low)]);
        values[usize::from(high)] = std::array::from_fn(|lane| a[lane].max(b[lane]));
        values[usize::from(low)] = std::array::from_fn(|lane| a[lane].min(b[lane]));
    }
}

/// Batcher's odd-even merge sort for `n` values, as pairs to compare and exchange (Knuth, The
/// Art of Computer Programming 3, algorithm 5.2.2M).
fn sorting_network(n: usize) -> Vec<(u8, u8)> {
    let mut network = Vec::new();
    let top = n.next_power_of_two() / 2;
    let mut p = top;
    while p > 0 {
        let (mut q, mut r, mut d) = (top, 0, p);
        loop {
            let compared = (0..n - d).filter(|i| i & p == r);
            network.extend(compared.map(|i| (i as u8, (i + d) as u8)));
            if q == p {
                break;
            }
            (d, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
    network
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_exact_where_it_is_used() {
        for rule in [Rule::Sorted, Rule::Choice] {
            for t in 1..=MAX_DRAWS as u32 {
                let divisor = match rule {
                    Rule::Sorted => t.max(2),
                    Rule::Choice if t <= 15 => 130 * t,
                    Rule::Choice => t * (t - 1),
                };
                let d = Divisor::new(divisor);
                for quotient in 0..=u32::from(WON) {
                    let at = quotient * divisor;
                    let half = divisor.div_ceil(2);
                    for x in [at.saturating_sub(divisor / 2), at, at + half - 1] {
                        assert_eq!(u32::from(d.round(x)), (x + divisor / 2) / divisor, "{x}");
                    }
                }
            }
        }
    }

    #[test]
    fn networks_sort() {
        // By the zero-one principle it is enough to sort all zeros and ones.
        for n in 1..=18usize {
            let network = sorting_network(n);
            for bits in 0..1u32 << n {
                let mut sorted = bits;
                for &(high, low) in &network {
                    let (a, b) = (sorted >> high & 1, sorted >> low & 1);
                    if a < b {
                        sorted ^= 1 << high | 1 << low;
                    }
                }
                assert_eq!(sorted, (1 << bits.count_ones()) - 1, "{n} values");
            }
        }
        // Larger ones on every sequence of zeros and ones with up to three changes.
        for n in 19..=MAX_DRAWS {
            let network = sorting_network(n);
            for (a, b) in (0..=n).flat_map(|a| (a..=n).map(move |b| (a, b))) {
                for c in b..=n {
                    let one = |i: usize| (a..b).contains(&i) || i >= c;
                    let mut values: Vec<_> = (0..n).map(|i| [u16::from(one(i)); LANES]).collect();
                    sort_descending(&mut values, &network);
                    assert!(values.is_sorted_by(|x, y| x[0] >= y[0]), "{n} values");
                }
            }
        }
    }

    #[test]
    fn sums_follow_the_formulas() {
        let mut seed = 1u64;
        for rule in [Rule::Sorted, Rule::Choice] {
            for t in 1..=MAX_DRAWS {
                let mut best = [[0; LANES]; MAX_DRAWS];
                for values in &mut best[..t] {
                    for value in values {
                        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                        *value = if seed >> 60 == 0 { WON } else { (seed >> 48) as u16 };
                    }
                }
                let draws = best.map(|values| [values; LANES]);
                let values = Combine::new(rule, t).combine(&draws, LANES - 1);
                for lane in 0..LANES {
                    let mut v: Vec<u64> = best[..t].iter().map(|b| u64::from(b[lane])).collect();
                    v.sort_by(|a, b| b.cmp(a));
                    let n = t as u64;
                    let weight = |i: u64| match rule {
                        Rule::Sorted => 1,
                        Rule::Choice if n <= 15 => 130 + 18 * (n - i) - 9 * (n - 1),
                        Rule::Choice => 2 * (n - i),
                    };
                    let divisor = (1..=n).map(weight).sum::<u64>();
                    let sum: u64 = (1..).zip(&v).map(|(i, v)| weight(i) * v).sum();
                    assert_eq!(u64::from(values[lane]), (sum + divisor / 2) / divisor);
                }
            }
        }
    }
}
