//! What can go wrong when a table is published.

use crate::manifest::Manifest;
use crate::objects::StoreError;

/// What can go wrong when a table is published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The table, or the place it is published in.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another table is there.
    #[error("{target}: there is another table here: {found}; publish elsewhere, or give --replace")]
    Different {
        /// The place.
        target: String,
        /// What is there.
        found: String,
    },
    /// A file of this name is there, but no table that it belongs to.
    #[error(
        "{target}: there is a file {file} that is not of this table (was another publication \
         interrupted?); publish elsewhere, or give --replace"
    )]
    OtherFile {
        /// The place.
        target: String,
        /// The file.
        file: String,
    },
    /// No URL that others could use.
    #[error(
        "`{0}` is no URL of a folder; give it like https://HOST/tables/stack3, without a slash at the end"
    )]
    PublicUrl(String),
    /// The place has no name.
    #[error("{0}: a published table needs a folder of its own, whose name it has")]
    NoName(String),
}

impl PublishError {
    /// Another table is at the target; `None` if its manifest cannot be read.
    pub fn different(target: &str, found: Option<&Manifest>) -> PublishError {
        let found = match found {
            Some(found) => format!("{} with the identity {}", found.table, found.identity),
            None => "a manifest that cannot be read".to_owned(),
        };
        PublishError::Different { target: target.to_owned(), found }
    }

    /// Whether the mistake is the user's.
    pub fn is_users(&self) -> bool {
        match self {
            PublishError::Store(error) => error.is_users(),
            _ => true,
        }
    }
}
