//! The rank of five, six or seven cards.
//!
//! Every card has a 64-bit key; keys are added up. The low half of the sum names the multiset
//! of ranks and is looked up in a perfect hash table. Above it, four counters say whether a suit
//! has five cards; for five cards, the AND of their suit bits does. Flushes are looked up by the
//! ranks of their suit.

use std::sync::LazyLock;

use super::card::{Card, RANKS, Rank};
use super::multiset::{Multisets, RankCounts};
use super::perfect::PerfectIndex;
use super::rank::{Category, HandRank};

/// A number that names a multiset of up to seven ranks: the sum of one summand for each card.
///
/// The summands are the powers of five, so sums are numbers in base five whose digits are the
/// counts of the ranks. They are all multiplied by one odd number modulo 2^32, which keeps them
/// different and spreads them evenly over the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RankKey(pub(super) u32);

/// Odd, and such that the tables below can be built with it (a test builds them).
const SPREAD: u32 = 0x9E37_79B1;

const fn summand(rank: usize) -> u32 {
    SPREAD.wrapping_mul(5_u32.pow(rank as u32))
}

impl RankKey {
    /// With one more card of a rank.
    #[inline]
    pub fn with(self, rank: Rank) -> Self {
        RankKey(self.0.wrapping_add(summand(rank.number())))
    }

    /// The ranks of both together.
    #[inline]
    pub fn plus(self, other: RankKey) -> Self {
        RankKey(self.0.wrapping_add(other.0))
    }
}

/// Bit of the first suit's counter, four bits each, in a card's key.
const COUNTERS: u32 = 36;
/// Bit of the first suit, one bit each, in a card's key.
const SUIT_BITS: u32 = 56;

/// By card number; as many as make a power of two, so that no index is out of bounds.
static CARD_KEYS: [u64; 64] = {
    let mut keys = [0; 64];
    let mut card = 0;
    while card < 52 {
        let suit = card % 4;
        keys[card] = summand(card / 4) as u64
            | 1 << (COUNTERS + 4 * suit as u32)
            | 1 << (SUIT_BITS + suit as u32);
        card += 1;
    }
    keys
};

#[inline(always)]
fn card_key(card: Card) -> u64 {
    CARD_KEYS[card.number() & 63]
}

#[inline(always)]
fn sum(cards: &[Card]) -> u64 {
    cards.iter().map(|&card| card_key(card)).sum()
}

/// Counters that start at three have their highest bit set from five cards on.
const THREE_EACH: u64 = 0x3333 << COUNTERS;
const FIVE_OR_MORE: u64 = 0x8888 << COUNTERS;

/// Looks up the rank of hands. The tables take about 250 KiB.
#[derive(Debug)]
pub struct Evaluator {
    five: PerfectIndex<8192, 2048>,
    six: PerfectIndex<32_768, 8192>,
    seven: PerfectIndex<65_536, 16_384>,
    /// By the ranks of a suit, as bits; with five or more of them, the best flush.
    flush: Box<[u16; 1 << RANKS]>,
}

impl Evaluator {
    /// The evaluator, made when it is first asked for.
    pub fn get() -> &'static Evaluator {
        static EVALUATOR: LazyLock<Evaluator> = LazyLock::new(Evaluator::new);
        &EVALUATOR
    }

    fn new() -> Self {
        let five: Vec<(RankCounts, u16)> = ranks_of_five();
        let entries = |ranks: &[(RankCounts, u16)]| {
            ranks.iter().map(|(counts, rank)| (counts.key().0, *rank)).collect::<Vec<_>>()
        };
        let five = PerfectIndex::new(&entries(&five)).expect("a table of five");
        let six = one_more(6, &|counts| five.get(counts.key().0));
        let six = PerfectIndex::new(&entries(&six)).expect("a table of six");
        let seven = one_more(7, &|counts| six.get(counts.key().0));
        let seven = PerfectIndex::new(&entries(&seven)).expect("a table of seven");
        Evaluator { five, six, seven, flush: flushes() }
    }

    /// The rank of five cards. They must differ.
    #[inline]
    pub fn five(&self, cards: &[Card; 5]) -> HandRank {
        let keys: [u64; 5] = std::array::from_fn(|i| card_key(cards[i]));
        let one_suit = keys.iter().fold(u64::MAX, |and, key| and & key) >> SUIT_BITS;
        if one_suit != 0 {
            let ranks: u16 = cards.iter().map(|card| 1 << card.rank().number()).sum();
            return self.flush(ranks);
        }
        HandRank(self.five.get(keys.iter().sum::<u64>() as u32))
    }

    /// The rank of the best five of six cards. They must differ.
    #[inline]
    pub fn six(&self, cards: &[Card; 6]) -> HandRank {
        let sum = sum(cards) + THREE_EACH;
        if sum & FIVE_OR_MORE != 0 {
            return self.flush(flush_ranks(sum, cards));
        }
        HandRank(self.six.get(sum as u32))
    }

    /// The rank of the best five of seven cards. They must differ.
    #[inline]
    pub fn seven(&self, cards: &[Card; 7]) -> HandRank {
        let sum = sum(cards) + THREE_EACH;
        // With a flush there is no room for quads or a full house.
        if sum & FIVE_OR_MORE != 0 {
            return self.flush(flush_ranks(sum, cards));
        }
        HandRank(self.seven.get(sum as u32))
    }

    /// The best flush of at least five ranks of one suit, given as bits.
    #[inline]
    pub fn flush(&self, ranks: u16) -> HandRank {
        HandRank(self.flush[usize::from(ranks) & ((1 << RANKS) - 1)])
    }

    /// The rank of five cards of different suits. Of ranks that no five cards have, some rank.
    #[inline]
    pub fn five_ranks(&self, key: RankKey) -> HandRank {
        HandRank(self.five.get(key.0))
    }

    /// The best rank of seven cards if no five are of one suit. Of ranks that no seven cards
    /// have, some rank.
    #[inline]
    pub fn seven_ranks(&self, key: RankKey) -> HandRank {
        HandRank(self.seven.get(key.0))
    }
}

/// The ranks of the suit that has five or more cards.
#[inline(never)]
fn flush_ranks(sum: u64, cards: &[Card]) -> u16 {
    let suit = (sum & FIVE_OR_MORE).trailing_zeros().wrapping_sub(COUNTERS + 3) / 4;
    let bit = |card: &Card| u16::from(card.suit().number() as u32 == suit) << card.rank().number();
    cards.iter().fold(0, |ranks, card| ranks | bit(card))
}

/// The highest rank of a straight in these ranks, as bits.
fn straight(ranks: u16) -> Option<usize> {
    // The ace also stands below the two.
    let with_low_ace = ranks << 1 | ranks >> 12 & 1;
    (0..10).rev().find(|&low| with_low_ace >> low & 0b11111 == 0b11111).map(|low| low + 3)
}

/// What five cards of different suits are, in an order in which better is greater: category,
/// then their ranks, the more frequent ones first.
fn strength(counts: RankCounts) -> (std::cmp::Reverse<Category>, Vec<(u8, usize)>) {
    let mut by_count: Vec<(u8, usize)> =
        counts.0.iter().copied().zip(0..).filter(|&(n, _)| n > 0).collect();
    by_count.sort_unstable_by(|a, b| b.cmp(a));
    let shape: Vec<u8> = by_count.iter().map(|&(n, _)| n).collect();
    let category = match *shape {
        [4, ..] => Category::FourOfAKind,
        [3, 2] => Category::FullHouse,
        [3, ..] => Category::ThreeOfAKind,
        [2, 2, ..] => Category::TwoPair,
        [2, ..] => Category::OnePair,
        _ => match straight(counts.support()) {
            Some(high) => return (std::cmp::Reverse(Category::Straight), vec![(1, high)]),
            None => Category::HighCard,
        },
    };
    (std::cmp::Reverse(category), by_count)
}

/// The rank of every multiset of five ranks, as of cards of different suits.
fn ranks_of_five() -> Vec<(RankCounts, u16)> {
    let all = Multisets::new(5);
    let mut hands: Vec<_> = all.iter().map(|(_, c)| (strength(c), c)).collect();
    hands.sort_unstable_by(|a, b| b.0.cmp(&a.0));
    let mut next = 0;
    let mut category = None;
    let ranked = hands.into_iter().map(|((std::cmp::Reverse(found), _), counts)| {
        if category != Some(found) {
            (category, next) = (Some(found), found.best_rank());
        }
        next += 1;
        (counts, next - 1)
    });
    ranked.collect()
}

/// The rank of every multiset of `cards` ranks, by the best that is left without one card.
fn one_more(cards: usize, fewer: &dyn Fn(RankCounts) -> u16) -> Vec<(RankCounts, u16)> {
    let best = |counts: RankCounts| {
        let ranks = (0..RANKS).filter(|&r| counts.0[r] > 0);
        ranks.map(|r| fewer(counts.without(r))).min().unwrap_or(HandRank::WORST.0)
    };
    Multisets::new(cards).iter().map(|(_, counts)| (counts, best(counts))).collect()
}

/// The rank of the best flush of every set of at least five ranks.
fn flushes() -> Box<[u16; 1 << RANKS]> {
    let mut best = Box::new([HandRank::WORST.0; 1 << RANKS]);
    let fives = (0..1_u16 << RANKS).filter(|ranks| ranks.count_ones() == 5);
    // As numbers, sets with higher ranks are greater.
    let (mut straight_flushes, mut flushes) = (Vec::new(), Vec::new());
    for ranks in fives.rev() {
        match straight(ranks) {
            Some(high) => straight_flushes.push((std::cmp::Reverse(high), ranks)),
            None => flushes.push(ranks),
        }
    }
    straight_flushes.sort_unstable();
    let straight_flushes = straight_flushes.into_iter().map(|(_, ranks)| ranks);
    let ranked = straight_flushes.zip(Category::StraightFlush.best_rank()..);
    for (ranks, rank) in ranked.chain(flushes.into_iter().zip(Category::Flush.best_rank()..)) {
        best[usize::from(ranks)] = rank;
    }
    for ranks in (0..1_usize << RANKS).filter(|ranks| ranks.count_ones() > 5) {
        let without = (0..RANKS).filter(|r| ranks >> r & 1 == 1).map(|r| ranks & !(1 << r));
        best[ranks] = without.map(|fewer| best[fewer]).min().unwrap_or(HandRank::WORST.0);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straights_are_seen_from_the_wheel_to_the_ace() {
        assert_eq!(straight(0b1_0000_0000_1111), Some(3));
        assert_eq!(straight(0b1_1111_0000_0000), Some(12));
        assert_eq!(straight(0b1_1000_0000_0111), None, "no straight goes around the ace");
        assert_eq!(straight(0b0_0000_0111_1100), Some(6));
    }

    #[test]
    fn categories_start_where_the_ones_before_end() {
        let ranks = ranks_of_five();
        for category in Category::ALL {
            let of = |c: &&(RankCounts, u16)| HandRank(c.1).category() == category;
            let found: Vec<u16> = ranks.iter().filter(of).map(|c| c.1).collect();
            match category {
                Category::StraightFlush | Category::Flush => assert!(found.is_empty()),
                _ => assert_eq!(found[0], category.best_rank()),
            }
        }
        let flushes = flushes();
        assert_eq!(flushes[0b1_1111_0000_0000], 1);
        assert_eq!(flushes[0b1_0000_0000_1111], 10, "the steel wheel");
        assert_eq!(flushes[0b0_0000_0010_1111], 1599, "7-5-4-3-2");
    }
}
