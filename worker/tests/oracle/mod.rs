//! A slow second opinion on the stack game, written from its rules alone.
//!
//! It shares nothing with the ranking and the solver: a position is the card-by-card text of
//! its lanes, never brought to a normal form, and its value comes from trying every draw and
//! every stack. So it can be held against tables, and does not repeat their mistakes.

#![allow(dead_code, reason = "each file of tests uses its own part of the oracle")]

pub mod distinct;
pub mod entry;
pub mod exact;
pub mod random;
pub mod raw;
pub mod recursion;

pub use raw::Raw;

/// How the best values of the draws become the value of a position; the oracle's own name for
/// the two rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mean {
    /// `sorted-1`: their mean.
    Plain,
    /// `choice-1`: with some probability the better of two draws counts.
    Choice,
}

impl Mean {
    /// Both.
    pub const ALL: [Mean; 2] = [Mean::Plain, Mean::Choice];
}
