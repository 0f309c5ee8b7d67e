//! Boards judged by exact small games: two foundations and a few cards of each.
//!
//! The whole two-foundation game has too many positions, but the game of up to 9 cards a
//! foundation can be solved: [`Solver`]. A pair of foundations is then worth what the games are
//! worth that are left when only some of its cards are kept.

mod arrangement;
mod cache;
mod design;
mod draws;
mod error;
mod evaluator;
mod expansion;
mod lane;
mod memo;
mod pair;
mod position;
mod rules;
mod solver;

pub use arrangement::{Arrangement, Card};
pub use draws::Draws;
pub use error::SubgameError;
pub use evaluator::{SubgameEvaluator, SubgameOptions};
pub use position::Position;
pub use rules::Rules;
pub use solver::{Solver, SolverState};
