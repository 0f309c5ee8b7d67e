//! The evaluator that samples exact subgames.

use std::collections::HashMap;
use std::rc::Rc;

use quick_cache::sync::Cache;

use super::design::{Design, subgames};
use super::error::SubgameError;
use super::memo::Value;
use super::pair::{Kept, Pair, PairKey};
use super::position::Position;
use super::solver::Solver;
use crate::board::Board;
use crate::evaluator::{Evaluator, PAIRS};
use crate::game::{Foundation, Game};

/// What may be chosen about sampled subgames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubgameOptions {
    /// Subgames that are sampled for a pair of foundations.
    pub samples: usize,
    /// The chance that a subgame counts for at least, above 0 and below 1: below it is not known
    /// how bad it really is.
    pub floor: f32,
    /// The logarithm of a pair's value grows with this power of the number of cards of each
    /// foundation, counted after the pair has been simplified.
    pub exponent: f32,
    /// Seed of the choice of cards.
    pub seed: u64,
}

impl SubgameOptions {
    /// Most subgames of a pair.
    pub const MAX_SAMPLES: usize = 10_000;

    fn check(&self) -> Result<(), SubgameError> {
        if !(1..=Self::MAX_SAMPLES).contains(&self.samples) {
            return Err(SubgameError::Samples(self.samples, Self::MAX_SAMPLES));
        }
        if !(self.floor > 0.0 && self.floor < 1.0) {
            return Err(SubgameError::Number(self.floor, "floor: it lies between 0 and 1"));
        }
        if !(0.0..=10.0).contains(&self.exponent) {
            return Err(SubgameError::Number(self.exponent, "exponent: it lies between 0 and 10"));
        }
        Ok(())
    }
}

impl Default for SubgameOptions {
    fn default() -> Self {
        Self { samples: 104, floor: 1e-4, exponent: 3.5, seed: 1 }
    }
}

/// Pair values that are kept: about 24 MB.
const PAIRS_KEPT: usize = 1 << 19;

/// Judges a board by the exact values of small games: for every pair of foundations, games of
/// some cards of each, sampled. A pair that has no more cards than the solver takes is exact.
#[derive(Debug)]
pub struct SubgameEvaluator {
    solver: Solver,
    options: SubgameOptions,
    game: Game,
    design: Design,
    /// By the number of cards that are left of a foundation: how much worse it makes a pair.
    growth: [f32; Game::MAX_RANKS + 1],
    pairs: Cache<PairKey, f32>,
}

impl SubgameEvaluator {
    /// An evaluator for a game, whose number of stacks the solver must have.
    ///
    /// # Errors
    /// [`SubgameError::OtherStacks`]; [`SubgameError::Samples`] or [`SubgameError::Number`] for
    /// options out of bounds.
    pub fn new(game: Game, solver: Solver, options: SubgameOptions) -> Result<Self, SubgameError> {
        options.check()?;
        if solver.rules().stacks() != game.stacks() {
            return Err(SubgameError::OtherStacks(game.stacks(), solver.rules().stacks()));
        }
        let design = Design::new(options.samples, game.ranks(), options.seed);
        let size = solver.rules().chain() as f32;
        let growth = |cards| (cards as f32 / size).max(1.0).powf(options.exponent);
        let growth = std::array::from_fn(growth);
        Ok(Self { solver, options, game, design, growth, pairs: Cache::new(PAIRS_KEPT) })
    }

    /// The solver, for its state and to save it.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// The values of the six pairs of a board.
    fn pair_values(&self, board: &Board, sets: &mut Sets) -> [f32; PAIRS.len()] {
        std::array::from_fn(|number| {
            let pair = Pair::new(board, PAIRS[number]);
            let key = pair.key(number);
            self.pairs.get(&key).unwrap_or_else(|| {
                let value = self.pair_value(&pair, PAIRS[number], sets);
                self.pairs.insert(key, value);
                value
            })
        })
    }

    fn pair_value(&self, pair: &Pair, pair_of: (Foundation, Foundation), sets: &mut Sets) -> f32 {
        let size = self.solver.rules().chain();
        let lanes = [pair_of.0, pair_of.1].map(Foundation::index);
        let kept = [0, 1].map(|lane| sets.of(&self.design, lanes[lane], pair.cards(lane), size));
        let positions: Vec<Position> = subgames([kept[0].len(), kept[1].len()])
            .map(|[one, other]| pair.subgame(self.solver.rules(), [&kept[0][one], &kept[1][other]]))
            .collect();
        let values = self.solver.solve_all(&positions);
        let logarithm = |value: Value| (value.chance() as f32).max(self.options.floor).ln();
        let mean = values.into_iter().map(logarithm).sum::<f32>() / positions.len() as f32;
        let growth = |lane: usize| self.growth[pair.cards(lane).count_ones() as usize];
        mean * growth(0) * growth(1)
    }
}

impl Evaluator for SubgameEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        let mut sets = Sets::default();
        for (board, value) in boards.iter().zip(values) {
            debug_assert_eq!(board.game(), self.game);
            *value = self.pair_values(board, &mut sets).into_iter().sum();
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        Some(self.pair_values(board, &mut Sets::default()))
    }
}

/// The sets of a design that were asked for in one call: by foundation and what is left of it.
#[derive(Debug, Default)]
struct Sets(HashMap<(usize, u16), Rc<[Kept]>>);

impl Sets {
    fn of(&mut self, design: &Design, foundation: usize, left: u16, size: usize) -> Rc<[Kept]> {
        let sets = || design.sets(foundation, left, size).into_iter().map(Kept::new).collect();
        self.0.entry((foundation, left)).or_insert_with(sets).clone()
    }
}
