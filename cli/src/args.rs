//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

/// Computes big exact tables about card and stick games, and hands them out.
#[derive(Debug, Parser)]
#[command(name = "retrotab", version, arg_required_else_help = true)]
pub struct Args {
    /// How log lines are written to standard error.
    #[arg(long, global = true, value_enum, default_value_t, env = "RETROTAB_LOG_FORMAT")]
    pub log_format: LogFormat,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute a table in this process.
    #[command(subcommand)]
    Run(RunFamily),
    /// Say what a table is.
    Info(InfoArgs),
    /// Check every byte of a table.
    Verify(VerifyArgs),
    /// Look up positions in a table.
    Probe(ProbeArgs),
    /// Write a hand table as Parquet or CSV.
    Export(ExportArgs),
    /// List the clusters of a hand table that do best against a random hand.
    Top(TopArgs),
    /// Compare poker hands exactly, over all boards.
    Equity(EquityArgs),
    /// Say what poker cards are worth.
    Evaluate(EvaluateArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// The table families.
#[derive(Debug, Subcommand)]
pub enum RunFamily {
    /// Success rate of every position of the stack game.
    Stack(RunStack),
    /// Every cluster of hold'em hands against every other.
    Holdem(RunHands),
    /// Every cluster of Omaha hands against every other.
    Omaha(RunHands),
}

/// `run holdem` and `run omaha`.
#[derive(Debug, ClapArgs)]
pub struct RunHands {
    #[command(flatten)]
    pub options: RunOptions,
}

impl RunHands {
    /// The table asked for.
    pub fn spec(&self, game: Game) -> TableSpec {
        TableSpec::Hands(HandsSpec { game })
    }
}

/// `run stack`.
#[derive(Debug, ClapArgs)]
pub struct RunStack {
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
    #[command(flatten)]
    pub options: RunOptions,
}

/// Rules by the names people type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// sorted-1: the probability of winning with best play.
    Sorted,
    /// choice-1: a playing value for Calculation, where a draw offers some choice.
    Choice,
}

impl RunStack {
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

/// Options of `run` for every family.
#[derive(Debug, ClapArgs)]
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

/// `info`.
#[derive(Debug, ClapArgs)]
pub struct InfoArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// Print the manifest.
    #[arg(long)]
    pub json: bool,
}

/// `verify`.
#[derive(Debug, ClapArgs)]
pub struct VerifyArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// Threads to check on [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// `probe`.
#[derive(Debug, ClapArgs)]
pub struct ProbeArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// The position: for a stack table two lanes like `..1.0` (`.` in the stock, a digit the
    /// stack it lies on, `-` for an empty lane), for a hand table two hands like `AsKs 2d2c` or
    /// classes like `AKs 22`; `-` alone reads one position a line from
    /// standard input.
    #[arg(required = true, num_args = 1.., allow_hyphen_values = true)]
    pub position: Vec<String>,
    /// Print JSON, one object a line.
    #[arg(long)]
    pub json: bool,
}

/// `export`.
#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// File to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Formats of `export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values with a heading.
    Csv,
}

/// `top`.
#[derive(Debug, ClapArgs)]
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
#[derive(Debug, ClapArgs)]
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
#[derive(Debug, ClapArgs)]
pub struct EvaluateArgs {
    /// Five to seven cards, or the hole cards.
    pub cards: String,
    /// The board: with four hole cards for Omaha, with two for hold'em.
    pub board: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
