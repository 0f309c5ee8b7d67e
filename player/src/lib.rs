//! A player of the solitaire Calculation.
//!
//! A *board* is a position in which every stack card is meant for one foundation. The player
//! keeps the best boards that agree on what really lies on the table, and an *evaluator* says
//! what a board is worth.

mod board;
mod deal;
mod evaluator;
pub mod fitted;
mod game;
mod play;
pub mod rollout;
mod rules;
pub mod score;
pub mod search;
pub mod staged;
pub mod subgames;
pub mod sum;
pub mod table;
mod view;

pub use board::{Board, Moves, Place, Stack};
pub use deal::{Deal, DealError};
pub use evaluator::{Evaluator, PAIRS};
pub use game::{Foundation, Game, GameError, Rank, Slot, SlotSet};
pub use play::{Outcome, Turn, play};
pub use rules::{Position, Start, Step, StepError};
