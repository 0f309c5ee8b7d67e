//! The stack game: rules, positions, notation, ranking.

pub mod count;
mod lane;
mod lanes;
mod notation;
mod ranking;
mod section;
mod spec;
mod symmetry;

pub use lane::{Lane, MAX_STACKS, NO_GAP, Pattern};
pub use lanes::{LaneId, LaneTable};
pub use notation::{NotationError, parse_lane};
pub use ranking::{FoundLane, Position, Ranking};
pub use section::{Cell, Section, SectionLayout};
pub use spec::{Cards, OutOfRange, Rule, StackSpec, Stacks};
pub use symmetry::{Canonical, Kind, Perm, PermId, Symmetry, Turn};
