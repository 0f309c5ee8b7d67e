//! A table on its way, and a data file of it that is arriving.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::manifest::{FileManifest, Manifest};
use retrotab_tablefmt::publish::{Arrived, ArrivingFile, arrived};

use super::error::PublishingError;
use super::{Offer, PublicationId};

/// The part of a data file that is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Number of the file in its manifest, from 0.
    pub file: u32,
    /// First byte.
    pub offset: u64,
}

/// A table on its way.
pub(super) struct Attempt {
    pub(super) id: PublicationId,
    pub(super) offer: Offer,
    pub(super) folder: PathBuf,
    files: Vec<FileManifest>,
    /// Held while something is written into the folder.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Somebody has offered a table of this name since.
    superseded: bool,
    /// A call is going on.
    busy: bool,
}

/// The right to be the one call that goes on; given back when it is dropped.
pub(super) struct Turn(Arc<Attempt>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.state().busy = false;
    }
}

impl Attempt {
    pub(super) fn new(
        id: PublicationId,
        offer: Offer,
        manifest: &Manifest,
        folder: PathBuf,
    ) -> Attempt {
        let files = manifest.files().cloned().collect();
        Attempt { id, offer, folder, files, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing is written by this attempt any more when this returns.
    pub(super) fn supersede(&self) {
        self.state().superseded = true;
    }

    pub(super) fn is_superseded(&self) -> bool {
        self.state().superseded
    }

    fn superseded(&self) -> PublishingError {
        PublishingError::Superseded(self.offer.name.clone())
    }

    /// Fails if somebody has offered a table of this name since.
    pub(super) fn check_current(&self) -> Result<(), PublishingError> {
        if self.is_superseded() { Err(self.superseded()) } else { Ok(()) }
    }

    pub(super) fn take_turn(self: &Arc<Self>) -> Result<Turn, PublishingError> {
        let mut state = self.state();
        if state.superseded {
            return Err(self.superseded());
        }
        if std::mem::replace(&mut state.busy, true) {
            return Err(PublishingError::Busy(self.offer.name.clone()));
        }
        drop(state);
        Ok(Turn(Arc::clone(self)))
    }

    /// What is to be sent next; `None` if all data files are there.
    pub(super) fn wanted(&self) -> Result<Option<Wanted>, TableError> {
        for (number, file) in (0..).zip(&self.files) {
            if let Arrived::Part(offset) = arrived(&self.folder, file)? {
                return Ok(Some(Wanted { file: number, offset }));
            }
        }
        Ok(None)
    }

    /// The name of the data file at a path.
    pub(super) fn file_at(&self, path: &Path) -> Option<&str> {
        let here = |file: &&FileManifest| self.folder.join(&file.name) == path;
        self.files.iter().find(here).map(|file| file.name.as_str())
    }

    /// A data file is about to arrive: it must be the one that is wanted.
    pub(super) fn receive(self: &Arc<Self>, sent: Wanted) -> Result<IncomingFile, PublishingError> {
        let turn = self.take_turn()?;
        let wanted = self.wanted()?;
        let listed = self.files.get(sent.file as usize);
        let (Some(listed), true) = (listed, wanted == Some(sent)) else {
            let named = |wanted: Wanted| match self.files.get(wanted.file as usize) {
                Some(file) => format!("{} from byte {} on", file.name, wanted.offset),
                None => "a file that the table does not have".to_owned(),
            };
            let expected = wanted.map_or("nothing".to_owned(), named);
            let what = format!("{expected} is wanted now, not {}", named(sent));
            return Err(PublishingError::NotWanted(what));
        };
        let file = ArrivingFile::open(&self.folder, listed, sent.offset)?;
        Ok(IncomingFile { name: listed.name.clone(), file, turn })
    }
}

/// A data file that is arriving. Dropped, what has come stays.
pub struct IncomingFile {
    name: String,
    file: ArrivingFile,
    turn: Turn,
}

impl IncomingFile {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes that are still to come.
    pub fn missing(&self) -> u64 {
        self.file.missing()
    }

    /// The next bytes have come.
    ///
    /// # Errors
    /// [`PublishingError::NotWanted`] if they are too many; [`PublishingError::Superseded`];
    /// [`PublishingError::Table`].
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), PublishingError> {
        if bytes.len() as u64 > self.missing() {
            let what = format!("{}: more bytes than the manifest says", self.name);
            return Err(PublishingError::NotWanted(what));
        }
        let attempt = &self.turn.0;
        let state = attempt.state();
        if state.superseded {
            return Err(attempt.superseded());
        }
        self.file.append(bytes)?;
        drop(state);
        fail::fail_point!("publish::appended", |_| std::process::abort());
        Ok(())
    }

    /// All bytes have come: the file is kept if they have the digests of the manifest. Says what
    /// is wanted next.
    ///
    /// # Errors
    /// [`PublishingError::Bad`] if they do not; [`PublishingError::NotWanted`] if they are too
    /// few, and then they stay; [`PublishingError::Superseded`]; [`PublishingError::Table`].
    pub fn finish(self) -> Result<Option<Wanted>, PublishingError> {
        let IncomingFile { name, file, turn } = self;
        if file.missing() > 0 {
            let what = format!("{name}: {} bytes less than the manifest says", file.missing());
            return Err(PublishingError::NotWanted(what));
        }
        let state = turn.0.state();
        if state.superseded {
            return Err(turn.0.superseded());
        }
        let kept = file.finish();
        drop(state);
        match kept {
            Err(TableError::Corrupt { what, .. }) => {
                return Err(PublishingError::Bad { file: name, what });
            }
            kept => kept?,
        }
        fail::fail_point!("publish::kept", |_| std::process::abort());
        Ok(turn.0.wanted()?)
    }
}
