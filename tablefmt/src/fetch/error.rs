//! What can go wrong when a table is fetched.

use std::path::PathBuf;

use crate::error::TableError;
use crate::remote::RemoteError;

/// A server that is not asked any more, and why.
#[derive(Debug)]
pub struct Failed {
    /// URL of the table there.
    pub url: String,
    /// What it did.
    pub error: RemoteError,
}

/// What can go wrong when a table is fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A URL.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A file or folder of this machine.
    #[error(transparent)]
    Table(#[from] TableError),
    /// No server is left that gives a file.
    #[error("{file} cannot be fetched{}", told(.failed))]
    NoServer {
        /// The file.
        file: String,
        /// The servers, in the order in which they were asked.
        failed: Vec<Failed>,
    },
    /// The table has no such file.
    #[error("the table has no file `{name}`; it has {known}")]
    NoFile {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Another process fetches into the folder.
    #[error("{}: another process is fetching a table into this folder", dir.display())]
    InUse {
        /// The folder.
        dir: PathBuf,
    },
}

fn told(failed: &[Failed]) -> String {
    match failed {
        [] => String::new(),
        [one] => format!(": {}", one.error),
        several => several.iter().map(|failed| format!("\n  {}", failed.error)).collect(),
    }
}

impl FetchError {
    /// Whether the mistake is the user's.
    pub fn is_users(&self) -> bool {
        match self {
            FetchError::Remote(error) => error.is_users(),
            FetchError::Table(error) => error.is_users(),
            FetchError::NoFile { .. } | FetchError::InUse { .. } => true,
            FetchError::NoServer { .. } => false,
        }
    }
}
