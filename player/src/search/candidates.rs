//! What can become of a board when a card is drawn.

use crate::board::{Board, Moves};
use crate::evaluator::Evaluator;
use crate::game::{Foundation, Rank, Slot};
use crate::rules::Step;

/// How a candidate came about: where the drawn card went, and what moved then.
#[derive(Debug, Clone, Copy)]
pub struct Play {
    /// Where the drawn card went.
    pub first: Step,
    /// Moves after that.
    pub moves: Moves,
}

impl Play {
    /// All steps in order.
    pub fn steps(&self) -> Vec<Step> {
        std::iter::once(self.first).chain(self.moves.steps()).collect()
    }
}

/// Boards with how they came about and what they are worth.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The boards.
    pub boards: Vec<Board>,
    /// How each came about.
    pub plays: Vec<Play>,
    /// What each is worth; as long as `boards` after [`evaluate`](Self::evaluate).
    pub values: Vec<f32>,
}

impl Candidates {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.boards.clear();
        self.plays.clear();
        self.values.clear();
    }

    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Adds what can become of a board when `rank` is drawn: every foundation that the card may
    /// be meant for, every place for it. Deadlocked boards are left out.
    pub fn extend(&mut self, board: &Board, rank: Rank) {
        let game = board.game();
        for foundation in Foundation::ALL {
            let slot = game.slot(foundation, rank);
            if board.stock().contains(slot) {
                self.extend_meant_for(board, slot);
            } else if board.is_next(slot) {
                self.extend_instead(board, slot);
            }
        }
    }

    fn extend_meant_for(&mut self, board: &Board, slot: Slot) {
        if board.is_next(slot) {
            let mut next = *board;
            next.build(slot);
            self.push(next, Step::Build(slot.foundation()));
            return;
        }
        let mut empty_seen = false;
        for (number, stack) in board.stacks().iter().enumerate() {
            if stack.cards().is_empty() && std::mem::replace(&mut empty_seen, true) {
                continue;
            }
            let mut next = *board;
            next.put(slot, number);
            if next.stuck() == 0 {
                self.push(next, Step::Put(number));
            }
        }
    }

    /// The drawn card is built on a slot for which a buried card was meant; that card takes the
    /// slot of another stock copy.
    fn extend_instead(&mut self, board: &Board, slot: Slot) {
        let game = board.game();
        let rank = game.rank(slot);
        for other in Foundation::ALL.into_iter().map(|f| game.slot(f, rank)) {
            if board.stock().contains(other) {
                let mut next = *board;
                next.exchange(slot, other);
                next.build(slot);
                if next.stuck() == 0 {
                    self.push(next, Step::Build(slot.foundation()));
                }
            }
        }
    }

    fn push(&mut self, mut board: Board, first: Step) {
        let mut moves = Moves::default();
        board.settle(&mut moves);
        self.boards.push(board);
        self.plays.push(Play { first, moves });
    }

    /// Adds the boards that differ from one by an exchange of what two cards of a rank are meant
    /// for, with the moves that become possible.
    pub fn exchange(&mut self, board: &Board, play: &Play) {
        let game = board.game();
        for stack in board.stacks() {
            for &card in stack.cards() {
                let rank = game.rank(card);
                for other in Foundation::ALL.into_iter().map(|f| game.slot(f, rank)) {
                    let built = other.index() < board.built(other.foundation());
                    let twice = other < card && !board.stock().contains(other);
                    if other == card || built || twice {
                        continue;
                    }
                    let mut next = *board;
                    next.exchange(card, other);
                    if next.stuck() == 0 {
                        let mut moves = play.moves;
                        next.settle(&mut moves);
                        self.boards.push(next);
                        self.plays.push(Play { first: play.first, moves });
                    }
                }
            }
        }
    }

    /// Values all candidates.
    pub fn evaluate(&mut self, evaluator: &dyn Evaluator) {
        self.values.resize(self.boards.len(), 0.0);
        evaluator.evaluate(&self.boards, &mut self.values);
    }

    /// The best candidate, the first one of equals.
    pub fn best(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (at, &value) in self.values.iter().enumerate() {
            if best.is_none_or(|best| value > self.values[best]) {
                best = Some(at);
            }
        }
        best
    }

    /// Adds one candidate with its value.
    pub fn add(&mut self, board: Board, play: Play, value: f32) {
        self.boards.push(board);
        self.plays.push(play);
        self.values.push(value);
    }
}
