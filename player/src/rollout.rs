//! The evaluator that plays on: random stocks, a cheap player, and how often it wins.

use crate::board::Board;
use crate::deal::mixed;
use crate::evaluator::Evaluator;
use crate::game::Rank;
use crate::search::{Player, Settings};

/// Assignments that the cheap player keeps.
const KEPT: usize = 4;
/// Boards of a call that are judged by games: the best ones of the evaluator below.
const JUDGED: usize = 6;
/// How many games the value of the evaluator below counts as.
const PRIOR: f32 = 4.0;
/// What is taken from the logarithm of boards that no games are played for, so that they come
/// after those for which some are.
const UNJUDGED: f32 = 40.0;

/// Judges the best boards of each call by games of a cheap player that uses another evaluator.
///
/// The stocks of the games follow from the board alone, so equal boards get equal values.
pub struct RolloutEvaluator {
    below: Box<dyn Evaluator>,
    games: u32,
}

impl RolloutEvaluator {
    /// Plays `games` games for each board that is judged.
    pub fn new(below: Box<dyn Evaluator>, games: u32) -> Self {
        Self { below, games }
    }

    fn wins(&self, board: &Board) -> u32 {
        let game = board.game();
        let mut stock: Vec<Rank> = board.stock().iter().map(|slot| game.rank(slot)).collect();
        stock.sort();
        let seed = board.stacks().iter().flat_map(|stack| stack.cards()).fold(
            mixed(board.stock().0),
            |seed, card| mixed(seed ^ u64::from(card.0)),
        );
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
        let mut order: Vec<usize> = (0..boards.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        for (place, at) in order.into_iter().enumerate() {
            let below = values[at];
            values[at] = if place < JUDGED && below > f32::NEG_INFINITY {
                let wins = self.wins(&boards[at]) as f32 + PRIOR * below.exp();
                (wins / (self.games as f32 + PRIOR)).max(f32::MIN_POSITIVE).ln()
            } else {
                below - UNJUDGED
            };
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.below.pairs(board)
    }
}
