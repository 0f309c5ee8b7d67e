//! What boards are worth after further draws.

use super::candidates::Candidates;
use super::layouts;
use crate::board::Board;
use crate::evaluator::Evaluator;
use crate::game::Rank;

/// Assignments of one layout that are followed.
pub const WIDTH: usize = 8;
/// Layouts that are followed at each draw when there are more draws to come.
const FOLLOWED: usize = 3;

/// The mean over the next draw of the best value that can be reached, as a chance, from boards
/// that look alike; `level` draws are looked ahead, at least 1.
pub fn prospect(evaluator: &dyn Evaluator, boards: &[Board], level: usize) -> f64 {
    let Some(board) = boards.first() else { return 0.0 };
    if board.stock().is_empty() {
        return f64::from(u8::from(board.is_won()));
    }
    let mut total = 0.0;
    let mut candidates = Candidates::default();
    for rank in (0..board.game().ranks() as u8).map(Rank) {
        let copies = board.stock_of(rank);
        if copies == 0 {
            continue;
        }
        candidates.clear();
        for board in boards {
            candidates.extend(board, rank);
        }
        candidates.evaluate(evaluator);
        total += copies as f64 * best(evaluator, &candidates, level);
    }
    total / board.stock().len() as f64
}

fn best(evaluator: &dyn Evaluator, candidates: &Candidates, level: usize) -> f64 {
    if level == 1 {
        let best = candidates.best().map_or(f32::NEG_INFINITY, |best| candidates.values[best]);
        return f64::from(best).exp();
    }
    let layouts = layouts(candidates);
    let prospects = layouts.iter().take(FOLLOWED).map(|layout| {
        let boards = layout.members.iter().map(|&member| candidates.boards[member]);
        let boards: Vec<Board> = boards.take(WIDTH).collect();
        prospect(evaluator, &boards, level - 1)
    });
    prospects.fold(0.0, f64::max)
}
