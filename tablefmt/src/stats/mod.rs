//! Statistics of a whole table: histograms, means, sure wins and losses, compression.
//!
//! Every value is read once, on all threads, and only counts are kept, so the memory does not
//! depend on the size of the table. (For hands it is a histogram for each cluster.)

mod hands;
mod json;
mod sections;
mod tally;

use serde::Serialize;

use crate::error::TableError;
use crate::reader::Table;
use crate::spec::TableSpec;
use crate::stack::Rule;

pub use sections::SectionSize;
pub use tally::{SHARE_BINS, Tally};

/// What the values of a table measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The probability of winning with best play.
    Success,
    /// The playing value of rule `choice`, between 0 and 1.
    PlayingValue,
    /// The number of moves to the end with best play.
    Moves,
    /// The share of the pot on average, ties split.
    Equity,
}

impl Measure {
    /// What the values of a table measure.
    pub fn of(spec: &TableSpec) -> Self {
        match spec {
            TableSpec::Stack(spec) => match spec.rule {
                Rule::Sorted => Measure::Success,
                Rule::Choice => Measure::PlayingValue,
            },
            TableSpec::Sticks(_) => Measure::Moves,
            TableSpec::Hands(_) => Measure::Equity,
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Measure::Success => "probability of winning with best play",
            Measure::PlayingValue => "playing value",
            Measure::Moves => "moves to the end with best play",
            Measure::Equity => "equity",
        }
    }

    /// What is counted.
    pub const fn counted(self) -> &'static str {
        match self {
            Measure::Success | Measure::PlayingValue | Measure::Moves => "entries",
            Measure::Equity => "ordered pairs of hands",
        }
    }

    /// What the groups are: all entries with so many of these, or all pairs with this one first.
    pub const fn groups(self) -> &'static str {
        match self {
            Measure::Success | Measure::PlayingValue => "stock cards",
            Measure::Moves => "sticks",
            Measure::Equity => "hand",
        }
    }

    /// Which values are counted as surely lost and surely won.
    pub const fn sure(self) -> [&'static str; 2] {
        match self {
            Measure::Success | Measure::PlayingValue => ["stored as 0", "stored as 65535"],
            Measure::Moves => ["an odd number of moves", "an even number of moves"],
            Measure::Equity => ["no board is won or tied", "every board is won"],
        }
    }
}

/// The values of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Its name: a number, or the representative of a cluster.
    pub name: String,
    /// Its values.
    pub tally: Tally,
}

/// The statistics of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableStats {
    /// What the values measure.
    pub measure: Measure,
    /// What a value of 1 adds to [`Tally::sum`].
    pub unit: u64,
    /// All values.
    pub all: Tally,
    /// The values by [`Measure::groups`], in the table's order. A cluster's are its pairs with
    /// all hands, so that each pair of different clusters is in both groups, either way round.
    pub groups: Vec<Group>,
    /// The sizes of the sections, in order.
    pub sections: Vec<SectionSize>,
}

impl TableStats {
    /// The mean of some of its values, as [`Measure`] says: moves, or a number from 0 to 1;
    /// `None` if there are none.
    pub fn mean(&self, tally: &Tally) -> Option<f64> {
        tally.mean(self.unit)
    }
}

/// Reads a whole table and counts its values, on the threads of the rayon pool this is called
/// in. `progress` is told numbers of entries as they are done.
///
/// # Errors
/// When the table cannot be read, or holds a value that cannot be.
pub fn statistics(table: &Table, progress: impl Fn(u64) + Sync) -> Result<TableStats, TableError> {
    let spec = &table.manifest().table;
    let measure = Measure::of(spec);
    let (unit, groups) = match *spec {
        TableSpec::Stack(spec) => {
            (sections::STACK_UNIT, sections::stack_levels(table, spec, &progress)?)
        }
        TableSpec::Sticks(spec) => (1, sections::stick_counts(table, spec, &progress)?),
        TableSpec::Hands(spec) => (hands::unit(spec), hands::clusters(table, spec, &progress)?),
    };
    let bins = groups.first().map_or(0, |group| group.tally.bins.len());
    let mut all = Tally::new(bins);
    groups.iter().for_each(|group| all += &group.tally);
    Ok(TableStats { measure, unit, all, groups, sections: sections::sizes(table)? })
}
