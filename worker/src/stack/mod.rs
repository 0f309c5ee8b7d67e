//! Retrograde analysis of the stack game.
//!
//! The values of a section follow from those of the two sections one draw below it. Both kinds
//! of draws are made sixteen positions at a time:
//!
//! * a draw from the lane of the *rows* leads from a row to another row of section
//!   `(k-1, l)`, turned; blocks of columns stay contiguous, so its values are read in streams;
//! * a draw from the lane of the *columns* leads to another column of the same row of section
//!   `(k, l-1)`; sixteen such rows are laid side by side (`batch::Interleaved`), so that
//!   what would be a gather becomes one load for sixteen rows.
//!
//! In a section `(k, k)` a draw from the row's lane leads to section `(k, k-1)` with the lanes
//! swapped, so both kinds of draws are of the second kind.

mod batch;
mod combine;
mod context;
mod inputs;
mod moves;
pub(crate) mod needs;
mod rectangle;
mod rows;
pub(crate) mod simd;
mod square;
mod triangle;
mod unit;

pub use context::SectionContext;
pub use inputs::{Resources, StackUnits};
pub use rows::{MemoryRows, PADDING, RowSource, SpilledRows};
pub use simd::Isa;
pub use square::EntrySource;
pub use unit::{Buffers, SolvedUnit, Solver};
