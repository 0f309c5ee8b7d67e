//! What a table says of a position that somebody typed, whatever the table's family.

mod hands;
mod stack;
mod sticks;

use serde_json::Value as Json;

pub use hands::{CellReader, FoundCell};
pub use stack::FoundStack;
pub use sticks::{BestMoves, FoundSticks, OnBoard};

use crate::error::{InputError, TableError};
use crate::reader::Table;
use crate::spec::TableSpec;
use hands::HandsLookup;
use stack::StackLookup;
use sticks::SticksLookup;

/// A position as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// In words: for a stack table two lanes like `..1.0` and `.2.`, for a hand table two hands
    /// like `AsKs` or classes like `AKs`, for a stick table the lengths of the segments.
    Words(&'a [&'a str]),
    /// For a stick table, a board like `|/||/|.|`.
    Board(&'a str),
}

/// Looks up positions of one table; made once, used from any number of threads.
pub struct Lookup(Family);

enum Family {
    Stack(Box<StackLookup>),
    Hands(HandsLookup),
    Sticks(SticksLookup),
}

/// What a table says of a position.
#[derive(Debug, Clone)]
pub enum Found {
    /// A position of the stack game.
    Stack(FoundStack),
    /// Two clusters of hands.
    Hands(FoundCell),
    /// A position of the stick game.
    Sticks(FoundSticks),
}

impl Lookup {
    /// Makes what is needed to find the positions of a table; see the families' rankings for
    /// how long that takes.
    pub fn new(table: &TableSpec) -> Lookup {
        Lookup(match *table {
            TableSpec::Stack(spec) => Family::Stack(Box::new(StackLookup::new(spec))),
            TableSpec::Hands(spec) => Family::Hands(HandsLookup::new(spec)),
            TableSpec::Sticks(spec) => Family::Sticks(SticksLookup::new(spec)),
        })
    }

    /// The entry that a look-up of the position reads first. Many positions are looked up
    /// fastest in the order of their entries, for then each frame is decoded once.
    ///
    /// # Errors
    /// [`TableError::Input`] if the text is no position of the table.
    pub fn entry(&self, asked: Asked<'_>) -> Result<u64, TableError> {
        match (&self.0, asked) {
            (Family::Stack(lookup), Asked::Words(lanes)) => Ok(lookup.position(lanes)?.1),
            (Family::Hands(lookup), Asked::Words(hands)) => lookup.entry(hands),
            (Family::Sticks(lookup), asked) => lookup.entry(asked),
            (Family::Stack(_) | Family::Hands(_), Asked::Board(_)) => Err(no_boards()),
        }
    }

    /// Looks a position up in the table that this was made for.
    ///
    /// # Errors
    /// [`TableError::Input`] if the text is no position of the table; otherwise what reading the
    /// table's values gives.
    pub fn find(&self, table: &Table, asked: Asked<'_>) -> Result<Found, TableError> {
        match (&self.0, asked) {
            (Family::Stack(lookup), Asked::Words(lanes)) => {
                lookup.find(table, lanes).map(Found::Stack)
            }
            (Family::Hands(lookup), Asked::Words(hands)) => {
                lookup.find(table, hands).map(Found::Hands)
            }
            (Family::Sticks(lookup), asked) => lookup.find(table, asked).map(Found::Sticks),
            (Family::Stack(_) | Family::Hands(_), Asked::Board(_)) => Err(no_boards()),
        }
    }
}

fn no_boards() -> TableError {
    let what = "only positions of stick tables are written as boards; this is another table";
    InputError::Position(what.to_owned()).into()
}

impl Found {
    /// As JSON: what `probe --json` prints.
    pub fn json(&self) -> Json {
        match self {
            Found::Stack(found) => found.json(),
            Found::Hands(found) => found.json(),
            Found::Sticks(found) => found.json(),
        }
    }
}
