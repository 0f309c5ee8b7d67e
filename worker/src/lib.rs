//! What computes in retrotab: for each family a solver that turns a unit and its inputs into
//! values.
//!
//! A solver is a pure function: no network, no clock, no global state.

mod error;
pub mod hands;
mod pool;
mod progress;
pub mod stack;
mod units;

pub use error::{InputError, SolveError};
pub use progress::Progress;
pub use units::{UnitError, UnitSolver, ValueSource};
