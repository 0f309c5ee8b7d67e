//! Boards: positions in which every stack card is meant for a foundation.

use crate::game::{Foundation, Game, Rank, Slot, SlotSet};
use crate::rules::{Position, Start, Step};

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
    /// The position at the start of a game.
    pub fn start(game: Game, start: Start) -> Self {
        let mut board = Self {
            game,
            built: [0; Game::FOUNDATIONS],
            stock: game.slots(),
            stacks: [Stack::EMPTY; Game::MAX_STACKS],
        };
        for foundation in Foundation::ALL {
            for index in 0..start.laid_out() {
                board.build(Slot::new(foundation, index));
            }
        }
        board
    }

    /// A position with some assignment: each stack card is meant for the first foundation that
    /// still lacks its rank. Such a board is often deadlocked.
    pub fn of(position: &Position) -> Self {
        let game = position.game();
        let mut board = Self::start(game, Start::Stock);
        for foundation in Foundation::ALL {
            for index in 0..position.built(foundation) {
                board.build(Slot::new(foundation, index));
            }
        }
        for (number, stack) in position.stacks().iter().enumerate() {
            for &rank in stack {
                let mut slots = Foundation::ALL.into_iter().map(|f| game.slot(f, rank));
                let slot = slots.find(|&slot| board.stock.contains(slot));
                board.put(slot.expect("a position has no more cards than the game"), number);
            }
        }
        board
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

    /// Exchanges what two cards of one rank are meant for. Neither slot may be built.
    pub fn exchange(&mut self, one: Slot, other: Slot) {
        debug_assert!(self.game.rank(one) == self.game.rank(other));
        for stack in &mut self.stacks[..self.game.stacks()] {
            for card in &mut stack.cards[..usize::from(stack.len)] {
                if *card == one {
                    *card = other;
                } else if *card == other {
                    *card = one;
                }
            }
        }
        if self.stock.contains(one) != self.stock.contains(other) {
            self.stock = SlotSet(self.stock.0 ^ (1 << one.0 | 1 << other.0));
        }
    }

    /// Moves top cards to the foundations they are meant for until none can move, and adds the
    /// moves in their order.
    pub fn settle(&mut self, moves: &mut Moves) {
        let mut moved = true;
        while moved {
            moved = false;
            for stack in 0..self.game.stacks() {
                while let Some(slot) = self.stacks[stack].top().filter(|&top| self.is_next(top)) {
                    self.stacks[stack].pop();
                    self.built[slot.foundation().index()] += 1;
                    moves.push(stack, slot.foundation());
                    moved = true;
                }
            }
        }
    }

    /// Number of cards that stay on the stacks even if all of the stock lies open: 0 unless the
    /// board is deadlocked.
    pub fn stuck(&self) -> usize {
        let mut built = self.built.map(u32::from);
        let mut heights = [0; Game::MAX_STACKS];
        for (height, stack) in heights.iter_mut().zip(self.stacks()) {
            *height = stack.cards().len();
        }
        let mut moved = true;
        while moved {
            moved = false;
            for foundation in Foundation::ALL {
                let next = &mut built[foundation.index()];
                *next += (self.stock.chain(foundation) >> *next).trailing_ones();
            }
            for (stack, height) in self.stacks().iter().zip(&mut heights) {
                while *height > 0 {
                    let top = stack.cards[*height - 1];
                    let next = &mut built[top.foundation().index()];
                    if top.index() as u32 != *next {
                        break;
                    }
                    *next += 1;
                    *height -= 1;
                    moved = true;
                }
            }
        }
        heights.iter().sum()
    }

    /// What really lies on the table.
    pub fn position(&self) -> Position {
        let built = self.built.map(usize::from);
        let ranks = |stack: &Stack| stack.cards().iter().map(|&c| self.game.rank(c)).collect();
        let stacks = self.stacks().iter().map(ranks).collect();
        Position::of(self.game, built, stacks).expect("a board has every card once")
    }

    /// Whether the same cards lie on the table, whatever they are meant for.
    pub fn looks_like(&self, other: &Self) -> bool {
        let alike = |(one, two): (&Stack, &Stack)| {
            one.len == two.len
                && one
                    .cards()
                    .iter()
                    .zip(two.cards())
                    .all(|(&a, &b)| self.game.rank(a) == self.game.rank(b))
        };
        self.built == other.built && self.stacks().iter().zip(other.stacks()).all(alike)
    }
}

/// Moves from stacks to foundations, in order.
#[derive(Debug, Clone, Copy)]
pub struct Moves {
    len: u8,
    moves: [u8; Game::MAX_CARDS],
}

impl Default for Moves {
    fn default() -> Self {
        Self { len: 0, moves: [0; Game::MAX_CARDS] }
    }
}

impl Moves {
    fn push(&mut self, stack: usize, foundation: Foundation) {
        self.moves[usize::from(self.len)] = (stack as u8) << 2 | foundation.0;
        self.len += 1;
    }

    /// The moves as steps.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        let moves = self.moves[..usize::from(self.len)].iter();
        moves.map(|&code| Step::Move(usize::from(code >> 2), Foundation(code & 3)))
    }
}
