//! What must be played before what.
//!
//! A stack card waits for the cards of its foundation that come before it and for the cards that
//! lie on it; and for what those wait for. On a board that is not deadlocked this is an order,
//! and the cards can be taken in it one after another: each closure then follows from two that
//! are known, that of the card on it and that of the stack card before it on its foundation.

use crate::board::Board;
use crate::game::{Foundation, Game, Slot};

/// A stack card as the closures need it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stacked {
    /// What it is meant for.
    pub slot: Slot,
    /// Its stack.
    pub stack: u8,
    /// The cards of its foundation that come before it and those that lie on it.
    before: u64,
}

/// The stack cards of a board in an order in which they can be played once all of the stock
/// lies open.
pub struct View {
    built: [u8; Game::FOUNDATIONS],
    stock: u64,
    cards: [Stacked; Game::MAX_CARDS],
    len: usize,
}

impl View {
    /// Looks at a board that is not deadlocked. Cards that are stuck are left out.
    pub fn new(board: &Board) -> Self {
        let stock = board.stock().0;
        let mut view = Self {
            built: Foundation::ALL.map(|f| board.built(f) as u8),
            stock,
            cards: [Stacked::default(); Game::MAX_CARDS],
            len: 0,
        };
        let mut built = view.built.map(u32::from);
        let stacks = board.stacks();
        let mut heights = [0; Game::MAX_STACKS];
        for (height, stack) in heights.iter_mut().zip(stacks) {
            *height = stack.cards().len();
        }
        let mut above = [0u64; Game::MAX_STACKS];
        let mut moved = true;
        while moved {
            moved = false;
            for (foundation, next) in built.iter_mut().enumerate() {
                *next += ((stock >> (16 * foundation)) as u16 >> *next).trailing_ones();
            }
            for (number, stack) in stacks.iter().enumerate() {
                while let Some(&slot) = stack.cards()[..heights[number]].last() {
                    let next = &mut built[slot.foundation().index()];
                    if slot.index() as u32 != *next {
                        break;
                    }
                    *next += 1;
                    heights[number] -= 1;
                    moved = true;
                    let before = above[number] | view.earlier(slot);
                    above[number] |= 1 << slot.0;
                    view.cards[view.len] = Stacked { slot, stack: number as u8, before };
                    view.len += 1;
                }
            }
        }
        view
    }

    /// Cards built on a foundation.
    pub fn built(&self, foundation: Foundation) -> usize {
        usize::from(self.built[foundation.index()])
    }

    /// The stock, as bits of a [`SlotSet`](crate::SlotSet).
    pub fn stock(&self) -> u64 {
        self.stock
    }

    /// The stack cards, in an order in which they can be played.
    pub fn stacked(&self) -> &[Stacked] {
        &self.cards[..self.len]
    }

    /// The cards of a slot's foundation that come before it and are not built.
    pub fn earlier(&self, slot: Slot) -> u64 {
        let built = self.built[slot.foundation().index()];
        let chain = ((1u64 << slot.index()) - 1) >> built << built;
        chain << (16 * slot.foundation().0)
    }

    /// Calls `each` with every stack card of a set of foundations (bits of their slots) and all
    /// that must be played before it when only those foundations' cards count.
    pub fn closures(&self, foundations: u64, mut each: impl FnMut(&Stacked, u64)) {
        let mut on_stack = [0u64; Game::MAX_STACKS];
        let mut on_chain = [0u64; Game::FOUNDATIONS];
        for card in self.stacked() {
            if foundations >> card.slot.0 & 1 == 0 {
                continue;
            }
            let stack = &mut on_stack[usize::from(card.stack)];
            let chain = &mut on_chain[card.slot.foundation().index()];
            let needed = card.before & foundations | *stack | *chain;
            each(card, needed);
            *stack = needed;
            *chain = needed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::SlotSet;
    use crate::rules::Start;

    /// Boards that come up when cards are put anywhere that is not deadlocked.
    fn boards() -> impl Iterator<Item = Board> {
        (0..200).map(|seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            let game = Game::new(13, random.u8(2..=4)).unwrap();
            let mut board = Board::start(game, Start::Stock);
            for _ in 0..random.usize(..45) {
                let slots: Vec<Slot> = board.stock().iter().collect();
                let &slot = random.choice(&slots).unwrap();
                let mut next = board;
                if next.is_next(slot) {
                    next.build(slot);
                } else {
                    next.put(slot, random.usize(..game.stacks()));
                }
                next.settle(&mut Default::default());
                if next.stuck() == 0 {
                    board = next;
                }
            }
            board
        })
    }

    /// All that a card waits for, by following both reasons until nothing new comes.
    fn naive(board: &Board, card: Slot, foundations: u64) -> SlotSet {
        let mut needed = SlotSet::default();
        let mut open = vec![card];
        while let Some(card) = open.pop() {
            let mut reasons: Vec<Slot> = (board.built(card.foundation())..card.index())
                .map(|index| Slot::new(card.foundation(), index))
                .collect();
            for stack in board.stacks() {
                if let Some(at) = stack.cards().iter().position(|&c| c == card) {
                    reasons.extend(&stack.cards()[at + 1..]);
                }
            }
            for reason in reasons {
                if foundations >> reason.0 & 1 == 1 && !needed.contains(reason) {
                    needed.insert(reason);
                    open.push(reason);
                }
            }
        }
        needed
    }

    #[test]
    fn closures_are_what_following_the_reasons_gives() {
        for board in boards() {
            let view = View::new(&board);
            let cards: usize = board.stacks().iter().map(|stack| stack.cards().len()).sum();
            assert_eq!(view.stacked().len(), cards);
            for foundations in [u64::MAX, 0xffff_ffff, 0xffff_0000_0000_ffff, 0xffff_0000] {
                view.closures(foundations, |card, needed| {
                    assert_eq!(SlotSet(needed), naive(&board, card.slot, foundations));
                });
            }
        }
    }

    #[test]
    fn a_board_is_stuck_when_a_card_waits_for_itself() {
        let mut stuck = 0;
        for mut board in boards() {
            let Some(slot) = board.stock().iter().find(|&slot| !board.is_next(slot)) else {
                continue;
            };
            for stack in 0..board.game().stacks() {
                let before = board;
                board.put(slot, stack);
                let cards = board.stacks().iter().flat_map(|stack| stack.cards());
                let waits = |&&card: &&Slot| naive(&board, card, u64::MAX).contains(card);
                let waiting = cards.filter(waits).count();
                assert_eq!(board.stuck() > 0, waiting > 0);
                stuck += usize::from(waiting > 0);
                board = before;
            }
        }
        assert!(stuck > 50, "{stuck}");
    }
}
