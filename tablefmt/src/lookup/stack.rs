//! Looking up positions of the stack game.

use serde_json::{Value as Json, json};

use crate::error::{InputError, TableError};
use crate::reader::Table;
use crate::stack::{Position, Ranking, StackSpec};

/// A value of this much is a sure win.
const ONE: f64 = 65535.0;

pub(super) struct StackLookup(Ranking);

/// What a table says of a position of the stack game.
#[derive(Debug, Clone)]
pub struct FoundStack {
    /// The position.
    pub position: Position,
    /// Its entry.
    pub entry: u64,
    /// Its value, in 1/65535.
    pub value: u32,
}

impl StackLookup {
    pub(super) fn new(spec: StackSpec) -> StackLookup {
        StackLookup(Ranking::new(spec))
    }

    /// A position and its entry.
    pub(super) fn position(&self, lanes: &[&str]) -> Result<(Position, u64), TableError> {
        let &[a, b] = lanes else {
            let found = lanes.len();
            let what = format!("a stack position is two lanes, like `..1.0 .2.`, not {found}");
            return Err(InputError::Position(what).into());
        };
        let spec = self.0.spec();
        let position = Position::parse(a, b, spec.stacks, spec.cards);
        let position = position.map_err(InputError::Notation)?;
        let no_rank = || TableError::Bug(format!("the position {position} has no rank"));
        Ok((position, self.0.rank(&position).ok_or_else(no_rank)?))
    }

    pub(super) fn find(&self, table: &Table, lanes: &[&str]) -> Result<FoundStack, TableError> {
        let (position, entry) = self.position(lanes)?;
        Ok(FoundStack { position, entry, value: table.value(0, entry)? })
    }
}

impl FoundStack {
    /// The value as a share of 1.
    pub fn share(&self) -> f64 {
        f64::from(self.value) / ONE
    }

    pub(super) fn json(&self) -> Json {
        let Position { a, b } = self.position;
        json!({
            "position": [a.to_string(), b.to_string()],
            "entry": self.entry,
            "value": self.value,
            "share": self.share(),
        })
    }
}
