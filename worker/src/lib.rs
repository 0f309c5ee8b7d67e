//! What computes in retrotab: for each family a solver that turns a unit and its inputs into
//! values.
//!
//! A solver is a pure function: no network, no clock, no global state.

mod error;
pub mod stack;

pub use error::{InputError, SolveError};
