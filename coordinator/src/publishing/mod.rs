//! Tables that users publish at a coordinator, and that it hands out then.
//!
//! A table is offered with its manifest, which decides everything: names and lengths of the data
//! files are never taken from elsewhere. The files are sent in its order, one at a time; an
//! interrupted one goes on at the byte where it stopped. A file is kept under its name when it
//! has the digests of the manifest; the table gets its own when every frame decodes and the
//! identity is right (`room`). Of two publishers of one name the later one goes on.

mod attempt;
mod error;
mod room;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::manifest::{MANIFEST, Manifest};
use retrotab_tablefmt::publish::{CheckedTable, Existing, PublishError, check_urls};

use crate::daemon::data::check_name;
use crate::handout::{Draw, Handout};

pub use attempt::{IncomingFile, Wanted};
pub use error::PublishingError;

use attempt::Attempt;
use room::{Before, Room, shown};

/// Bytes of decoded frames that are kept of each published table.
const TABLE_CACHE: u64 = 16 << 20;
/// Most tables on their way at a time, those of interrupted publishers included.
const MAX_INCOMING: usize = 64;

/// Names a publication until the table is offered again or the coordinator restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicationId(pub u64);

impl fmt::Display for PublicationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A table that a user wants to publish.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The name it is to have.
    pub name: String,
    /// What is done about another table of that name.
    pub existing: Existing,
    /// URLs at which others will find the table's folder.
    pub urls: Vec<String>,
    /// Its manifest, as it is in its folder.
    pub manifest: Vec<u8>,
}

/// What there is of an offered table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// It is published already.
    Published,
    /// It is on its way.
    Incoming {
        /// For later calls.
        publication: PublicationId,
        /// What is to be sent; `None` if all data files are there.
        wanted: Option<Wanted>,
    },
}

/// A table that is published now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Names of the small files that were written.
    pub written: Vec<String>,
    /// Names of data files of the table before that are not there any more.
    pub removed: Vec<String>,
}

/// Published tables, and those on their way.
pub struct Publishing {
    room: Room,
    handout: Arc<Handout>,
    /// By name. Held while a table is offered or gets its place.
    attempts: Mutex<BTreeMap<String, Arc<Attempt>>>,
}

impl Publishing {
    /// Opens the folders of published tables in a data folder, and hands out what is there. A
    /// table that cannot be opened is left alone.
    ///
    /// # Errors
    /// [`TableError::Io`].
    pub fn open(data: &Path, draw: Option<Draw>) -> Result<Publishing, TableError> {
        let room = Room::open(data)?;
        let handout = match draw {
            Some(draw) => Handout::empty().drawn_by(draw),
            None => Handout::empty(),
        };
        for name in room.names()? {
            match handout.add(&room.published(&name), TABLE_CACHE) {
                Ok(()) => tracing::info!(name, "published table"),
                Err(error) => tracing::error!(name, %error, "a published table is not handed out"),
            }
        }
        Ok(Publishing { room, handout: Arc::new(handout), attempts: Mutex::default() })
    }

    /// The published tables, as they are handed out.
    pub fn handout(&self) -> &Arc<Handout> {
        &self.handout
    }

    fn attempts(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Attempt>>> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attempt(&self, id: PublicationId) -> Result<Arc<Attempt>, PublishingError> {
        let attempts = self.attempts();
        let found = attempts.values().find(|attempt| attempt.id == id).cloned();
        found.ok_or(PublishingError::Unknown(id.0))
    }

    /// A user wants to publish a table. One that is on its way goes on.
    ///
    /// # Errors
    /// [`PublishingError::Name`], [`PublishingError::Manifest`], [`PublishingError::TooMany`];
    /// [`PublishingError::Refused`] if another table has the name; [`PublishingError::Table`].
    pub fn offer(&self, offer: Offer) -> Result<Offered, PublishingError> {
        check_published_name(&offer.name)?;
        check_urls(&offer.urls)?;
        let label = Path::new(&offer.name).join(MANIFEST);
        let parsed = Manifest::parse(&offer.manifest, &label);
        let (manifest, _) = parsed.map_err(PublishingError::Manifest)?;
        let name = offer.name.clone();
        let mut attempts = self.attempts();
        let served = self.handout.find(&name);
        if served.is_some_and(|served| served.manifest().is_same_table(&manifest)) {
            return Ok(Offered::Published);
        }
        if offer.existing == Existing::Keep {
            self.check_place(&name, &manifest)?;
        }
        let folder = self.room.incoming(&name);
        if !folder.exists() && self.room.count_incoming()? >= MAX_INCOMING {
            return Err(PublishingError::TooMany(MAX_INCOMING));
        }
        if let Some(before) = attempts.remove(&name) {
            before.supersede();
        }
        self.room.prepare(&name, &offer.manifest, &manifest)?;
        let publication = PublicationId(fastrand::u64(..));
        let attempt = Attempt::new(publication, offer, &manifest, folder);
        let wanted = attempt.wanted()?;
        attempts.insert(name.clone(), Arc::new(attempt));
        tracing::info!(name, table = %manifest.table, %publication, "a table is being published");
        Ok(Offered::Incoming { publication, wanted })
    }

    /// Refuses what would take the place of another table.
    fn check_place(&self, name: &str, manifest: &Manifest) -> Result<(), PublishingError> {
        let different = |found| Err(PublishError::different(&shown(name), found).into());
        match self.room.before(name) {
            Before::Table(found) if !found.is_same_table(manifest) => different(Some(&found)),
            Before::Damaged => different(None),
            Before::Table(_) | Before::Nothing => self.room.check_unfinished(name, manifest),
        }
    }

    /// A data file is about to arrive.
    ///
    /// # Errors
    /// [`PublishingError::Unknown`], [`PublishingError::Superseded`], [`PublishingError::Busy`];
    /// [`PublishingError::NotWanted`] if it is not what was asked for;
    /// [`PublishingError::Table`].
    pub fn receive(
        &self,
        publication: PublicationId,
        sent: Wanted,
    ) -> Result<IncomingFile, PublishingError> {
        self.attempt(publication)?.receive(sent)
    }

    /// All data files are there: checks the whole table and publishes it. Works on the threads
    /// of the rayon pool it is called in. `progress` is told the bytes checked, and answers
    /// whether to go on.
    ///
    /// # Errors
    /// As [`receive`](Self::receive); [`PublishingError::Bad`] or [`PublishingError::Manifest`]
    /// if the table is not what the manifest says.
    pub fn finish(
        &self,
        publication: PublicationId,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Finished, PublishingError> {
        let attempt = self.attempt(publication)?;
        let _turn = attempt.take_turn()?;
        if attempt.wanted()?.is_some() {
            let what = "data files are missing; offer the table again".to_owned();
            return Err(PublishingError::NotWanted(what));
        }
        let Offer { name, manifest, urls, .. } = &attempt.offer;
        let checked = CheckedTable::check(&attempt.folder, name, manifest, urls, &mut |done| {
            if attempt.is_superseded() { ControlFlow::Break(()) } else { progress(done) }
        });
        // From here on nobody else can offer a table.
        let mut attempts = self.attempts();
        attempt.check_current()?;
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                let error = self.damaged(&attempt, error)?;
                if matches!(error, PublishingError::Manifest(_)) {
                    attempts.remove(name);
                }
                return Err(error);
            }
        };
        fail::fail_point!("publish::checked", |_| std::process::abort());
        let removed = self.stale(&attempt);
        let written = checked.write(&attempt.folder)?;
        fail::fail_point!("publish::written", |_| std::process::abort());
        self.room.place(name)?;
        attempts.remove(name);
        fail::fail_point!("publish::placed", |_| std::process::abort());
        self.handout.add(&self.room.published(name), TABLE_CACHE)?;
        tracing::info!(name, "a table was published");
        Ok(Finished { written, removed })
    }

    /// What has come of a table is not what its manifest says: a damaged file is deleted, so that
    /// it can come again. A manifest with another identity damns everything that came with it.
    fn damaged(
        &self,
        attempt: &Attempt,
        error: TableError,
    ) -> Result<PublishingError, PublishingError> {
        let TableError::Corrupt { path, at, what } = &error else { return Ok(error.into()) };
        let Some(file) = attempt.file_at(path) else {
            self.room.give_up(&attempt.offer.name)?;
            return Ok(PublishingError::Manifest(error));
        };
        room::remove_file(path)?;
        Ok(PublishingError::Bad { file: file.to_owned(), what: format!("{at}: {what}") })
    }

    /// Data files of the table before that the new one has no others for.
    fn stale(&self, attempt: &Attempt) -> Vec<String> {
        let Before::Table(before) = self.room.before(&attempt.offer.name) else {
            return Vec::new();
        };
        let is_kept = |name: &str| attempt.file_at(&attempt.folder.join(name)).is_some();
        let names = before.files().map(|file| file.name.clone());
        names.filter(|name| !is_kept(name)).collect()
    }
}

/// Checks the name of a table that is to be published: it is a folder's and part of URLs.
fn check_published_name(name: &str) -> Result<(), PublishingError> {
    check_name(name).map_err(PublishingError::Name)?;
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        let what =
            format!("`{name}` is no name for a published table; begin with a letter or digit");
        return Err(PublishingError::Name(what));
    }
    Ok(())
}
