//! The stick game (in Japanese *boukeshi*): rules, positions, notation, ranking.
//!
//! Rows of 1, 2, ..., R sticks. Two players in turn strike out one or more sticks that stand
//! next to each other in one row; struck sticks leave a gap. Whoever strikes the last stick
//! loses. Sticks with no gap between them are a *segment*; the segments alone decide how a
//! game goes on, so they are the position ([`Segments`]). A [`Board`] also knows the rows.

mod after;
mod automaton;
mod board;
mod games;
mod moves;
mod notation;
mod ranking;
mod segments;
mod spec;
mod value;

pub use board::{Board, Strike, StrikeError};
pub use games::{Endings, Game, Games};
pub use moves::Move;
pub use notation::NotationError;
pub use ranking::Ranking;
pub use segments::Segments;
pub use spec::{Rows, RowsOutOfRange, SticksSpec};
pub use value::{Best, Outcome, Value};
