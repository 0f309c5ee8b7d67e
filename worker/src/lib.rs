//! What computes in retrotab: for each family a solver that turns a unit and its inputs into
//! values; and the worker that leases units from a coordinator, solves and submits them.
//!
//! A solver is a pure function: no network, no clock, no global state.

mod error;
pub mod hands;
mod needs;
mod pool;
mod progress;
pub mod remote;
pub mod stack;
pub mod sticks;
mod units;

pub use error::{InputError, SolveError};
pub use needs::UnitNeeds;
pub use progress::Progress;
pub use units::{UnitError, UnitSolver, ValueSource};
