//! The command line.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_tablefmt::sticks::{Rows, RowsOutOfRange, SticksSpec};

use crate::remote_options::{ProtectionOptions, RemoteOptions};

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
    /// Hand out the units of jobs to workers on other machines, and put their tables together.
    Coordinator(CoordinatorArgs),
    /// Submit a job to a coordinator: the same tables as `run`.
    #[command(subcommand)]
    Submit(SubmitFamily),
    /// Cancel a job of a coordinator. Submitting it again goes on with it.
    Cancel(CancelArgs),
    /// Show what a coordinator is doing.
    Status(StatusArgs),
    /// Make a private authority and certificates for TLS.
    Certs(CertsArgs),
    /// Make a random token for a coordinator and those who call it.
    Token(TokenArgs),
    /// Compute for a coordinator.
    Worker(WorkerArgs),
    /// Say what a table is.
    Info(InfoArgs),
    /// Check every byte of a table.
    Verify(VerifyArgs),
    /// Look up positions in a table.
    Probe(ProbeArgs),
    /// Play the stick game, or list its games.
    #[command(subcommand)]
    Sticks(SticksCommand),
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
    /// Outcome and length of the stick game from every position.
    Sticks(RunSticks),
    /// Every cluster of hold'em hands against every other.
    Holdem(RunHands),
    /// Every cluster of Omaha hands against every other.
    Omaha(RunHands),
}

/// `run stack`.
#[derive(Debug, ClapArgs)]
pub struct RunStack {
    #[command(flatten)]
    pub table: StackTable,
    #[command(flatten)]
    pub options: RunOptions,
}

/// A stack table.
#[derive(Debug, ClapArgs)]
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
#[derive(Debug, ClapArgs)]
pub struct RunSticks {
    #[command(flatten)]
    pub table: RowsArg,
    #[command(flatten)]
    pub options: RunOptions,
}

/// `run holdem` and `run omaha`.
#[derive(Debug, ClapArgs)]
pub struct RunHands {
    #[command(flatten)]
    pub options: RunOptions,
}

/// The table of a game of hands.
pub fn hands(game: Game) -> TableSpec {
    TableSpec::Hands(HandsSpec { game })
}

/// Rows of the stick game.
#[derive(Debug, ClapArgs)]
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
#[derive(Debug, ClapArgs)]
pub struct SubmitStack {
    #[command(flatten)]
    pub table: StackTable,
    #[command(flatten)]
    pub options: SubmitOptions,
}

/// `submit sticks`.
#[derive(Debug, ClapArgs)]
pub struct SubmitSticks {
    #[command(flatten)]
    pub table: RowsArg,
    #[command(flatten)]
    pub options: SubmitOptions,
}

/// `submit holdem` and `submit omaha`.
#[derive(Debug, ClapArgs)]
pub struct SubmitHands {
    #[command(flatten)]
    pub options: SubmitOptions,
}

/// Options of `submit` for every family.
#[derive(Debug, ClapArgs)]
pub struct SubmitOptions {
    #[command(flatten)]
    pub remote: RemoteOptions,
    /// Name of the finished table's folder: letters, digits, `-`, `_` [default: by the table].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Raw size of a work unit; the table does not depend on it [default: by the table's size].
    #[arg(long, value_name = "BYTES")]
    pub unit_size: Option<ByteSize>,
    /// Wait until the table is finished.
    #[arg(long)]
    pub wait: bool,
}

/// `cancel`.
#[derive(Debug, ClapArgs)]
pub struct CancelArgs {
    /// The job: its digest, the beginning of it, or the name of its table.
    pub job: String,
    #[command(flatten)]
    pub remote: RemoteOptions,
}

/// `status`.
#[derive(Debug, ClapArgs)]
pub struct StatusArgs {
    /// Go on showing it, in a view of its own on a terminal.
    #[arg(long)]
    pub watch: bool,
    /// Print JSON; with `--watch` one line each time.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub remote: RemoteOptions,
}

/// `coordinator`.
#[derive(Debug, ClapArgs)]
pub struct CoordinatorArgs {
    /// Folder of jobs and finished tables.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Where workers and users call.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7420")]
    pub listen: SocketAddr,
    /// Where browsers and Prometheus call.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7421")]
    pub http: SocketAddr,
    /// Store of shards that workers read and write directly: s3://BUCKET/FOLDER, gs://, az:// or
    /// file:///SHARED/FOLDER, with credentials from the environment [default: the data folder].
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// Make the state of every job anew from its shards.
    #[arg(long)]
    pub rebuild: bool,
    /// How long a unit stays with a worker that makes no progress.
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub lease_seconds: u32,
    #[command(flatten)]
    pub protection: ProtectionOptions,
}

/// `certs`.
#[derive(Debug, ClapArgs)]
pub struct CertsArgs {
    /// Folder for certificates and keys. An authority that is there is used again; nothing is
    /// overwritten.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A name or address by which the coordinator is called; may be given several times.
    #[arg(long, value_name = "NAME|IP")]
    pub host: Vec<String>,
    /// Make a certificate for a client of this name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub client: Vec<String>,
    /// How long the certificates are valid.
    #[arg(long, value_name = "N", default_value_t = 365,
          value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
}

/// `token`.
#[derive(Debug, ClapArgs)]
pub struct TokenArgs {
    /// The file; it must not be there.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `worker`.
#[derive(Debug, ClapArgs)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub remote: RemoteOptions,
    /// Threads to compute on [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Memory to use, for example 3GiB [default: three quarters of the machine's, at most 8GiB].
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<ByteSize>,
    /// Folder for shards of other workers and for scratch files; workers may share one
    /// [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Bytes of shards to keep in the cache [default: 20GiB].
    #[arg(long, value_name = "BYTES")]
    pub cache_bytes: Option<ByteSize>,
    /// Name that tells workers of one host apart [default: the number of the process].
    #[arg(long)]
    pub name: Option<String>,
    /// Leave when there have been jobs and all are finished.
    #[arg(long)]
    pub until_finished: bool,
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
    /// classes like `AKs 22`, for a stick table the lengths of the segments; `-` alone reads one
    /// position a line from standard input.
    #[arg(required_unless_present = "board", num_args = 1.., allow_negative_numbers = true)]
    pub position: Vec<String>,
    /// The position of a stick table as a board like `|/||/|.|`: row by row, `|` a stick, `.` a
    /// struck one; `-` reads one board a line from standard input.
    #[arg(long, conflicts_with = "position")]
    pub board: Option<String>,
    /// Print JSON, one object a line.
    #[arg(long)]
    pub json: bool,
}

/// `sticks`.
#[derive(Debug, Subcommand)]
pub enum SticksCommand {
    /// Play against the table.
    Play(PlayArgs),
    /// List all games, each with its result for the first player.
    Enumerate(EnumerateArgs),
}

/// `sticks play`.
#[derive(Debug, ClapArgs)]
pub struct PlayArgs {
    #[command(flatten)]
    pub rows: RowsArg,
    /// Let the table move first.
    #[arg(long)]
    pub second: bool,
}

/// `sticks enumerate`.
#[derive(Debug, ClapArgs)]
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
