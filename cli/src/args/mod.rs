//! The command line.

mod handout;
mod hands;
mod looking;
mod network;
mod player;
mod sticks;
mod tables;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use handout::{FetchArgs, PublishArgs, ServeArgs};
pub use hands::{EquityArgs, EvaluateArgs, TopArgs};
pub use looking::{ExportArgs, ExportFormat, StatsArgs};
pub use network::{
    CancelArgs, CertsArgs, CoordinatorArgs, StatusArgs, SubmitOptions, TokenArgs, WorkerArgs,
};
pub use player::{AdviseArgs, DrawsName, EvaluatorName, GameArgs, PlayArgs, ThinkingArgs};
pub use sticks::{EnumerateArgs, PlaySticksArgs, SticksCommand};
pub use tables::{RowsArg, RunFamily, RunOptions, SubmitFamily, hands};

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
    /// Put a finished table where others can fetch it: a folder, a bucket, or a running
    /// coordinator.
    Publish(PublishArgs),
    /// Fetch a published table, checking it while it comes.
    Fetch(FetchArgs),
    /// Hand finished tables out over HTTP.
    Serve(ServeArgs),
    /// Play the stick game, or list its games.
    #[command(subcommand)]
    Sticks(SticksCommand),
    /// Play the solitaire Calculation.
    Play(PlayArgs),
    /// Say what to do in a position of Calculation: reads JSON like {"built": [1, 0, 0, 0],
    /// "stacks": ["KQ", "J", ""], "drawn": "7"} from standard input.
    Advise(AdviseArgs),
    /// Say what the values of a table are like, and draw them.
    Stats(StatsArgs),
    /// Write a table as Parquet, CSV or a numpy array.
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
    /// Folder of the table, or URL of a published one, of which only what is needed is read.
    #[arg(value_name = "DIR|URL")]
    pub table: String,
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
    /// The token that the server at URL asks for, as a coordinator with a token does. It is sent
    /// nowhere else, and not taken from the environment: servers differ.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Folder in which frames of published tables are kept [default: retrotab in the user's
    /// cache].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Bytes of frames to keep there; 0 keeps none.
    #[arg(long, value_name = "BYTES", default_value = "256MiB")]
    pub cache_bytes: ByteSize,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    const PAGE: &str = include_str!("../../../docs/options.md");

    /// Says what of a command is not on the page of options.
    fn missing(command: &clap::Command, found: &mut Vec<String>) {
        let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let options = options.filter_map(|arg| Some(format!("--{}", arg.get_long()?)));
        let shown = |option: &String| {
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
            PAGE.match_indices(option.as_str()).any(|(at, _)| ends(&PAGE[at + option.len()..]))
        };
        found.extend(
            options
                .filter(|option| option != "--help" && option != "--version" && !shown(option))
                .map(|option| format!("{} {option}", command.get_name())),
        );
        command.get_subcommands().for_each(|command| missing(command, found));
    }

    #[test]
    fn every_command_and_option_is_on_the_page_of_options() {
        Args::command().debug_assert();
        let mut found = Vec::new();
        missing(&Args::command(), &mut found);
        assert!(found.is_empty(), "docs/options.md lacks {found:?}");
        for command in Args::command().get_subcommands() {
            let name = command.get_name();
            let named = ["**", " "].map(|end| format!("**{name}{end}"));
            assert!(named.iter().any(|named| PAGE.contains(named)), "docs/options.md lacks {name}");
        }
    }
}
