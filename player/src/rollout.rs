//! The evaluator that plays on: random stocks, a cheap player, and how often it wins.

use std::sync::Arc;

use crate::board::Board;
use crate::deal::mixed;
use crate::evaluator::Evaluator;
use crate::game::Rank;
use crate::search::{Player, Settings};

/// Assignments that the cheap player keeps.
const KEPT: usize = 4;
/// How many games the value of the evaluator below counts as.
const PRIOR: f32 = 4.0;

/// Judges a board by games of a cheap player that uses another evaluator.
///
/// The stocks of the games follow from the board alone, so equal boards get equal values.
pub struct RolloutEvaluator {
    below: Arc<dyn Evaluator>,
    games: u32,
}

impl RolloutEvaluator {
    /// Plays `games` games for each board.
    pub fn new(below: Arc<dyn Evaluator>, games: u32) -> Self {
        Self { below, games }
    }

    fn wins(&self, board: &Board) -> u32 {
        let game = board.game();
        let mut stock: Vec<Rank> = board.stock().iter().map(|slot| game.rank(slot)).collect();
        stock.sort();
        let cards = board.stacks().iter().flat_map(|stack| stack.cards());
        let seed = cards.fold(mixed(board.stock().0), |seed, card| mixed(seed ^ u64::from(card.0)));
        let mut random = fastrand::Rng::with_seed(seed);
        let mut won = 0;
        for _ in 0..self.games {
            random.shuffle(&mut stock);
            let mut player = Player::new(self.below.as_ref(), Settings::fast(KEPT), *board);
            let finished = stock.iter().all(|&rank| player.draw(rank).is_some());
            won += u32::from(finished && player.boards()[0].is_won());
        }
        won
    }
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        self.below.evaluate(boards, values);
        for (board, value) in boards.iter().zip(values) {
            if *value > f32::NEG_INFINITY && !board.is_won() {
                let wins = self.wins(board) as f32 + PRIOR * value.exp();
                *value = (wins / (self.games as f32 + PRIOR)).max(f32::MIN_POSITIVE).ln();
            }
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.below.pairs(board)
    }
}
