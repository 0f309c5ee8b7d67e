//! Which table of hands against hands.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::card::CardSet;
use super::cells::{CellIndex, RowBlocks};
use super::cluster::Clusters;
use super::error::HandsError;
use crate::layout::{Column, EntryType, SectionSpec, TableLayout};

/// A game: how many hole cards, and how they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Game {
    /// Texas hold'em: two hole cards, the best five of all seven cards.
    Holdem,
    /// Omaha high: four hole cards, of which exactly two are used, with three of the board.
    Omaha,
}

impl Game {
    /// Cards of a starting hand.
    pub const fn hole_cards(self) -> usize {
        match self {
            Game::Holdem => 2,
            Game::Omaha => 4,
        }
    }

    /// Number of boards for two given hands: C(48, 5) or C(44, 5).
    pub const fn boards(self) -> u32 {
        match self {
            Game::Holdem => 1_712_304,
            Game::Omaha => 1_086_008,
        }
    }

    /// `holdem` or `omaha`.
    pub const fn name(self) -> &'static str {
        match self {
            Game::Holdem => "holdem",
            Game::Omaha => "omaha",
        }
    }

    /// Checks that a hand has as many cards as the game's.
    ///
    /// # Errors
    /// [`HandsError::Count`] when it does not.
    pub fn check_hand(self, hand: CardSet) -> Result<(), HandsError> {
        if hand.len() == self.hole_cards() { Ok(()) } else { Err(self.wrong_count(hand.len())) }
    }

    /// The error of a hand with `got` cards.
    pub(super) fn wrong_count(self, got: usize) -> HandsError {
        let (what, expected) = match self {
            Game::Holdem => ("a hold'em hand", "2"),
            Game::Omaha => ("an Omaha hand", "4"),
        };
        HandsError::Count { what, expected, got }
    }
}

/// Family parameters of a hand table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HandsSpec {
    /// The game.
    pub game: Game,
}

impl fmt::Display for HandsSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = Clusters::get(self.game).count();
        write!(f, "hand table: {}, {n} x {n} clusters", self.game.name())
    }
}

impl HandsSpec {
    /// Three columns; the sections are runs of whole row blocks.
    pub fn layout(&self) -> TableLayout {
        let column = |name: &str, entry| Column { name: name.to_owned(), entry };
        let clusters = Clusters::get(self.game);
        let section = |blocks: RowBlocks| SectionSpec {
            name: blocks.name(clusters),
            entries: blocks.cells(clusters).end - blocks.cells(clusters).start,
        };
        TableLayout {
            columns: vec![
                column("win", EntryType::U32),
                column("tie", EntryType::U32),
                column("placements", EntryType::U8),
            ],
            sections: RowBlocks::all(clusters).into_iter().map(section).collect(),
        }
    }

    /// Number of cells.
    pub fn positions(&self) -> u64 {
        CellIndex::new(Clusters::get(self.game)).cells()
    }

    /// The text whose digest names the rules, the numbering and the meaning of the values.
    pub fn rule_text(&self) -> String {
        format!("retrotab hands {}-1 ranking-1 win,tie,placements", self.game.name())
    }
}
