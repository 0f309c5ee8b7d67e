//! Which table, for `run` and `submit`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, Subcommand, ValueEnum};
use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::sticks::{Rows, RowsOutOfRange, SticksSpec};

use super::SubmitOptions;

/// The table families.
#[derive(Debug, Subcommand)]
pub enum RunFamily {
    /// Success rate of every position of the stack game.
    Stack(RunStack),
    /// Outcome and length of the stick game from every position.
    Sticks(RunSticks),
    /// Every cluster of hold'em hands against every other.
    Holdem(RunHands),
    /// Every cluster of Omaha hands against every other.
    Omaha(RunHands),
}

/// `run stack`.
#[derive(Debug, Args)]
pub struct RunStack {
    #[command(flatten)]
    pub table: StackTable,
    #[command(flatten)]
    pub options: RunOptions,
}

/// A stack table.
#[derive(Debug, Args)]
pub struct StackTable {
    /// Number of stacks.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    stacks: u8,
    /// Cards of each of the two lanes.
    #[arg(long, value_name = "N", default_value_t = 12,
          value_parser = clap::value_parser!(u8).range(1..=13))]
    cards: u8,
    /// How the draws are combined.
    #[arg(long, value_enum, default_value_t = RuleName::Sorted)]
    rule: RuleName,
}

/// Rules by the names people type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// sorted-1: the probability of winning with best play.
    Sorted,
    /// choice-1: a playing value for Calculation, where a draw offers some choice.
    Choice,
}

impl StackTable {
    /// The table asked for.
    pub fn spec(&self) -> anyhow::Result<TableSpec> {
        let rule = match self.rule {
            RuleName::Sorted => Rule::Sorted,
            RuleName::Choice => Rule::Choice,
        };
        let (stacks, cards) = (Stacks::try_from(self.stacks)?, Cards::try_from(self.cards)?);
        Ok(TableSpec::Stack(StackSpec { stacks, cards, rule }))
    }
}

/// `run sticks`.
#[derive(Debug, Args)]
pub struct RunSticks {
    #[command(flatten)]
    pub table: RowsArg,
    #[command(flatten)]
    pub options: RunOptions,
}

/// `run holdem` and `run omaha`.
#[derive(Debug, Args)]
pub struct RunHands {
    #[command(flatten)]
    pub options: RunOptions,
}

/// The table of a game of hands.
pub fn hands(game: Game) -> TableSpec {
    TableSpec::Hands(HandsSpec { game })
}

/// Rows of the stick game.
#[derive(Debug, Args)]
pub struct RowsArg {
    /// Number of rows; row number r has r sticks.
    #[arg(long, value_name = "R",
          value_parser = clap::value_parser!(u8).range(1..=i64::from(Rows::MAX)))]
    rows: u8,
}

impl RowsArg {
    /// The table asked for.
    pub fn spec(&self) -> anyhow::Result<TableSpec> {
        Ok(TableSpec::Sticks(SticksSpec { rows: self.rows()? }))
    }

    /// The number of rows.
    pub fn rows(&self) -> Result<Rows, RowsOutOfRange> {
        Rows::try_from(self.rows)
    }
}

/// Options of `run` for every family.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Folder of the table. Running the same command again goes on where it was stopped.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Threads to compute on [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Memory to use, for example 3GiB [default: three quarters of the machine's, at most 8GiB].
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<ByteSize>,
    /// Raw size of a work unit; the table does not depend on it [default: by the table's size].
    #[arg(long, value_name = "BYTES")]
    pub unit_size: Option<ByteSize>,
    /// Keep the shards and the state of the job in DIR/work.
    #[arg(long)]
    pub keep_work: bool,
}

/// The table families, for `submit`.
#[derive(Debug, Subcommand)]
pub enum SubmitFamily {
    /// Success rate of every position of the stack game.
    Stack(SubmitStack),
    /// Outcome and length of the stick game from every position.
    Sticks(SubmitSticks),
    /// Every cluster of hold'em hands against every other.
    Holdem(SubmitHands),
    /// Every cluster of Omaha hands against every other.
    Omaha(SubmitHands),
}

/// `submit stack`.
#[derive(Debug, Args)]
pub struct SubmitStack {
    #[command(flatten)]
    pub table: StackTable,
    #[command(flatten)]
    pub options: SubmitOptions,
}

/// `submit sticks`.
#[derive(Debug, Args)]
pub struct SubmitSticks {
    #[command(flatten)]
    pub table: RowsArg,
    #[command(flatten)]
    pub options: SubmitOptions,
}

/// `submit holdem` and `submit omaha`.
#[derive(Debug, Args)]
pub struct SubmitHands {
    #[command(flatten)]
    pub options: SubmitOptions,
}
