//! The evaluators that were fitted to the outcomes of games: pair values of a stack table and the
//! order of need of the whole board, and pair values of subgames if they are there, go into a
//! small network.

mod features;
mod network;

use std::sync::Arc;

use crate::board::Board;
use crate::evaluator::Evaluator;
use crate::game::Game;
use crate::subgames::SubgameEvaluator;
use crate::table::TableEvaluator;
use crate::view::View;
pub use features::{ALL_FEATURES, Features, PLAIN_FEATURES};
pub use network::{HIDDEN, Network};

/// Weights of the two networks for a game, as in their files.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Those of a network without subgames.
    pub plain: &'static [u8],
    /// Those of a network that also sees 52 subgames of 7 cards of each pair of foundations.
    pub with_subgames: &'static [u8],
}

/// The weights that are built in for a game. They were made by `examples/train` (see
/// docs/player.md) with stack tables of the rule `choice`.
pub fn built_in(game: Game) -> Option<BuiltIn> {
    match (game.ranks(), game.stacks()) {
        (13, 3) => Some(BuiltIn {
            plain: include_bytes!("weights/stacks3.bin"),
            with_subgames: include_bytes!("weights/stacks3-subgames.bin"),
        }),
        (13, 4) => Some(BuiltIn {
            plain: include_bytes!("weights/stacks4.bin"),
            with_subgames: include_bytes!("weights/stacks4-subgames.bin"),
        }),
        _ => None,
    }
}

/// Where the pair values come from that a network sees.
#[derive(Clone)]
pub struct Sources {
    /// A stack table.
    pub table: Arc<TableEvaluator>,
    /// Subgames, for a network that sees them too.
    pub subgames: Option<Arc<SubgameEvaluator>>,
}

impl Sources {
    /// Features that a network of these sources sees: the first ones of [`Features`].
    pub fn features(&self) -> usize {
        match self.subgames {
            None => PLAIN_FEATURES,
            Some(_) => ALL_FEATURES,
        }
    }

    /// What describes a board.
    pub fn describe(&self, board: &Board) -> Features {
        let view = View::new(board);
        let table = self.table.values_of(&view);
        let pairs = self.subgames.as_ref().and_then(|subgames| subgames.pairs(board));
        features::features(&view, board.game(), &table, pairs.as_ref())
    }
}

/// Judges a board by a network that was fitted to outcomes.
pub struct FittedEvaluator {
    sources: Sources,
    network: Network,
}

impl FittedEvaluator {
    /// An evaluator from its sources and its network's file; `None` when the file is not one for
    /// such sources.
    pub fn new(sources: Sources, weights: &[u8]) -> Option<Self> {
        let network = Network::from_bytes(sources.features(), weights)?;
        Some(Self { sources, network })
    }
}

impl Evaluator for FittedEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        let features = self.sources.features();
        for (board, value) in boards.iter().zip(values) {
            *value = if board.is_won() {
                0.0
            } else {
                self.network.value(&self.sources.describe(board)[..features])
            };
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.sources.table.pairs(board)
    }
}
