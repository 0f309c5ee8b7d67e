//! The servers that have a table, and which of them are still asked.

use crate::manifest::MANIFEST;
use crate::objects::Threads;
use crate::remote::{Remote, RemoteError};

use super::error::{Failed, FetchError};
use super::{ServerUse, Source};

/// Number of a server, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServerId(usize);

/// The servers.
pub(super) struct Servers {
    all: Vec<Remote>,
    /// The one that is asked; those before have failed.
    current: usize,
    failed: Vec<Failed>,
}

impl Servers {
    pub(super) fn new(all: Vec<Remote>) -> Servers {
        Servers { all, current: 0, failed: Vec::new() }
    }

    /// The server that is asked; the error, if none is left, says what they did.
    pub(super) fn current(&mut self, file: &str) -> Result<(ServerId, Remote), FetchError> {
        match self.all.get(self.current) {
            Some(remote) => Ok((ServerId(self.current), remote.clone())),
            None => {
                let failed = std::mem::take(&mut self.failed);
                Err(FetchError::NoServer { file: file.to_owned(), failed })
            }
        }
    }

    /// The current server is not asked any more.
    pub(super) fn fail(&mut self, error: RemoteError) {
        if let Some(remote) = self.all.get(self.current) {
            self.failed.push(Failed { url: remote.url(), error });
            self.current += 1;
        }
    }

    /// The manifest of the first server that has one that can be used.
    pub(super) fn manifest(
        &mut self,
        threads: &Threads,
        identity: Option<&str>,
    ) -> Result<Source, FetchError> {
        loop {
            let (_, remote) = self.current(MANIFEST)?;
            let url = remote.url();
            match threads.run(async move { remote.manifest().await }) {
                Ok((_, manifest, _))
                    if identity.is_some_and(|asked| asked != manifest.identity) =>
                {
                    let what = format!(
                        "its table has the identity {}, not the one asked for",
                        manifest.identity
                    );
                    self.fail(RemoteError::Lies { url: format!("{url}/{MANIFEST}"), what });
                }
                Ok((bytes, manifest, layout)) => {
                    return Ok(Source { bytes, manifest, layout, url });
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// What was asked of each.
    pub(super) fn uses(&self) -> Vec<ServerUse> {
        let uses = self.all.iter().map(|remote| ServerUse {
            url: remote.url(),
            requests: remote.meter().requests(),
            bytes: remote.meter().received(),
        });
        uses.collect()
    }

    pub(super) fn into_failed(self) -> Vec<Failed> {
        self.failed
    }
}
