//! Which cards of a foundation the sampled subgames keep.

use crate::game::Game;

/// A plan of samples: for each foundation, random orders of its cards. Each order gives two sets
/// of cards, the first and the last ones of what is left, and two orders of two foundations give
/// four subgames, every set with every set. So all cards and all pairs of cards of different
/// foundations are kept about equally often, and two boards that differ in one card are judged by
/// mostly the same subgames.
#[derive(Debug)]
pub(super) struct Design {
    orders: [Vec<[u8; Game::MAX_RANKS]>; Game::FOUNDATIONS],
    ranks: usize,
}

/// Subgames that two orders give.
const OF_ORDERS: usize = 4;

impl Design {
    /// A plan of at least so many samples, for foundations of so many cards, from a seed.
    pub(super) fn new(samples: usize, ranks: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let orders = std::array::from_fn(|_| {
            let order = |_| {
                let mut order = std::array::from_fn(|card| card as u8);
                random.shuffle(&mut order[..ranks]);
                order
            };
            (0..samples.div_ceil(OF_ORDERS)).map(order).collect()
        });
        Self { orders, ranks }
    }

    /// The sets of the cards that are left of a foundation, bit i for card i: two sets of `size`
    /// cards for each order, or one set of all cards when there are no more.
    pub(super) fn sets(&self, foundation: usize, left: u16, size: usize) -> Vec<u16> {
        if left.count_ones() as usize <= size {
            return vec![left];
        }
        let sets = |order: &[u8; Game::MAX_RANKS]| {
            let order = || order[..self.ranks].iter().filter(|&&card| left >> card & 1 != 0);
            let set = |cards: &mut dyn Iterator<Item = &u8>| {
                cards.take(size).map(|&card| 1u16 << card).sum()
            };
            [set(&mut order()), set(&mut order().rev())]
        };
        self.orders[foundation].iter().flat_map(sets).collect()
    }
}

/// Which sets of two foundations with so many sets the subgames are made of.
pub(super) fn subgames(sets: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
    let whole = sets.map(|sets| sets == 1);
    let count = match whole {
        [false, false] => sets[0] / 2 * OF_ORDERS,
        _ => sets[0].max(sets[1]),
    };
    (0..count).map(move |subgame| match whole {
        [false, false] => [subgame / 4 * 2 + subgame % 2, subgame / 4 * 2 + subgame / 2 % 2],
        _ => whole.map(|whole| if whole { 0 } else { subgame }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgames_keep_every_two_cards_equally_often() {
        let design = Design::new(40, 10, 1);
        let sets = [0, 3].map(|foundation| design.sets(foundation, 0x3ff, 5));
        assert_eq!(subgames(sets.each_ref().map(Vec::len)).count(), 40);
        for cards in (0..100).map(|both| [both / 10, both % 10]) {
            let keeps = |&kept: &[usize; 2]| {
                (0..2).all(|lane| sets[lane][kept[lane]] >> cards[lane] & 1 != 0)
            };
            assert_eq!(subgames(sets.each_ref().map(Vec::len)).filter(keeps).count(), 10);
        }
    }

    #[test]
    fn sets_are_of_what_is_left() {
        let design = Design::new(40, 13, 1);
        for left in [0u16, 0x1f, 0xffe, 0x15ab, 0x1fff] {
            let sets = design.sets(2, left, 6);
            assert_eq!(sets.len(), if left.count_ones() > 6 { 20 } else { 1 });
            for set in sets {
                assert_eq!(set & !left, 0);
                assert_eq!(set.count_ones(), left.count_ones().min(6));
            }
        }
    }

    #[test]
    fn what_is_whole_is_sampled_once() {
        assert!(subgames([1, 1]).eq([[0, 0]]));
        assert!(subgames([1, 3]).eq([[0, 0], [0, 1], [0, 2]]));
        assert!(subgames([2, 1]).eq([[0, 0], [1, 0]]));
    }
}
