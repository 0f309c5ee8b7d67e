//! The stack game: rules, positions, notation, ranking.

mod spec;

pub use spec::{Cards, Rule, StackSpec, Stacks};
