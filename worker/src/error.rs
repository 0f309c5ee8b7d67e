//! What can go wrong while a unit is solved.

use std::path::PathBuf;

/// Why a unit could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// An input could not be had.
    #[error("section {section}: {source}")]
    Input {
        /// The section being solved.
        section: String,
        /// What went wrong.
        source: InputError,
    },
    /// It was told to stop.
    #[error("stopped before the unit was solved")]
    Stopped,
}

/// Why rows of a section below could not be had.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The solver was called without a section it needs: a bug.
    #[error("bug: the rows of a section below were not given")]
    NotGiven,
    /// A row outside what was loaded for the unit: a bug.
    #[error("bug: row {row} of section {section} was not loaded for this unit")]
    RowNotHeld {
        /// The section.
        section: String,
        /// The row's number.
        row: u32,
    },
    /// Whoever holds the finished shards could not give the entries.
    #[error("cannot fetch section {section}: {source}")]
    Fetch {
        /// The section.
        section: String,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The memory allowed does not hold what the unit needs.
    #[error("{needed} MiB of memory are needed, but only {allowed} MiB are allowed (--memory)")]
    Memory {
        /// MiB needed.
        needed: u64,
        /// MiB allowed.
        allowed: u64,
    },
    /// The scratch file could not be written or read.
    #[error("scratch file {}: {source}", path.display())]
    Scratch {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
}
