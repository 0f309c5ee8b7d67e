//! What decides and remembers.
//!
//! A [`plan`] turns a job into a graph of units.

pub mod error;
pub mod folder;
pub mod ids;
pub mod plan;
pub mod scheduler;
pub mod state;
