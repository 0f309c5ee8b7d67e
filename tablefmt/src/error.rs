//! What can go wrong with tables and shards.

use std::io;
use std::path::{Path, PathBuf};

use crate::hands::HandsError;
use crate::{stack, sticks};

/// Errors of this crate, by whose matter they are.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// What the user asked for makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The folder holds no table.
    #[error("{}: not a table (no manifest.json); a run writes it last, when the table is finished", dir.display())]
    NotATable {
        /// The folder.
        dir: PathBuf,
    },
    /// Written by a newer program.
    #[error(
        "{}: format version {found}, but this program reads version {supported}; use a newer \
         retrotab", path.display()
    )]
    UnsupportedVersion {
        /// The manifest or shard.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The newest one that can be read.
        supported: String,
    },
    /// A file of the table is not there.
    #[error("{}: missing; fetch or compute the table again", path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
    },
    /// A file does not hold what it must.
    #[error("{}: corrupt: {at}: {what}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where in it.
        at: String,
        /// What is wrong there.
        what: String,
    },
    /// The operating system refused.
    #[error("{}: cannot {doing}: {source}{}", path.display(), hint(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, as in "cannot ...".
        doing: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// There is a table already.
    #[error("{}: there is a table here already", dir.display())]
    Exists {
        /// The folder.
        dir: PathBuf,
    },
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
    /// A mistake in this program.
    #[error("bug: {0}; please report it")]
    Bug(String),
}

/// Mistakes in what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// No lane.
    #[error(transparent)]
    Notation(#[from] stack::NotationError),
    /// No position of the stick game.
    #[error(transparent)]
    Sticks(#[from] sticks::NotationError),
    /// No cards, or no hand of the table's game.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// Not how a position of the table is written.
    #[error("{0}")]
    Position(String),
    /// No entry of the table.
    #[error("entry {entry} is past the end of the table, which has {entries} entries")]
    NoEntry {
        /// The entry asked for.
        entry: u64,
        /// Entries of the table.
        entries: u64,
    },
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; make room on the disk and run the same command again, it goes on where it stopped"
        }
        io::ErrorKind::PermissionDenied => "; check the owner and permissions",
        io::ErrorKind::ReadOnlyFilesystem => "; choose a folder on a writable disk",
        _ => "",
    }
}

impl TableError {
    /// An error of the operating system at `path`; `doing` completes "cannot ...".
    pub fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> TableError {
        let path = path.to_owned();
        move |source| match source.kind() {
            // A file that ends early is a damaged file, not a failed system call.
            io::ErrorKind::UnexpectedEof => TableError::Corrupt {
                path,
                at: "end of file".to_owned(),
                what: "it is shorter than it must be".to_owned(),
            },
            // Some sources see by themselves that they do not have what they must.
            io::ErrorKind::InvalidData => {
                TableError::Corrupt { path, at: "contents".to_owned(), what: source.to_string() }
            }
            _ => TableError::Io { path, doing, source },
        }
    }

    /// A damaged file.
    pub fn corrupt(path: &Path, at: impl Into<String>, what: impl Into<String>) -> TableError {
        TableError::Corrupt { path: path.to_owned(), at: at.into(), what: what.into() }
    }

    /// Whether the mistake is the user's, and not that of a file or the machine.
    pub fn is_users(&self) -> bool {
        matches!(
            self,
            TableError::Input(_) | TableError::NotATable { .. } | TableError::Exists { .. }
        )
    }
}
