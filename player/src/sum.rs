//! Several evaluators at once.

use std::sync::Arc;

use crate::board::Board;
use crate::evaluator::Evaluator;

/// The weighted sum of the values, which are logarithms, of several evaluators.
pub struct SumEvaluator {
    parts: Vec<(f32, Arc<dyn Evaluator>)>,
}

impl SumEvaluator {
    /// A sum of evaluators with their weights.
    pub fn new(parts: Vec<(f32, Arc<dyn Evaluator>)>) -> Self {
        Self { parts }
    }
}

impl Evaluator for SumEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        values.fill(0.0);
        let mut part_values = vec![0.0; values.len()];
        for (weight, part) in &self.parts {
            part.evaluate(boards, &mut part_values);
            for (value, part_value) in values.iter_mut().zip(&part_values) {
                *value += weight * part_value;
            }
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        let mut sum = [0.0; 6];
        for (weight, part) in &self.parts {
            let pairs = part.pairs(board)?;
            for (total, pair) in sum.iter_mut().zip(pairs) {
                *total += weight * pair;
            }
        }
        Some(sum)
    }
}
