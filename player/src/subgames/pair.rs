//! What is left of a board when only two foundations' cards are kept.

use super::arrangement::{Arrangement, Card};
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
            (0..16).map(|card| u64::from(cards >> card & 1 == 0) * GONE << (4 * card)).sum()
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

    /// The smaller game of some of the cards: bit i for card i.
    pub(super) fn arrangement(&self, kept: [u16; 2]) -> Arrangement {
        let mut cards = Arrangement::new(kept.map(|kept| kept.count_ones() as usize));
        let places = kept.map(Places::new);
        for (stack, pile) in self.piles[..self.stacks].iter().enumerate() {
            for card in pile.cards() {
                let lane = card.lane();
                let times = usize::from(kept[lane] >> card.index() & 1);
                let place = places[lane].0[card.index()];
                cards.put_if(stack, Card::new(lane, usize::from(place)), times);
            }
        }
        cards
    }
}

/// How many cards of a set come before each card.
struct Places([u8; 16]);

impl Places {
    fn new(set: u16) -> Self {
        let mut places = [0; 16];
        let mut before = 0;
        for (card, place) in places.iter_mut().enumerate() {
            *place = before;
            before += (set >> card & 1) as u8;
        }
        Self(places)
    }
}
