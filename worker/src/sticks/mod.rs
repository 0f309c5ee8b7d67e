//! Retrograde analysis of the stick game.
//!
//! Positions are solved level by level, a level being those with equally many sticks left. A
//! move leads to one of the levels below: the ranks of all positions after a move are worked
//! out, and their values looked up.

mod level;
mod units;
mod whole;

pub use units::SticksUnits;
pub use whole::WholeTable;
