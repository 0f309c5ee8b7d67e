//! The evaluator that reads a stack table: the product of the values of the six pairs.

mod index;
mod lanes;

use std::path::Path;

use bytesize::ByteSize;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Rule, StackSpec};
use retrotab_tablefmt::{ReadOptions, Table, TableError};
use thiserror::Error;

use crate::board::Board;
use crate::evaluator::{Evaluator, PAIRS};
use crate::game::Game;
use crate::view::View;
use index::Index;
use lanes::Lanes;

/// Entries that are decoded at a time when a table is loaded.
const LOADED_AT_ONCE: u64 = 1 << 24;
/// What each card that does not fit the table takes from the logarithm of a pair's value.
const EXCESS: f32 = 0.3;

/// A table that cannot be played with.
#[derive(Debug, Error)]
pub enum PlayTableError {
    /// It cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It is a table of another family.
    #[error("{0}: Calculation is played with stack tables")]
    Family(String),
    /// It is a table of other stacks.
    #[error(
        "the table has {table} stacks, but the game has {game}; make one with `retrotab run stack --stacks {game} --rule choice`"
    )]
    Stacks {
        /// Stacks of the table.
        table: u8,
        /// Stacks of the game.
        game: u8,
    },
    /// It is a table of another rule.
    #[error(
        "the table has the rule `{}`, but this evaluator was fitted to `{}`; make a table with \
         `retrotab run stack --stacks {} --cards {} --rule choice`, or use another evaluator",
        .table.rule.name(), .wanted.name(), .table.stacks.get(), .table.cards.get()
    )]
    Rule {
        /// The table.
        table: StackSpec,
        /// The rule that is needed.
        wanted: Rule,
    },
    /// It is larger than the memory.
    #[error(
        "the table takes {} of memory (2 bytes an entry), but only {} are there; use a table of \
         fewer cards (`retrotab run stack --stacks {} --cards N --rule choice`) or a larger machine",
        ByteSize(*.needed), ByteSize(*.allowed), .table.stacks.get()
    )]
    Memory {
        /// The table.
        table: StackSpec,
        /// Bytes of its values.
        needed: u64,
        /// Bytes that they may take.
        allowed: u64,
    },
    /// It is a table of lanes that are too short to say anything.
    #[error("the table has lanes of {0} cards; to play, they need at least 2")]
    Cards(u8),
    /// Values of another table.
    #[error("bug: {found} values for a table of {expected} entries")]
    Entries {
        /// Entries of the table.
        expected: u64,
        /// Values given.
        found: usize,
    },
}

impl PlayTableError {
    /// Whether the mistake is the user's, and not that of a file or the machine.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Table(error) => error.is_users(),
            Self::Family(_) | Self::Stacks { .. } | Self::Rule { .. } | Self::Cards(_) => true,
            Self::Memory { .. } => true,
            Self::Entries { .. } => false,
        }
    }
}

/// What a table must be like to be loaded.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The game: the table must have its stacks.
    pub game: Game,
    /// The rule; without one, any will do.
    pub rule: Option<Rule>,
    /// Bytes that the values may take, 2 for each entry.
    pub memory: u64,
}

/// Reads the values of pairs from a stack table that is held in memory.
///
/// What the table does not know is approximated: see the module `lanes`.
pub struct TableEvaluator {
    index: Index,
    /// 65535 times the value, by entry.
    values: Vec<u16>,
    /// Natural logarithms of the values.
    logs: Vec<f32>,
}

impl TableEvaluator {
    /// Loads a table, unless it is another one than is wanted.
    pub fn load(dir: &Path, wanted: Wanted) -> Result<Self, PlayTableError> {
        let options = ReadOptions { cache_bytes: 0, ..ReadOptions::default() };
        let table = Table::open(dir, options)?;
        let spec = match &table.manifest().table {
            TableSpec::Stack(spec) => *spec,
            other => return Err(PlayTableError::Family(other.to_string())),
        };
        let entries = table.manifest().entries;
        check(spec, wanted.game)?;
        check_wanted(spec, entries, wanted)?;
        let index = Index::new(spec);
        let mut values = Vec::with_capacity(entries as usize);
        for first in (0..entries).step_by(LOADED_AT_ONCE as usize) {
            let part = table.values(0, first..entries.min(first + LOADED_AT_ONCE))?;
            values.extend(part.into_iter().map(|value| value as u16));
        }
        Ok(Self::new(index, values))
    }

    /// An evaluator over values (65535 times each) that are in memory already, by entry.
    pub fn from_values(
        spec: StackSpec,
        game: Game,
        values: Vec<u16>,
    ) -> Result<Self, PlayTableError> {
        check(spec, game)?;
        let index = Index::new(spec);
        if index.entries() != values.len() as u64 {
            return Err(PlayTableError::Entries { expected: index.entries(), found: values.len() });
        }
        Ok(Self::new(index, values))
    }

    fn new(index: Index, values: Vec<u16>) -> Self {
        // The simplified game may be lost where the real one is not: no value is 0.
        let log = |value: u16| (f32::from(value).max(0.5) / 65535.0).ln();
        Self { index, values, logs: (0..=u16::MAX).map(log).collect() }
    }

    /// The logarithms of the six pair values, in the order of [`PAIRS`].
    pub(crate) fn values_of(&self, view: &View) -> [f32; 6] {
        let cards = u32::from(self.index.spec().cards.get());
        PAIRS.map(|pair| {
            let Lanes { a, b, excess } = lanes::lanes(view, pair, cards);
            let found = self.index.find(&a).zip(self.index.find(&b));
            let (a, b) = found.expect("a trimmed lane is one of the table");
            self.logs[usize::from(self.values[self.index.rank(a, b) as usize])]
                - EXCESS * excess as f32
        })
    }
}

fn check(spec: StackSpec, game: Game) -> Result<(), PlayTableError> {
    let (table, game) = (spec.stacks.get(), game.stacks() as u8);
    if table != game {
        return Err(PlayTableError::Stacks { table, game });
    }
    if spec.cards.get() < 2 {
        return Err(PlayTableError::Cards(spec.cards.get()));
    }
    Ok(())
}

fn check_wanted(table: StackSpec, entries: u64, wanted: Wanted) -> Result<(), PlayTableError> {
    if let Some(rule) = wanted.rule.filter(|&rule| rule != table.rule) {
        return Err(PlayTableError::Rule { table, wanted: rule });
    }
    let (needed, allowed) = (entries * size_of::<u16>() as u64, wanted.memory);
    if needed > allowed {
        return Err(PlayTableError::Memory { table, needed, allowed });
    }
    Ok(())
}

impl Evaluator for TableEvaluator {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        for (board, value) in boards.iter().zip(values) {
            *value = self.values_of(&View::new(board)).iter().sum();
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        Some(self.values_of(&View::new(board)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_not_wanted_are_named() {
        let of = |cards: u8, rule| StackSpec {
            stacks: 4.try_into().unwrap(),
            cards: cards.try_into().unwrap(),
            rule,
        };
        let game = Game::new(13, 4).unwrap();
        let wanted = Wanted { game, rule: Some(Rule::Choice), memory: 8 << 30 };
        // Four stacks and 12 cards have 6,277,202,471 entries.
        let entries = 6_277_202_471;
        let why = |table, wanted| check_wanted(table, entries, wanted).unwrap_err();
        let error = why(of(12, Rule::Sorted), wanted);
        assert!(error.is_users());
        let text = error.to_string();
        assert!(text.contains("`sorted-1`") && text.contains("`choice-1`"), "{text}");
        assert!(text.contains("run stack --stacks 4 --cards 12 --rule choice`"), "{text}");

        let any = Wanted { rule: None, ..wanted };
        for (table, wanted) in [(of(12, Rule::Choice), wanted), (of(12, Rule::Sorted), any)] {
            let error = why(table, wanted);
            assert!(error.is_users());
            let text = error.to_string();
            assert!(text.contains("11.7 GiB") && text.contains("8.0 GiB"), "{text}");
            assert!(text.contains("--stacks 4 --cards N"), "{text}");
            let enough = Wanted { memory: 2 * entries, ..wanted };
            check_wanted(table, entries, enough).unwrap();
            assert!(check_wanted(table, entries + 1, enough).is_err());
        }
    }
}
