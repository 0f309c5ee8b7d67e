//! Looking at tables, and taking them elsewhere.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `stats`.
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// Picture to draw: FILE.svg or FILE.png.
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// List every row, however many there are.
    #[arg(long)]
    pub all: bool,
    /// Print JSON.
    #[arg(long, conflicts_with = "all")]
    pub json: bool,
    /// Threads to read on [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// `export`.
#[derive(Debug, Args)]
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
    /// An array that numpy reads: the values alone, in order of entries.
    Npy,
}
