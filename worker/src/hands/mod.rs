//! Hands against hands: tables of one cluster against another, and single match-ups.
//!
//! # The tile method
//!
//! Let `m1`, `m2` be the multisets of ranks of two concrete disjoint hands, and `F1`, `F2` the
//! ranks that each holds in a suit. Then, summed over all boards,
//!
//! ```text
//! result(h1, h2) = base(m1, m2) + sum over the suits of difference(m1, F1, m2, F2)
//! ```
//!
//! The base ignores flushes (`base`). A board has at most one suit with three or more cards, so
//! at most one suit changes the outcome; by how much in sum is the difference (`suited` for
//! Omaha, `holdem`). All cells of a *tile* `(m1, m2)` share one base and a few differences
//! (`tile`).

mod base;
mod boards;
mod equity;
mod holdem;
mod pair;
mod placements;
mod ranks;
mod straight_flush;
mod suited;
mod tables;
mod tile;
mod unit;

pub use equity::{Equity, EquityError, Share, equity};
pub use pair::{PairCounts, PairError, hand_against_hand};
pub use unit::{HandsUnits, SolvedCells};
