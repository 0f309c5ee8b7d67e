//! The stick game.

use clap::{Args, Subcommand};

use super::RowsArg;

/// `sticks`.
#[derive(Debug, Subcommand)]
pub enum SticksCommand {
    /// Play against the table.
    Play(PlaySticksArgs),
    /// List all games, each with its result for the first player.
    Enumerate(EnumerateArgs),
}

/// `sticks play`.
#[derive(Debug, Args)]
pub struct PlaySticksArgs {
    #[command(flatten)]
    pub rows: RowsArg,
    /// Let the table move first.
    #[arg(long)]
    pub second: bool,
}

/// `sticks enumerate`.
#[derive(Debug, Args)]
pub struct EnumerateArgs {
    #[command(flatten)]
    pub rows: RowsArg,
    /// List also games in which a player strikes all that is left, two sticks or more, and so
    /// loses.
    #[arg(long)]
    pub all: bool,
    /// List at most this many games.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub limit: u64,
}
