//! Poker hands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use retrotab_tablefmt::hands::Game;

/// `top`.
#[derive(Debug, Args)]
pub struct TopArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// How many clusters to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub n: usize,
    /// Print JSON, one object a line.
    #[arg(long)]
    pub json: bool,
}

/// `equity`.
#[derive(Debug, Args)]
pub struct EquityArgs {
    /// Two or more hands, like `AsKs 2d2c`.
    #[arg(required = true, num_args = 2.., value_name = "HAND")]
    pub hands: Vec<String>,
    /// Cards that are on the board.
    #[arg(long, value_name = "CARDS")]
    pub board: Option<String>,
    /// Cards that cannot come.
    #[arg(long, value_name = "CARDS")]
    pub dead: Option<String>,
    /// The game [default: by the number of cards of the first hand].
    #[arg(long, value_enum)]
    pub game: Option<GameName>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Games by the names people type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GameName {
    /// Texas hold'em.
    Holdem,
    /// Omaha high.
    Omaha,
}

impl From<GameName> for Game {
    fn from(name: GameName) -> Game {
        match name {
            GameName::Holdem => Game::Holdem,
            GameName::Omaha => Game::Omaha,
        }
    }
}

/// `evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// Five to seven cards, or the hole cards.
    pub cards: String,
    /// The board: with four hole cards for Omaha, with two for hold'em.
    pub board: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
