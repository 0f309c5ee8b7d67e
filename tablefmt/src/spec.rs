//! What a table is about: its family, parameters and rule.

use serde::{Deserialize, Serialize};

use crate::hands::HandsSpec;
use crate::layout::TableLayout;
use crate::stack::{self, StackSpec};
use crate::sticks::{self, SticksSpec};

/// A table's family and parameters; together with the rules they fix every value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case")]
pub enum TableSpec {
    /// Success rates of the stack game.
    Stack(StackSpec),
    /// Wins and losses of the stick game.
    Sticks(SticksSpec),
    /// Starting hands of a poker game against each other.
    Hands(HandsSpec),
}

impl TableSpec {
    /// Columns and sections of the table.
    pub fn layout(&self) -> TableLayout {
        match self {
            TableSpec::Stack(spec) => spec.layout(),
            TableSpec::Sticks(spec) => spec.layout(),
            TableSpec::Hands(spec) => spec.layout(),
        }
    }

    /// Number of distinct positions; entries may repeat a few of them.
    pub fn positions(&self) -> u64 {
        match self {
            TableSpec::Stack(spec) => stack::count::positions(spec.stacks, spec.cards),
            TableSpec::Sticks(spec) => sticks::Ranking::of(*spec).entries(),
            TableSpec::Hands(spec) => spec.positions(),
        }
    }

    /// The text that fixes the rules and the meaning of every value. A change of rules or of
    /// ranking changes this text, and so the digest.
    pub fn rule_text(&self) -> String {
        match self {
            TableSpec::Stack(spec) => spec.rule_text(),
            TableSpec::Sticks(spec) => spec.rule_text(),
            TableSpec::Hands(spec) => spec.rule_text(),
        }
    }

    /// BLAKE3 of [`rule_text`](Self::rule_text): a table under other rules is another table.
    pub fn rule_digest(&self) -> blake3::Hash {
        blake3::hash(self.rule_text().as_bytes())
    }
}

impl std::fmt::Display for TableSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TableSpec::Stack(spec) => spec.fmt(f),
            TableSpec::Sticks(spec) => spec.fmt(f),
            TableSpec::Hands(spec) => spec.fmt(f),
        }
    }
}
