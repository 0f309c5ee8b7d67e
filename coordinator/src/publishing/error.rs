//! Why a table is not published.

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::publish::PublishError;

use crate::handout::HandoutError;

/// Why a table is not published. Messages are for whoever publishes.
#[derive(Debug, thiserror::Error)]
pub enum PublishingError {
    /// The table cannot have this name.
    #[error("{0}")]
    Name(String),
    /// The manifest is no good.
    #[error("the manifest is refused: {0}")]
    Manifest(TableError),
    /// Another table has the name, or a URL is no URL.
    #[error(transparent)]
    Refused(#[from] PublishError),
    /// The publication is not going on.
    #[error(
        "publication {0:016x} is over, or began before a restart; publish the table again, what \
         has come is kept"
    )]
    Unknown(u64),
    /// Somebody has offered a table of this name since.
    #[error("`{0}` is being published by somebody else now")]
    Superseded(String),
    /// A publication sends one file at a time.
    #[error("another call of the publication of `{0}` is going on")]
    Busy(String),
    /// Too many tables are on their way.
    #[error(
        "{0} tables are on their way here, and no more are taken; finish one of them, or have the \
         coordinator's keeper delete one from the folder `incoming`"
    )]
    TooMany(usize),
    /// Other bytes are sent than those asked for.
    #[error("{0}")]
    NotWanted(String),
    /// A file of the table is not what the manifest says.
    #[error("{file}: it has arrived corrupt and was thrown away: {what}")]
    Bad {
        /// The data file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A file or folder of the coordinator's.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The table is published, but cannot be handed out.
    #[error("the table is there, but cannot be handed out: {0}")]
    NotServed(#[from] HandoutError),
}
