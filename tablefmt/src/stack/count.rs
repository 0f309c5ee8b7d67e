//! Number of positions in closed form, by Burnside's lemma.
//!
//! The group of the `N!` renamings and the swap of the lanes acts on pairs of lanes. A
//! renaming `p` keeps `F(p)^2` pairs, where `F(p)` is the number of lanes it keeps; `p`
//! together with the swap keeps `(a, b)` when `a = p b` and `b = p a`, which are `F(p p)`
//! pairs. The number of positions is the mean over the group. This shares nothing with the
//! ranking, and checks it.

use super::spec::{Cards, Stacks};

/// Number of positions of the stack game with so many stacks and `cards` cards a lane.
pub fn positions(stacks: Stacks, cards: Cards) -> u64 {
    let n = usize::from(stacks.get());
    let mut total: u128 = 0;
    let mut group: u128 = 0;
    for cycles in partitions(n, n) {
        let class = u128::from(class_size(n, &cycles));
        let kept = u128::from(lanes_kept(&cycles, cards));
        let squared: Vec<usize> = cycles.iter().flat_map(|&c| square_of_cycle(c)).collect();
        total += class * (kept * kept + u128::from(lanes_kept(&squared, cards)));
        group += 2 * class;
    }
    (total / group) as u64
}

/// Number of lanes, renamings apart.
pub fn lanes(stacks: Stacks, cards: Cards) -> u64 {
    lanes_kept(&vec![1; usize::from(stacks.get())], cards)
}

/// Lanes kept by a renaming with these cycle lengths: all stacks of a cycle have the same
/// pattern. With `k` stock cards the lanes are counted by the coefficients of
/// `prod (1 + z^c)^k` up to `z^(n-k)`.
fn lanes_kept(cycles: &[usize], cards: Cards) -> u64 {
    let n = usize::from(cards.get());
    let lanes_with_stock = |k: usize| -> u64 {
        let room = n - k;
        let mut by_cards = vec![0u64; room + 1];
        by_cards[0] = 1;
        for &cycle in cycles {
            for _gap in 0..k {
                for size in (cycle..=room).rev() {
                    by_cards[size] += by_cards[size - cycle];
                }
            }
        }
        by_cards.iter().sum()
    };
    (0..=n).map(lanes_with_stock).sum()
}

/// A cycle of even length falls into two halves when its permutation is done twice.
fn square_of_cycle(length: usize) -> Vec<usize> {
    if length.is_multiple_of(2) { vec![length / 2; 2] } else { vec![length] }
}

/// Partitions of `n` into parts of at most `largest`, in descending order.
fn partitions(n: usize, largest: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        partitions(n - first, first).into_iter().map(move |mut rest| {
            rest.insert(0, first);
            rest
        })
    };
    (1..=largest.min(n)).flat_map(with_first).collect()
}

/// Number of permutations of `n` with these cycle lengths: `n! / prod (c^m m!)`.
fn class_size(n: usize, cycles: &[usize]) -> u64 {
    let factorial = |n: usize| (1..=n as u64).product::<u64>();
    let mut size = factorial(n);
    for length in 1..=n {
        let times = cycles.iter().filter(|&&c| c == length).count();
        size /= (length as u64).pow(times as u32) * factorial(times);
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_counts() {
        let cards = Cards::try_from(12).unwrap();
        let expected = [185_745, 30_440_608, 780_027_792, 6_277_078_309, 23_328_935_025];
        for (stacks, expected) in (1..=5).zip(expected) {
            assert_eq!(positions(Stacks::try_from(stacks).unwrap(), cards), expected);
        }
        let lanes_of = |stacks| lanes(Stacks::try_from(stacks).unwrap(), cards);
        assert_eq!((lanes_of(3), lanes_of(4)), (96_598, 544_085));
    }
}
