//! Which cards of a foundation the sampled subgames keep.

use crate::game::Game;

/// A plan of samples: for each foundation, a row of random orders of its cards. Sample number s
/// keeps the first cards of what is left, from a place on in an order, going round: order and
/// place change from sample to sample so that every card is kept about equally often, and two
/// boards that differ in one card are judged by mostly the same subgames.
#[derive(Debug)]
pub(super) struct Design {
    orders: [Vec<[u8; Game::MAX_RANKS]>; Game::FOUNDATIONS],
    samples: usize,
    ranks: usize,
}

impl Design {
    /// A plan of so many samples, for foundations of so many cards, from a seed.
    pub(super) fn new(samples: usize, ranks: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = samples.div_ceil(ranks);
        let orders = std::array::from_fn(|_| {
            let order = |_| {
                let mut order = std::array::from_fn(|card| card as u8);
                random.shuffle(&mut order[..ranks]);
                order
            };
            (0..count).map(order).collect()
        });
        Self { orders, samples, ranks }
    }

    /// The sets that the samples keep of the cards that are left of a foundation, bit i for card
    /// i: sets of `size` cards, or one set of all cards when there are no more.
    pub(super) fn sets(&self, foundation: usize, left: u16, size: usize) -> Vec<u16> {
        if left.count_ones() as usize <= size {
            return vec![left];
        }
        let orders = self.orders[foundation].iter();
        let places = orders.flat_map(|order| (0..self.ranks).map(move |from| (order, from)));
        let set = |(order, from): (&[u8; Game::MAX_RANKS], usize)| {
            let order = &order[..self.ranks];
            let round = order[from..].iter().chain(&order[..from]);
            let kept = round.filter(|&&card| left >> card & 1 != 0).take(size);
            kept.map(|&card| 1u16 << card).sum()
        };
        places.take(self.samples).map(set).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_rounds_keep_every_card_equally_often() {
        let design = Design::new(26, 13, 1);
        for foundation in 0..4 {
            let sets = design.sets(foundation, 0x1fff, 7);
            assert_eq!(sets.len(), 26);
            for card in 0..13 {
                let kept = sets.iter().filter(|&&set| set >> card & 1 != 0).count();
                assert_eq!(kept, 14);
            }
        }
    }

    #[test]
    fn sets_are_of_what_is_left() {
        let design = Design::new(40, 13, 1);
        for left in [0u16, 0x1f, 0xffe, 0x15ab, 0x1fff] {
            for set in design.sets(2, left, 6) {
                assert_eq!(set & !left, 0);
                assert_eq!(set.count_ones(), left.count_ones().min(6));
            }
        }
    }
}
