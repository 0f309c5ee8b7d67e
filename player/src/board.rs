//! Boards: positions in which every stack card is meant for a foundation.

use crate::game::{Foundation, Game, Rank, Slot, SlotSet};

/// A stack of cards, the bottom first.
#[derive(Debug, Clone, Copy)]
pub struct Stack {
    len: u8,
    cards: [Slot; Game::MAX_CARDS],
}

impl Stack {
    const EMPTY: Self = Self { len: 0, cards: [Slot(0); Game::MAX_CARDS] };

    /// The cards, the bottom first.
    pub fn cards(&self) -> &[Slot] {
        &self.cards[..usize::from(self.len)]
    }

    /// The top card.
    pub fn top(&self) -> Option<Slot> {
        self.cards().last().copied()
    }

    fn push(&mut self, card: Slot) {
        self.cards[usize::from(self.len)] = card;
        self.len += 1;
    }

    fn pop(&mut self) {
        self.len -= 1;
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.cards() == other.cards()
    }
}

impl Eq for Stack {}

/// Where the card of a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On its foundation.
    Built,
    /// Still to be drawn.
    Stock,
    /// On the stack with this number.
    Stack(usize),
}

/// A position of the game with an *assignment*: every stack card is the card of one slot.
///
/// Every foundation needs every rank once. The copies of a rank that are still in the stock
/// therefore take the slots of that rank that are neither built nor on a stack, and which copy
/// takes which does not matter: the stock is the set of slots that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    game: Game,
    built: [u8; Game::FOUNDATIONS],
    stock: SlotSet,
    stacks: [Stack; Game::MAX_STACKS],
}

impl Board {
    /// The position before the first draw, with all cards in the stock.
    pub fn new(game: Game) -> Self {
        Self {
            game,
            built: [0; Game::FOUNDATIONS],
            stock: game.slots(),
            stacks: [Stack::EMPTY; Game::MAX_STACKS],
        }
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// How many cards a foundation has; the cards with a smaller index are built.
    pub fn built(&self, foundation: Foundation) -> usize {
        usize::from(self.built[foundation.index()])
    }

    /// The slots whose cards are still in the stock. It has as many cards as slots.
    pub fn stock(&self) -> SlotSet {
        self.stock
    }

    /// How many cards of a rank are still in the stock.
    pub fn stock_of(&self, rank: Rank) -> usize {
        self.stock.iter().filter(|&slot| self.game.rank(slot) == rank).count()
    }

    /// The stacks of the game.
    pub fn stacks(&self) -> &[Stack] {
        &self.stacks[..self.game.stacks()]
    }

    /// Where the card of a slot is.
    pub fn place(&self, slot: Slot) -> Place {
        if slot.index() < self.built(slot.foundation()) {
            return Place::Built;
        }
        if self.stock.contains(slot) {
            return Place::Stock;
        }
        let stack = self.stacks().iter().position(|stack| stack.cards().contains(&slot));
        Place::Stack(stack.expect("what is neither built nor in the stock is on a stack"))
    }

    /// Whether a slot is the next one of its foundation.
    pub fn is_next(&self, slot: Slot) -> bool {
        slot.index() == self.built(slot.foundation())
    }

    /// Whether all cards are built.
    pub fn is_won(&self) -> bool {
        self.built.iter().all(|&built| usize::from(built) == self.game.ranks())
    }

    /// Builds the card of a slot from the stock. The slot must be in the stock and be next.
    pub fn build(&mut self, slot: Slot) {
        debug_assert!(self.is_next(slot) && self.stock.contains(slot));
        self.stock.remove(slot);
        self.built[slot.foundation().index()] += 1;
    }

    /// Puts the card of a slot from the stock on a stack.
    pub fn put(&mut self, slot: Slot, stack: usize) {
        debug_assert!(self.stock.contains(slot) && stack < self.game.stacks());
        self.stock.remove(slot);
        self.stacks[stack].push(slot);
    }

    /// Moves top cards to the foundations they are meant for until none can move.
    pub fn settle(&mut self) {
        let mut moved = true;
        while moved {
            moved = false;
            for stack in 0..self.game.stacks() {
                while let Some(slot) = self.stacks[stack].top().filter(|&top| self.is_next(top)) {
                    self.stacks[stack].pop();
                    self.built[slot.foundation().index()] += 1;
                    moved = true;
                }
            }
        }
    }
}
