//! Published tables on web servers: their files, and single values.
//!
//! All of this distrusts the server; see [`RemoteError`] for what it can do to be refused. Calls
//! that are not async block, and must not be made by tasks of an async runtime.

mod cache;
mod error;
mod http;
mod meter;
mod table;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};

use crate::error::TableError;
use crate::layout::TableLayout;
use crate::manifest::{MANIFEST, MAX_MANIFEST, Manifest};

pub use cache::FrameCache;
pub use error::RemoteError;
pub use http::Bearer;
pub use meter::Meter;
pub use table::RemoteTable;

use http::HttpFolder;

/// The wait before the first repetition; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Most requests for one part, even if each of them brings a few bytes.
const MOST_REQUESTS: usize = 100;

/// How patient we are with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often a request is repeated that was not answered, or not to the end. A request that
    /// brought some bytes does not count.
    pub retries: usize,
}

impl Default for Patience {
    /// 8 repetitions, about 20 seconds.
    fn default() -> Patience {
        Patience { retries: 8 }
    }
}

/// A published table's folder on a web server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Remote {
    folder: Arc<HttpFolder>,
    meter: Arc<Meter>,
    patience: Patience,
}

impl Remote {
    /// The folder at a URL; nothing is asked of the network yet.
    ///
    /// # Errors
    /// [`RemoteError::Url`].
    pub fn open(url: &str, patience: Patience) -> Result<Remote, RemoteError> {
        Remote::open_as(None, url, patience)
    }

    /// The folder at a URL whose server may ask for a token.
    ///
    /// # Errors
    /// [`RemoteError::Url`].
    pub fn open_as(
        bearer: Option<Bearer>,
        url: &str,
        patience: Patience,
    ) -> Result<Remote, RemoteError> {
        let folder = Arc::new(HttpFolder::open(url, bearer)?);
        Ok(Remote { folder, meter: Arc::default(), patience })
    }

    /// The URL, without a slash at the end.
    pub fn url(&self) -> String {
        self.folder.url()
    }

    /// What was asked of the server so far.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The URL of a file, for messages.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        format!("{}/{name}", self.url()).into()
    }

    /// The manifest's bytes and what they say, checked as in [`Manifest::parse`]: it decides the
    /// names and bounds the lengths of all other files.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub async fn manifest(&self) -> Result<(Vec<u8>, Manifest, TableLayout), RemoteError> {
        let bytes = self.whole(MANIFEST, MAX_MANIFEST).await?;
        let (manifest, layout) = Manifest::parse(&bytes, &self.path(MANIFEST))?;
        Ok((bytes, manifest, layout))
    }

    /// A whole file of at most so many bytes.
    async fn whole(&self, name: &str, most: u64) -> Result<Vec<u8>, RemoteError> {
        let mut waits = self.waits();
        loop {
            match self.folder.whole(name, most, &self.meter).await {
                Err(error) if error.is_passing() => match waits.next() {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => return Err(error),
                },
                done => return done,
            }
        }
    }

    /// A part of a file, which must have `length` bytes altogether. The part must not be empty,
    /// and small enough to be held in memory.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub async fn part(
        &self,
        name: &str,
        part: Range<u64>,
        length: u64,
    ) -> Result<Vec<u8>, RemoteError> {
        let mut bytes = Vec::with_capacity((part.end - part.start) as usize);
        let mut waits = self.waits();
        let mut requests = 0;
        loop {
            let before = bytes.len();
            let rest = part.start + before as u64..part.end;
            let asked = self.folder.part(name, rest, length, &mut bytes, &self.meter).await;
            let error = match asked {
                Ok(()) => return Ok(bytes),
                Err(error) if !error.is_passing() => return Err(error),
                Err(error) => error,
            };
            if bytes.len() > before {
                waits = self.waits();
            }
            requests += 1;
            match waits.next().filter(|_| requests < MOST_REQUESTS) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            }
        }
    }

    fn waits(&self) -> backon::ExponentialBackoff {
        let waits = ExponentialBuilder::new().with_min_delay(FIRST_WAIT).with_jitter();
        waits.with_max_delay(LONGEST_WAIT).with_max_times(self.patience.retries).build()
    }
}

/// A range of bytes that were to be read, but of a table that cannot be.
fn io_error(error: RemoteError) -> std::io::Error {
    use std::io::{Error, ErrorKind};
    match error {
        RemoteError::Lies { .. } | RemoteError::Changed { .. } | RemoteError::NoRanges { .. } => {
            Error::new(ErrorKind::InvalidData, error)
        }
        RemoteError::Table(TableError::Io { source, .. }) => source,
        error => Error::other(error),
    }
}
