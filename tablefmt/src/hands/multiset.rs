//! Ranks without suits: multisets of ranks, numbered.

use std::fmt;

use super::card::{Card, RANKS, Rank};
use super::evaluator::RankKey;

/// How many cards of each rank, at most four of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RankCounts(pub [u8; RANKS]);

impl RankCounts {
    /// The ranks of cards.
    pub fn of(cards: impl IntoIterator<Item = Card>) -> Self {
        let mut counts = RankCounts::default();
        cards.into_iter().for_each(|card| counts.0[card.rank().number()] += 1);
        counts
    }

    /// Those of both together, which may be more than four of a rank.
    pub fn plus(self, other: Self) -> Self {
        RankCounts(std::array::from_fn(|r| self.0[r] + other.0[r]))
    }

    /// Number of cards.
    pub fn cards(self) -> usize {
        self.0.iter().map(|&n| usize::from(n)).sum()
    }

    /// Whether a deck has so many cards of each rank.
    pub fn is_in_deck(self) -> bool {
        self.0.iter().all(|&n| n <= 4)
    }

    /// The different ranks, as bits.
    pub fn support(self) -> u16 {
        (0..RANKS).filter(|&r| self.0[r] > 0).map(|r| 1 << r).sum()
    }

    /// Its ranks with repetition, the highest first.
    pub fn ranks(self) -> impl Iterator<Item = Rank> {
        let times = move |rank: Rank| std::iter::repeat_n(rank, self.0[rank.number()].into());
        Rank::all().rev().flat_map(times)
    }

    /// A number that no other multiset of ranks has.
    pub fn key(self) -> RankKey {
        self.ranks().fold(RankKey::default(), |key, rank| key.with(rank))
    }

    /// One card of a rank less.
    ///
    /// # Panics
    /// When it has none.
    pub fn without(mut self, rank: usize) -> Self {
        self.0[rank] -= 1;
        self
    }
}

impl fmt::Display for RankCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ranks().try_for_each(|rank| rank.fmt(f))
    }
}

/// Number of a multiset in its [`Multisets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultisetId(pub u16);

/// All multisets of so many ranks, those with the highest ranks first.
#[derive(Debug, Clone)]
pub struct Multisets(Vec<RankCounts>);

impl Multisets {
    /// The multisets of `cards` ranks.
    pub fn new(cards: usize) -> Self {
        fn extend(counts: RankCounts, ranks: usize, left: usize, all: &mut Vec<RankCounts>) {
            if ranks == 0 {
                if left == 0 {
                    all.push(counts);
                }
                return;
            }
            for n in (0..=left.min(4)).rev() {
                let mut more = counts;
                more.0[ranks - 1] = n as u8;
                extend(more, ranks - 1, left - n, all);
            }
        }
        let mut all = Vec::new();
        extend(RankCounts::default(), RANKS, cards, &mut all);
        Multisets(all)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (MultisetId, RankCounts)> {
        self.0.iter().enumerate().map(|(i, &counts)| (MultisetId(i as u16), counts))
    }

    /// A multiset by its number.
    ///
    /// # Panics
    /// When there is none.
    pub fn get(&self, id: MultisetId) -> RankCounts {
        self.0[usize::from(id.0)]
    }

    /// The number of a multiset, or `None` when it has another number of cards.
    pub fn id(&self, counts: RankCounts) -> Option<MultisetId> {
        // In order, the counts of the ranks descend, those of the ace first.
        let found = self.0.binary_search_by(|c| counts.0.iter().rev().cmp(c.0.iter().rev()));
        found.ok().map(|i| MultisetId(i as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multisets_are_numbered_with_the_highest_first() {
        for (cards, count) in [(2, 91), (3, 455), (4, 1820), (5, 6175), (6, 18_395), (7, 49_205)] {
            let all = Multisets::new(cards);
            assert_eq!(all.count(), count);
            assert!(all.iter().all(|(id, counts)| all.id(counts) == Some(id)));
        }
        let four = Multisets::new(4);
        let names: Vec<String> = four.iter().map(|(_, counts)| counts.to_string()).collect();
        assert_eq!((&*names[0], &*names[1], &*names[1819]), ("AAAA", "AAAK", "2222"));
        assert_eq!(four.id(RankCounts::default()), None);
    }
}
