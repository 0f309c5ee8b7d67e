//! A player of the solitaire Calculation.
//!
//! A *board* is a position in which every stack card is meant for one foundation. The player
//! keeps the best boards that agree on what really lies on the table, and an *evaluator* says
//! what a board is worth.

mod board;
mod evaluator;
mod game;
pub mod subgames;

pub use board::{Board, Place, Stack};
pub use evaluator::{Evaluator, PAIRS};
pub use game::{Foundation, Game, GameError, Rank, Slot, SlotSet};
