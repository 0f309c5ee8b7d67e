//! What a board is worth.

use std::sync::Arc;

use crate::board::Board;
use crate::game::{Foundation, Game};

/// The pairs of foundations, in the order of [`Evaluator::pairs`].
pub const PAIRS: [(Foundation, Foundation); 6] = [
    (Foundation(0), Foundation(1)),
    (Foundation(0), Foundation(2)),
    (Foundation(0), Foundation(3)),
    (Foundation(1), Foundation(2)),
    (Foundation(1), Foundation(3)),
    (Foundation(2), Foundation(3)),
];

const _: () = assert!(PAIRS.len() == Game::FOUNDATIONS * (Game::FOUNDATIONS - 1) / 2);

/// Says what boards are worth. One evaluator serves many threads at once.
///
/// A board holds all there is to know: the game, how far each foundation is built, the stacks
/// from bottom to top with the slot (foundation and index) that each card is meant for, and the
/// set of slots that the stock copies fill. For two foundations A and B the *pair* is what is
/// left of the board when only the slots of A and B are kept, in their order within each stack.
///
/// Boards that are passed
/// * are settled: no stack's top card is next on the foundation it is meant for;
/// * are not deadlocked: if all of the stock lay open, every stack would clear;
/// * may be won, may have an empty stock (only when won), and may be of any game;
/// * of one call come from one decision and mostly differ in one card, so that what was computed
///   for one pair often serves again.
///
/// A value is the natural logarithm of an estimate of the chance to win with best play, and so
/// at most 0; negative infinity says that the board is certainly lost. Never NaN. Values are
/// compared between boards with the same number of stock cards, and are averaged, as chances,
/// over draws: they should be calibrated as well as they can be, but only the order within a
/// call decides moves. Equal calls get equal values, whichever thread asks: games must not depend
/// on the number of threads.
pub trait Evaluator: Send + Sync {
    /// Sets `values[i]` to the value of `boards[i]`. Both have the same length.
    fn evaluate(&self, boards: &[Board], values: &mut [f32]);

    /// The logarithms of the values of the six pairs of foundations ([`PAIRS`]) for an evaluator
    /// that knows pairs; otherwise `None`. They are for people and for evaluators that combine
    /// others.
    fn pairs(&self, board: &Board) -> Option<[f32; 6]>;
}

impl<E: Evaluator + ?Sized> Evaluator for Arc<E> {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        E::evaluate(self, boards, values);
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        E::pairs(self, board)
    }
}
