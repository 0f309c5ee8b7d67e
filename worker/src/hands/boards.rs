//! Boards without suits, and boards of which some cards are of one suit.
//!
//! To count what flushes change, a board is seen as a set `X` of ranks whose cards are of one
//! suit *s*, and a multiset `T` of cards of other suits. [`Slots`] lists all `X` of three to
//! five cards in vectors of sixteen.

use std::sync::LazyLock;

use retrotab_tablefmt::hands::{MultisetId, Multisets, RANKS, RankCounts};

use crate::stack::simd::LANES;

/// Multisets of five ranks.
pub(super) const BOARDS: usize = 6175;
/// Those, rounded up to whole vectors.
pub(super) const PADDED: usize = BOARDS.next_multiple_of(LANES);

/// Sets of so many cards of the suit, with the multisets of the other cards.
#[derive(Debug)]
pub(super) struct SlotSize {
    /// Cards of the suit: 3, 4 or 5.
    pub(super) cards: usize,
    /// Vectors of sets.
    pub(super) vectors: usize,
    /// The sets, as bits; the last vector may have fewer than it could.
    pub(super) sets: Vec<u16>,
    /// The ranks of the other two cards; [`NO_CARD`] for each of them that there is not.
    pub(super) others: Vec<[u8; 2]>,
    /// The boards: by vector of sets, then by other cards, then by place in the vector.
    pub(super) boards: Vec<u16>,
}

/// Where a vector has no set.
pub(super) const NO_BOARD: u16 = u16::MAX;

impl SlotSize {
    fn new(cards: usize, boards: &Multisets) -> Self {
        let sets = (0..1_u16 << RANKS).filter(|set| set.count_ones() as usize == cards);
        let sets: Vec<u16> = sets.collect();
        let vectors = sets.len().div_ceil(LANES);
        let others: Vec<[u8; 2]> =
            Multisets::new(5 - cards).iter().map(|(_, c)| two_of(c)).collect();
        let mut numbers = Vec::with_capacity(others.len() * vectors * LANES);
        for vector in sets.chunks(LANES) {
            for (_, other) in Multisets::new(5 - cards).iter() {
                numbers.extend(vector.iter().map(|&set| board_of(boards, set, other)));
                numbers.resize(numbers.len().next_multiple_of(LANES), NO_BOARD);
            }
        }
        SlotSize { cards, vectors, sets, others, boards: numbers }
    }
}

/// Stands for a card that is not there.
pub(super) const NO_CARD: u8 = RANKS as u8;

/// The ranks of up to two cards.
pub(super) fn two_of(counts: RankCounts) -> [u8; 2] {
    let mut ranks = counts.ranks().map(|rank| rank.number() as u8);
    std::array::from_fn(|_| ranks.next().unwrap_or(NO_CARD))
}

/// In how many ways up to two cards can be had, by what is left of each rank.
#[derive(Debug)]
pub(super) struct Ways {
    /// One card of a rank; one way for no card.
    one: [i32; RANKS + 1],
    /// Two cards of a rank.
    two: [i32; RANKS + 1],
}

impl Ways {
    #[inline(always)]
    pub(super) fn new(left: impl Fn(usize) -> i32) -> Self {
        let (mut one, mut two) = ([1; RANKS + 1], [1; RANKS + 1]);
        for r in 0..RANKS {
            one[r] = left(r);
            two[r] = choose_two(left(r));
        }
        Ways { one, two }
    }

    /// The ways for two ranks of [`two_of`].
    #[inline(always)]
    pub(super) fn get(&self, [a, b]: [u8; 2]) -> i32 {
        let (a, b) = (usize::from(a), usize::from(b));
        if a == b { self.two[a] } else { self.one[a] * self.one[b] }
    }
}

/// The coefficient of `x^2` in `(1 + x)^n`; see [`super::suited`] for why `n` may be -1.
#[inline(always)]
fn choose_two(n: i32) -> i32 {
    n * (n - 1) / 2
}

/// The ranks of a set.
pub(super) fn counts_of(set: u16) -> RankCounts {
    RankCounts(std::array::from_fn(|r| (set >> r & 1) as u8))
}

fn board_of(boards: &Multisets, set: u16, other: RankCounts) -> u16 {
    let found = boards.id(counts_of(set).plus(other));
    // At most one card of a rank is of the suit, and at most two others: never more than four.
    found.expect("five cards").0
}

/// Everything about boards that no hand matters to.
#[derive(Debug)]
pub(super) struct Slots {
    /// The multisets of five ranks.
    pub(super) boards: Multisets,
    /// Three, four and five cards of the suit.
    pub(super) sizes: [SlotSize; 3],
}

impl Slots {
    /// Worked out when they are first asked for.
    pub(super) fn get() -> &'static Slots {
        static SLOTS: LazyLock<Slots> = LazyLock::new(|| {
            let boards = Multisets::new(5);
            let sizes = [3, 4, 5].map(|cards| SlotSize::new(cards, &boards));
            Slots { boards, sizes }
        });
        &SLOTS
    }

    /// The number of a set and other cards among the boards.
    pub(super) fn board(&self, set: u16, other: RankCounts) -> MultisetId {
        MultisetId(board_of(&self.boards, set, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_have_two_cards() {
        let ways = Ways::new(|r| r as i32 - 1);
        assert_eq!([ways.get([NO_CARD; 2]), ways.get([5, NO_CARD]), ways.get([5, 3])], [1, 4, 8]);
        assert_eq!([ways.get([5, 5]), ways.get([2, 2]), ways.get([1, 1])], [6, 0, 0]);
        assert_eq!([ways.get([0, NO_CARD]), ways.get([0, 0])], [-1, 1], "coefficients of 1/(1+x)");
    }

    #[test]
    fn slots_are_all_boards_with_three_cards_of_a_suit() {
        let slots = Slots::get();
        let counts = slots.sizes.each_ref().map(|s| (s.sets.len(), s.vectors, s.others.len()));
        assert_eq!(counts, [(286, 18, 91), (715, 45, 13), (1287, 81, 1)]);
        for size in &slots.sizes {
            assert_eq!(size.boards.len(), size.vectors * LANES * size.others.len());
        }
        assert_eq!(slots.boards.count(), BOARDS);
    }
}
