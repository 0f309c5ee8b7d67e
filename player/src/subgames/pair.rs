//! What is left of a board when only two foundations' cards are kept.

use super::arrangement::{Arrangement, Card};
use super::lane::{Lane, ON_OTHER, stacked};
use super::position::Position;
use super::rules::Rules;
use crate::board::Board;
use crate::game::{Foundation, Game};

/// Cards of two chains on a stack, bottom first.
#[derive(Debug, Clone, Copy)]
struct Pile {
    height: usize,
    cards: [Card; 2 * Game::MAX_RANKS],
}

impl Pile {
    fn cards(&self) -> &[Card] {
        &self.cards[..self.height]
    }

    fn top(&self) -> Option<Card> {
        self.cards().last().copied()
    }
}

/// The two-foundation game that a board is for two foundations, with the same simplifications as
/// in a [`Position`](super::Position): moves are made, a card directly on the one needed after it
/// is one with it, and a last card at the bottom of a stack is forgotten. The cards keep their
/// indices on their foundation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    stacks: usize,
    /// By lane: bit i for card i, if it is still there.
    cards: [u16; 2],
    piles: [Pile; Game::MAX_STACKS],
}

/// Tells apart any two pairs with different games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PairKey([u64; 2]);

impl Pair {
    /// The pair of two foundations of a board that is not deadlocked.
    pub(super) fn new(board: &Board, foundations: (Foundation, Foundation)) -> Self {
        let lanes = [foundations.0, foundations.1];
        let all = (1u16 << board.game().ranks()) - 1;
        let cards = lanes.map(|lane| all & !((1u16 << board.built(lane)) - 1));
        let empty = Pile { height: 0, cards: [Card::default(); 2 * Game::MAX_RANKS] };
        let stacks = board.stacks().len();
        let mut pair = Self { stacks, cards, piles: [empty; Game::MAX_STACKS] };
        for (pile, stack) in pair.piles.iter_mut().zip(board.stacks()) {
            for slot in stack.cards() {
                let lane = usize::from(slot.foundation() != lanes[0]);
                pile.cards[pile.height] = Card::new(lane, slot.index());
                pile.height += usize::from(slot.foundation() == lanes[lane]);
            }
        }
        pair.build();
        pair.merge();
        pair.forget_grounded();
        pair
    }

    /// The cards of a lane that are left: bit i for card i.
    pub(super) fn cards(&self, lane: usize) -> u16 {
        self.cards[lane]
    }

    /// Makes all moves.
    fn build(&mut self) {
        let mut moved = true;
        while moved {
            moved = false;
            for pile in &mut self.piles[..self.stacks] {
                while let Some(top) = pile.top() {
                    let cards = &mut self.cards[top.lane()];
                    if cards.trailing_zeros() as usize != top.index() {
                        break;
                    }
                    *cards &= *cards - 1;
                    pile.height -= 1;
                    moved = true;
                }
            }
        }
    }

    fn merge(&mut self) {
        for pile in &mut self.piles[..self.stacks] {
            let mut height = 0;
            for at in 0..pile.height {
                let card = pile.cards[at];
                let cards = &mut self.cards[card.lane()];
                let later = u32::from(*cards) >> (card.index() + 1) << (card.index() + 1);
                let follows = Card::new(card.lane(), later.trailing_zeros() as usize);
                if height > 0 && pile.cards[height - 1] == follows {
                    *cards &= !(1 << card.index());
                } else {
                    pile.cards[height] = card;
                    height += 1;
                }
            }
            pile.height = height;
        }
    }

    fn forget_grounded(&mut self) {
        let mut forgot = true;
        while forgot {
            forgot = false;
            for pile in &mut self.piles[..self.stacks] {
                let Some(&bottom) = pile.cards().first() else { continue };
                let cards = &mut self.cards[bottom.lane()];
                if cards.ilog2() as usize == bottom.index() {
                    *cards &= !(1 << bottom.index());
                    pile.cards.copy_within(1..pile.height, 0);
                    pile.height -= 1;
                    forgot = true;
                }
            }
        }
    }

    /// The key of this game on the pair of foundations with this number: four bits a card.
    pub(super) fn key(&self, number: usize) -> PairKey {
        /// What stands for a card that is gone. 0 is one in the stock, 8 or more one on a stack.
        const GONE: u64 = 1;
        let mut lanes = self.cards.map(|cards| {
            (0..16).map(|card| (u64::from(cards >> card & 1 == 0) * GONE) << (4 * card)).sum()
        });
        for (stack, pile) in self.piles[..self.stacks].iter().enumerate() {
            let mut below = None;
            for card in pile.cards() {
                let on_other = below.is_some_and(|lane| lane != card.lane());
                let symbol = 8 | (stack as u64) << 1 | u64::from(on_other);
                lanes[card.lane()] |= symbol << (4 * card.index());
                below = Some(card.lane());
            }
        }
        // No foundation has a card 15.
        let lane: u64 = lanes[0];
        lanes[0] = lane ^ GONE << 60 ^ (number as u64) << 60;
        PairKey(lanes)
    }

    /// The smaller game of some of the cards.
    pub(super) fn subgame(&self, rules: Rules, kept: [&Kept; 2]) -> Position {
        /// No card. Its place is not 0, so that it is no next card.
        const NOTHING: u32 = 0xff;
        let mut symbols = [0u64; 2];
        let mut follows = [0u32; 2];
        for (stack, pile) in self.piles[..self.stacks].iter().enumerate() {
            let mut below = NOTHING;
            // Half of the cards are kept at random: no jump would be foreseen.
            for card in pile.cards() {
                let (lane, times) = (card.lane(), kept[card.lane()].times(card.index()));
                let place = kept[lane].place(card.index());
                let this = (lane as u32) << 4 | place;
                let on_other = u64::from(below != NOTHING) & u64::from(below >> 4 != lane as u32);
                let symbol = stacked(stack, on_other * ON_OTHER);
                symbols[lane] |= (symbol * u64::from(times)) << (4 * place);
                follows[lane] |= (times & u32::from(below == this + 1)) << place;
                below = if times == 1 { this } else { below };
            }
            if below & 15 == 0 {
                return self.subgame_with_moves(rules, kept);
            }
        }
        let lanes = [0, 1].map(|lane| Lane::of_symbols(kept[lane].len(), symbols[lane]));
        Position::joined(rules, lanes, follows)
    }

    /// The same when cards can move at once.
    fn subgame_with_moves(&self, rules: Rules, kept: [&Kept; 2]) -> Position {
        let mut cards = Arrangement::new(kept.map(Kept::len));
        for (stack, pile) in self.piles[..self.stacks].iter().enumerate() {
            for card in pile.cards() {
                let kept = kept[card.lane()];
                let place = kept.place(card.index()) as usize;
                cards.put_if(stack, Card::new(card.lane(), place), kept.times(card.index()));
            }
        }
        cards.live_position(rules)
    }
}

/// A set of a foundation's cards that a subgame keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    /// Bit i for card i.
    set: u16,
    /// Four bits a card: how many cards of the set come before it.
    places: u64,
}

impl Kept {
    /// The cards of a set, bit i for card i. At most 15.
    pub(super) fn new(set: u16) -> Self {
        let before = |card: u32| u64::from((set & ((1 << card) - 1)).count_ones());
        Self { set, places: (0..16).map(|card| before(card) << (4 * card)).sum() }
    }

    fn len(&self) -> usize {
        self.set.count_ones() as usize
    }

    /// 1 for a card that is kept, otherwise 0.
    fn times(&self, card: usize) -> u32 {
        u32::from(self.set) >> card & 1
    }

    fn place(&self, card: usize) -> u32 {
        (self.places >> (4 * card)) as u32 & 15
    }
}
