//! Which stack table: number of stacks, cards for each lane, rule.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ranking::Ranking;
use crate::layout::{Column, EntryType, SectionSpec, TableLayout};

/// Number of stacks, 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Stacks(u8);

/// Cards of each of the two lanes, 0 to 13.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Cards(u8);

/// A number of stacks or cards outside what the tables can hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {min} to {max}, not {got}")]
pub struct OutOfRange {
    what: &'static str,
    min: u8,
    max: u8,
    got: u8,
}

impl Stacks {
    /// The largest number of stacks a table can have.
    pub const MAX: u8 = 5;

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Cards {
    /// The largest number of cards a lane can have.
    pub const MAX: u8 = 13;

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Stacks {
    type Error = OutOfRange;

    fn try_from(got: u8) -> Result<Self, OutOfRange> {
        if (1..=Self::MAX).contains(&got) {
            Ok(Stacks(got))
        } else {
            Err(OutOfRange { what: "the number of stacks", min: 1, max: Self::MAX, got })
        }
    }
}

impl TryFrom<u8> for Cards {
    type Error = OutOfRange;

    fn try_from(got: u8) -> Result<Self, OutOfRange> {
        if got <= Self::MAX {
            Ok(Cards(got))
        } else {
            Err(OutOfRange { what: "the number of cards of a lane", min: 0, max: Self::MAX, got })
        }
    }
}

impl From<Stacks> for u8 {
    fn from(stacks: Stacks) -> u8 {
        stacks.0
    }
}

impl From<Cards> for u8 {
    fn from(cards: Cards) -> u8 {
        cards.0
    }
}

/// How the best values of the draws are combined into the value of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rule {
    /// `sorted-1`: their mean, the probability of winning with best play.
    #[serde(rename = "sorted-1")]
    Sorted,
    /// `choice-1`: a mean weighted towards the better draws; a playing value, not a
    /// probability.
    #[serde(rename = "choice-1")]
    Choice,
}

impl Rule {
    /// The rule's versioned name: `sorted-1` or `choice-1`.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Sorted => "sorted-1",
            Rule::Choice => "choice-1",
        }
    }
}

/// Family parameters of a stack table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackSpec {
    /// Number of stacks.
    pub stacks: Stacks,
    /// Cards of each lane.
    pub cards: Cards,
    /// How draws are combined.
    pub rule: Rule,
}

impl fmt::Display for StackSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stacks, cards) = (self.stacks.get(), self.cards.get());
        write!(f, "stack table: {stacks} stacks, {cards} cards a lane, rule {}", self.rule.name())
    }
}

impl StackSpec {
    /// One column of 16-bit values; the sections in order of level.
    pub fn layout(&self) -> TableLayout {
        let ranking = Ranking::new(*self);
        let sections = ranking.sections().map(|(_, layout)| SectionSpec {
            name: layout.section().to_string(),
            entries: layout.entries(),
        });
        let column = Column { name: "value".to_owned(), entry: EntryType::U16 };
        TableLayout { columns: vec![column], sections: sections.collect() }
    }

    /// The text whose digest names the rules, the ranking and the meaning of the values.
    pub fn rule_text(&self) -> String {
        let (stacks, cards) = (self.stacks.get(), self.cards.get());
        format!("retrotab stack {} ranking-1 stacks={stacks} cards={cards}", self.rule.name())
    }
}
