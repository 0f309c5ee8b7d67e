//! The value of a position by trying everything.

use std::collections::HashMap;

use super::raw::Raw;

/// A kind of value, and how the values of the draws make that of a position.
pub trait Worth {
    /// The values, best greatest.
    type Value: Clone + Ord;
    /// Of a position whose cards are all played.
    fn won(&self) -> Self::Value;
    /// Of a draw that no stack takes.
    fn lost(&self) -> Self::Value;
    /// Of a position, from the best value after each of its draws.
    fn combine(&self, best: Vec<Self::Value>) -> Self::Value;
}

/// Values of positions with a number of stacks, remembered as they were written.
pub struct Oracle<W: Worth> {
    stacks: u8,
    worth: W,
    seen: HashMap<Raw, W::Value>,
}

/// Values remembered before all are forgotten again: some hundred megabytes.
const REMEMBERED: usize = 1_000_000;

impl<W: Worth> Oracle<W> {
    /// An oracle that has seen nothing yet.
    pub fn new(stacks: u8, worth: W) -> Self {
        Oracle { stacks, worth, seen: HashMap::new() }
    }

    /// The value of a position.
    pub fn value(&mut self, position: &Raw) -> W::Value {
        if self.seen.len() > REMEMBERED {
            self.seen.clear();
        }
        self.recurse(position)
    }

    fn recurse(&mut self, position: &Raw) -> W::Value {
        if position.is_won() {
            return self.worth.won();
        }
        if let Some(value) = self.seen.get(position) {
            return value.clone();
        }
        let mut best = Vec::new();
        for places in position.draws(self.stacks) {
            let values = places.iter().map(|next| self.recurse(next));
            best.push(values.max().unwrap_or_else(|| self.worth.lost()));
        }
        let value = self.worth.combine(best);
        self.seen.insert(position.clone(), value.clone());
        value
    }
}
