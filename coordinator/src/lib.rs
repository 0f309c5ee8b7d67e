//! What decides and remembers.
//!
//! A [`plan`] turns a job into a graph of units.

pub mod ids;
pub mod plan;
pub mod scheduler;
