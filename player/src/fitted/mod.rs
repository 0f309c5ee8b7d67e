//! The evaluator that was fitted to the outcomes of games: pair values of a stack table and the
//! order of need of the whole board go into a small network.

mod features;
mod network;

use std::sync::Arc;

use crate::board::Board;
use crate::evaluator::Evaluator;
use crate::table::TableEvaluator;
use crate::view::View;
pub use features::{FEATURES, Features};
pub use network::{HIDDEN, Network};

/// A stack table and a network that was fitted to its pair values.
pub struct FittedEvaluator {
    table: Arc<TableEvaluator>,
    network: Network,
}

impl FittedEvaluator {
    /// An evaluator from its parts.
    pub fn new(table: Arc<TableEvaluator>, network: Network) -> Self {
        Self { table, network }
    }

    /// The table.
    pub fn table(&self) -> &TableEvaluator {
        &self.table
    }

    /// What the network sees of a board.
    pub fn features(table: &TableEvaluator, board: &Board) -> Features {
        let view = View::new(board);
        let pairs = table.values_of(&view);
        features::features(&view, board.game().stacks(), &pairs)
    }
}

impl Evaluator for FittedEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        for (board, value) in boards.iter().zip(values) {
            *value = if board.is_won() {
                0.0
            } else {
                self.network.value(&Self::features(&self.table, board))
            };
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.table.pairs(board)
    }
}
