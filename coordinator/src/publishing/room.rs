//! The folders of published tables and of those on their way.
//!
//! ```text
//! published/NAME/             a table, checked whole
//! incoming/NAME/offer.json    the manifest that was offered
//! incoming/NAME/FILE.part     a data file that is arriving
//! incoming/NAME/FILE          one that is whole
//! incoming/.NAME.replaced/    what was published before, about to be deleted
//! ```
//!
//! When all has arrived and was checked, the manifest is written into `incoming/NAME`: that is
//! the moment from which the table will be published, whatever happens. Then the folder moves.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use retrotab_tablefmt::manifest::{MANIFEST, MAX_MANIFEST, Manifest};
use retrotab_tablefmt::publish::{Arrived, PublishError, arrived};
use retrotab_tablefmt::{TableError, durable, source};

use super::error::PublishingError;
use crate::daemon::data::check_name;

/// What was offered, in the folder of a table on its way.
const OFFER: &str = "offer.json";

/// The two folders.
pub(super) struct Room {
    published: PathBuf,
    incoming: PathBuf,
}

/// What was published under a name before.
pub(super) enum Before {
    /// Nothing.
    Nothing,
    /// A table.
    Table(Box<Manifest>),
    /// Something whose manifest cannot be read.
    Damaged,
}

impl Room {
    /// Opens the folders, making them if needed, and tidies up after an earlier run.
    pub(super) fn open(data: &Path) -> Result<Room, TableError> {
        let room = Room { published: data.join("published"), incoming: data.join("incoming") };
        durable::create_folder(&room.published)?;
        durable::create_folder(&room.incoming)?;
        for name in folders(&room.incoming)? {
            room.tidy(&name)?;
        }
        Ok(room)
    }

    /// Completes a publication that lacks nothing but its place, keeps one that can go on, and
    /// deletes everything else.
    fn tidy(&self, name: &str) -> Result<(), TableError> {
        let folder = self.incoming.join(name);
        if check_name(name).is_ok() {
            if Manifest::read(&folder).is_ok() {
                tracing::info!(name, "a table gets its place that was checked in an earlier run");
                return self.place(name);
            }
            if self.offered(name)?.is_some() {
                tracing::info!(name, "a table has come in part; publishing it again goes on");
                return durable::remove_leftovers(&folder).map(drop);
            }
            tracing::warn!(name, "what is left of a publication cannot be used and is deleted");
        }
        remove_folder(&folder)
    }

    /// Where a published table is.
    pub(super) fn published(&self, name: &str) -> PathBuf {
        self.published.join(name)
    }

    /// Where a table on its way is.
    pub(super) fn incoming(&self, name: &str) -> PathBuf {
        self.incoming.join(name)
    }

    /// Names of what is published.
    pub(super) fn names(&self) -> Result<Vec<String>, TableError> {
        folders(&self.published)
    }

    /// How many tables are on their way.
    pub(super) fn count_incoming(&self) -> Result<usize, TableError> {
        Ok(folders(&self.incoming)?.len())
    }

    /// What was published under a name before.
    pub(super) fn before(&self, name: &str) -> Before {
        let folder = self.published(name);
        match Manifest::read(&folder) {
            Ok((manifest, _)) => Before::Table(Box::new(manifest)),
            Err(_) if !folder.exists() => Before::Nothing,
            Err(_) => Before::Damaged,
        }
    }

    /// The manifest of the table that is on its way under a name; `None` also if it cannot be
    /// read.
    fn offered(&self, name: &str) -> Result<Option<Manifest>, TableError> {
        let path = self.incoming(name).join(OFFER);
        match source::read_whole(&path, MAX_MANIFEST) {
            Ok(bytes) => Ok(Manifest::parse(&bytes, &path).ok().map(|(manifest, _)| manifest)),
            Err(TableError::MissingFile { .. } | TableError::Corrupt { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a table is on its way of which something has come, and it is not this one: refused
    /// as in a folder in which another publication was interrupted.
    pub(super) fn check_unfinished(
        &self,
        name: &str,
        manifest: &Manifest,
    ) -> Result<(), PublishingError> {
        let Some(other) = self.offered(name)?.filter(|other| !other.is_same_table(manifest)) else {
            return Ok(());
        };
        for file in other.files() {
            if arrived(&self.incoming(name), file)? != Arrived::Part(0) {
                let (target, file) = (shown(name), file.name.clone());
                return Err(PublishError::OtherFile { target, file }.into());
            }
        }
        Ok(())
    }

    /// Makes the folder for a table on its way, or goes on with it if it is there; another one's
    /// is deleted.
    pub(super) fn prepare(
        &self,
        name: &str,
        bytes: &[u8],
        manifest: &Manifest,
    ) -> Result<(), TableError> {
        let folder = self.incoming(name);
        match self.offered(name)? {
            Some(offered) if offered.is_same_table(manifest) => {
                // It was checked whole and did not get its place.
                remove_file(&folder.join(MANIFEST))?;
                durable::remove_leftovers(&folder)?;
            }
            _ => remove_folder(&folder)?,
        }
        durable::create_folder(&folder)?;
        durable::write_durably(&folder.join(OFFER), bytes)
    }

    /// Gives a table that was checked whole its place; what was there is deleted.
    pub(super) fn place(&self, name: &str) -> Result<(), TableError> {
        let (from, to) = (self.incoming(name), self.published(name));
        let aside = self.incoming.join(format!(".{name}.replaced"));
        remove_file(&from.join(OFFER))?;
        if to.exists() {
            remove_folder(&aside)?;
            durable::rename(&to, &aside)?;
        }
        fail::fail_point!("publish::replacing", |_| std::process::abort());
        durable::rename(&from, &to)?;
        remove_folder(&aside)
    }

    /// Deletes what has come of a table.
    pub(super) fn give_up(&self, name: &str) -> Result<(), TableError> {
        remove_folder(&self.incoming(name))
    }
}

/// What a published table is called in messages: its path on the HTTP port.
pub(super) fn shown(name: &str) -> String {
    format!("tables/{name}")
}

/// Names of the folders in a folder.
fn folders(folder: &Path) -> Result<Vec<String>, TableError> {
    let list = || -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    };
    list().map_err(TableError::io(folder, "list it"))
}

fn remove_folder(folder: &Path) -> Result<(), TableError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(TableError::io(folder, "delete it")(error))
        }
        _ => Ok(()),
    }
}

pub(super) fn remove_file(path: &Path) -> Result<(), TableError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(TableError::io(path, "delete it")(error))
        }
        _ => Ok(()),
    }
}
