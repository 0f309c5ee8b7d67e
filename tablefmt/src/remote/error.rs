//! What can go wrong with a server that files are fetched from.

use crate::error::TableError;

/// What can go wrong with a server, each naming the URL.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// No URL of a published table.
    #[error("{url}: {what}; a published table is given as https://HOST/FOLDER")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// The server has no such file.
    #[error(
        "{url}: the server has no such file (status {status}); correct the URL, or ask its keeper"
    )]
    Missing {
        /// The file.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The server lets us have nothing.
    #[error(
        "{url}: the server refuses to give it (status {status}){}",
        if *status == 401 { "; it asks for a token (--token-file), or for another one" } else { "" }
    )]
    Refused {
        /// The file.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// Nobody answers, or the server has trouble.
    #[error(
        "{url}: the server does not answer as it should: {why}; check the network, then try again"
    )]
    Unreachable {
        /// The file.
        url: String,
        /// How it failed.
        why: String,
    },
    /// The connection ended too early.
    #[error("{url}: the server stopped after {got} of {wanted} bytes: {why}")]
    Stopped {
        /// The file.
        url: String,
        /// Bytes that came.
        got: u64,
        /// Bytes that were to come.
        wanted: u64,
        /// How it ended.
        why: String,
    },
    /// The server sends us somewhere else.
    #[error(
        "{url}: the server sends us to {to}, and redirects are followed on the same host only, and \
         a few; if you trust that place, give its URL"
    )]
    Redirected {
        /// The file.
        url: String,
        /// Where to.
        to: String,
    },
    /// The server ignores Range.
    #[error(
        "{url}: the server gives the whole file when it is asked for a part of it (status 200 to a \
         Range request); use a server that can, or a mirror"
    )]
    NoRanges {
        /// The file.
        url: String,
    },
    /// The file has been changed since we began.
    #[error("{url}: the file has changed on the server while it was read: {what}")]
    Changed {
        /// The file.
        url: String,
        /// How that was seen.
        what: String,
    },
    /// The server does not keep to HTTP, or not to the manifest.
    #[error("{url}: the server does not tell the truth: {what}")]
    Lies {
        /// The file.
        url: String,
        /// What is wrong.
        what: String,
    },
    /// What came is damaged or no part of a table.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl RemoteError {
    /// Whether the mistake is the user's.
    pub fn is_users(&self) -> bool {
        match self {
            RemoteError::Url { .. } => true,
            RemoteError::Table(error) => error.is_users(),
            _ => false,
        }
    }

    /// Whether it may pass by itself, so that trying again makes sense.
    pub fn is_passing(&self) -> bool {
        matches!(self, RemoteError::Unreachable { .. } | RemoteError::Stopped { .. })
    }
}
