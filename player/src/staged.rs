//! Two evaluators in a row: a cheap one for all candidates, a dear one for the best of them.

use std::sync::Arc;

use crate::board::Board;
use crate::evaluator::Evaluator;

/// What is taken from the logarithm of a board that only the cheap evaluator has seen, so that it
/// comes after all others.
const UNJUDGED: f32 = 100.0;

/// Judges the best boards of each call, by one evaluator, with another one.
///
/// Values therefore depend on what else is in a call, though never on threads.
pub struct StagedEvaluator {
    cheap: Arc<dyn Evaluator>,
    dear: Arc<dyn Evaluator>,
    judged: usize,
}

impl StagedEvaluator {
    /// Lets `dear` judge the `judged` boards of a call that are best to `cheap`.
    pub fn new(cheap: Arc<dyn Evaluator>, dear: Arc<dyn Evaluator>, judged: usize) -> Self {
        Self { cheap, dear, judged }
    }
}

impl Evaluator for StagedEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        self.cheap.evaluate(boards, values);
        let mut order: Vec<usize> = (0..boards.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let (best, others) = order.split_at(self.judged.min(order.len()));
        for &at in others {
            values[at] -= UNJUDGED;
        }
        let best_boards: Vec<Board> = best.iter().map(|&at| boards[at]).collect();
        let mut best_values = vec![0.0; best.len()];
        self.dear.evaluate(&best_boards, &mut best_values);
        for (&at, value) in best.iter().zip(best_values) {
            values[at] = value;
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.dear.pairs(board)
    }
}
