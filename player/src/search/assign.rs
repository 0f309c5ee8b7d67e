//! Assignments for a position that nobody has thought about before.

use super::candidates::{Candidates, Play};
use super::{Settings, layouts};
use crate::board::{Board, Moves};
use crate::evaluator::Evaluator;
use crate::game::{Foundation, Slot};
use crate::rules::{Position, Step};

/// Random assignments from which the search starts.
const STARTS: usize = 12;
/// Exchanges that are tried to get an assignment out of a deadlock.
const ATTEMPTS: usize = 300;
/// Rounds of exchanges that improve an assignment.
const ROUNDS: usize = 20;

/// Assignments of one position, all with the same cards moved to foundations first.
#[derive(Debug)]
pub struct Assigned {
    /// What is moved to foundations before anything else.
    pub steps: Vec<Step>,
    /// The boards, best first; none when every assignment found is deadlocked.
    pub boards: Vec<Board>,
}

/// Finds good assignments of a position by local search from random ones. A drawn card is
/// counted as one of the stock.
pub fn assignments(evaluator: &dyn Evaluator, settings: Settings, position: &Position) -> Assigned {
    let mut random = fastrand::Rng::with_seed(1);
    let mut found = Candidates::default();
    let start = Board::of(position);
    for _ in 0..STARTS {
        let mut board = start;
        for (one, other) in exchanges(&start) {
            if random.bool() {
                board.exchange(one, other);
            }
        }
        if !free(&mut board, &mut random) {
            continue;
        }
        let mut moves = Moves::default();
        board.settle(&mut moves);
        // Only the moves of this play are used.
        let play = Play { first: Step::Put(0), moves };
        climb(evaluator, board, play, &mut found);
    }
    let layouts = layouts(&found);
    let Some(best) = layouts.first() else {
        return Assigned { steps: Vec::new(), boards: Vec::new() };
    };
    let steps = found.plays[best.members[0]].moves.steps().collect();
    let mut boards: Vec<Board> = Vec::new();
    for &member in &best.members {
        if boards.len() < settings.kept && !boards.contains(&found.boards[member]) {
            boards.push(found.boards[member]);
        }
    }
    Assigned { steps, boards }
}

/// The exchanges of a stack card's slot with another slot of its rank that is not built.
fn exchanges(board: &Board) -> Vec<(Slot, Slot)> {
    let game = board.game();
    let cards = board.stacks().iter().flat_map(|stack| stack.cards());
    let pairs = cards.flat_map(|&card| {
        let rank = game.rank(card);
        let others = Foundation::ALL.into_iter().map(move |f| game.slot(f, rank));
        others.map(move |other| (card, other))
    });
    let open = |slot: Slot| slot.index() >= board.built(slot.foundation());
    pairs.filter(|&(card, other)| other != card && open(other)).collect()
}

/// Exchanges until the board is not deadlocked; whether that succeeded.
fn free(board: &mut Board, random: &mut fastrand::Rng) -> bool {
    let mut stuck = board.stuck();
    for _ in 0..ATTEMPTS {
        if stuck == 0 {
            return true;
        }
        let all = exchanges(board);
        let Some(&(one, other)) = random.choice(&all) else { return false };
        let mut trial = *board;
        trial.exchange(one, other);
        let now = trial.stuck();
        if now <= stuck || random.u8(..16) == 0 {
            (*board, stuck) = (trial, now);
        }
    }
    stuck == 0
}

fn climb(evaluator: &dyn Evaluator, board: Board, play: Play, found: &mut Candidates) {
    let mut value = [0.0];
    evaluator.evaluate(&[board], &mut value);
    found.add(board, play, value[0]);
    let (mut board, mut play, mut value) = (board, play, value[0]);
    let mut trials = Candidates::default();
    for _ in 0..ROUNDS {
        trials.clear();
        trials.exchange(&board, &play);
        trials.evaluate(evaluator);
        for at in 0..trials.len() {
            found.add(trials.boards[at], trials.plays[at], trials.values[at]);
        }
        let Some(best) = trials.best().filter(|&best| trials.values[best] > value) else {
            return;
        };
        (board, play, value) = (trials.boards[best], trials.plays[best], trials.values[best]);
    }
}
