//! Calculation: `play` and `advise`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};

/// `play`.
#[derive(Debug, Args)]
pub struct PlayArgs {
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub thinking: ThinkingArgs,
    /// Number of the first deal.
    #[arg(short = 'd', long, value_name = "N", default_value_t = 0)]
    pub deal: u64,
    /// Series of deals; each deal of it has a number.
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Deals to play; a single one is printed draw by draw [default: 1, but with --deals all that
    /// follow].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Play the deals of a file instead: one a line, letters of A23456789TJQK in the order they
    /// are drawn. `--deal` then counts deals of the file from 0.
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub deals: Option<PathBuf>,
    /// Games to play at the same time [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Print JSON, one object a line: each draw of a single game; each game of several, and the
    /// summary.
    #[arg(long, conflicts_with = "interactive")]
    pub json: bool,
    /// Play yourself, with hints.
    #[arg(long, conflicts_with = "count")]
    pub interactive: bool,
}

/// `advise`.
#[derive(Debug, Args)]
pub struct AdviseArgs {
    #[command(flatten)]
    pub game: GameArgs,
    #[command(flatten)]
    pub thinking: ThinkingArgs,
}

/// Which game.
#[derive(Debug, Args)]
pub struct GameArgs {
    /// Number of stacks.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub stacks: u8,
    /// Number of ranks: 13, or 5, 7 or 11 for a smaller game.
    #[arg(long, value_name = "N", default_value_t = 13)]
    pub ranks: u8,
    /// Begin with A 2 3 4 laid out on the foundations.
    #[arg(long)]
    pub base: bool,
}

/// How the player thinks.
#[derive(Debug, Args)]
pub struct ThinkingArgs {
    /// Draws that are looked ahead, 0 to 2.
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub level: usize,
    /// Assignments that are kept.
    #[arg(short = 'm', long, value_name = "N", default_value_t = 50)]
    pub kept: usize,
    /// What says how good a position is.
    #[arg(long, value_enum, default_value_t)]
    pub evaluator: EvaluatorName,
    /// Folder of a stack table with as many stacks as the game; for all evaluators but
    /// `subgames`. The rule `choice` plays best, and networks need it. The values are held in
    /// memory, 2 bytes an entry: 1.5 GiB for 3 stacks and 12 cards, 11.7 GiB for 4 stacks.
    #[arg(long, value_name = "DIR")]
    pub table: Option<PathBuf>,
    /// Weights of the evaluator `fitted` (docs/player.md tells how to make some) [default: those
    /// that the program was built with].
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Weights of the evaluator `fitted-subgames` [default: those that the program was built
    /// with].
    #[arg(long, value_name = "FILE")]
    pub subgame_weights: Option<PathBuf>,
    /// Cards of each foundation in a subgame [default: 7].
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    /// Subgames of each pair of foundations [default: 52].
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,
    /// How the draws of subgames are valued [default: `choice`, but `chance` when subgames have
    /// all cards of their foundations].
    #[arg(long, value_enum)]
    pub draws: Option<DrawsName>,
    /// Weight of the subgames in the evaluator `sum`, 0 to 1 [default: 0.5].
    #[arg(long, value_name = "SHARE")]
    pub weight: Option<f32>,
    /// File of solved subgames: read if it is there, and written at the end.
    #[arg(long, value_name = "FILE")]
    pub cache: Option<PathBuf>,
    /// Memory for solved subgames; that of the table is not counted [default: 1GiB].
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<ByteSize>,
    /// Judge boards by playing so many random games from each to the end.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub rollouts: u32,
    /// With subgames or --rollouts: let these judge only so many boards of each
    /// decision, those that are best to the evaluator --first [default: all].
    #[arg(long, value_name = "N", requires = "first",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub judged: Option<u32>,
    /// The evaluator that sees all boards when --judged limits the others.
    #[arg(long, value_enum, requires = "judged", value_name = "EVALUATOR")]
    pub first: Option<EvaluatorName>,
}

/// The evaluators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EvaluatorName {
    /// The product of the values of the six pairs of foundations in a stack table.
    #[default]
    Table,
    /// A network fitted to games of its own, over the pair values of a stack table of the rule
    /// `choice` and the order of need.
    Fitted,
    /// Sampled exact games of some cards of each two foundations; needs no table.
    Subgames,
    /// The weighted sum, of logarithms, of `table` and `subgames`.
    Sum,
    /// A network like `fitted` that also sees the pair values of `subgames`.
    FittedSubgames,
    /// The strongest: `fitted` judges all boards of a decision, `fitted-subgames` the best 8.
    Best,
}

/// How draws of subgames are valued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DrawsName {
    /// A playing value: a drawn card may take the part of other copies of its rank.
    Choice,
    /// The exact chance of the subgame.
    Chance,
}
