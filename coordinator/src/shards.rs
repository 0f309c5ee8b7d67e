//! The shards of a job, as files in a local folder.
//!
//! A file is there whole or not at all, and durable when [`ShardStore::put`] returns. Its name
//! is the number of its unit; nothing else is ever taken from a name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::durable;
use retrotab_tablefmt::shard::Shard;
use retrotab_tablefmt::source::{self, Access, ReadAt};

use crate::error::CoordinatorError;
use crate::ids::{ShardDigest, UnitId};
use crate::plan::{Difference, Plan};

const SUFFIX: &str = ".shard.zst";

/// How much of a job is in durable data files of its table, so that its shards are not needed
/// any more. Kept in a file beside the shards, which is written before any of them goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Merged {
    /// Data files.
    pub files: usize,
    /// Units, the first ones, that are wholly in them.
    pub units: u32,
}

/// Name of the file that says how much is merged.
const MERGED: &str = "merged";

/// The shards of one job in a folder.
#[derive(Debug)]
pub struct ShardStore {
    folder: PathBuf,
    plan: Arc<Plan>,
}

impl ShardStore {
    /// Opens the store in a folder that exists, and removes what interrupted writes left.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn open(folder: &Path, plan: Arc<Plan>) -> Result<ShardStore, CoordinatorError> {
        let removed = durable::remove_leftovers(folder)?;
        if removed > 0 {
            tracing::info!(removed, "removed what interrupted writes of shards had left");
        }
        Ok(ShardStore { folder: folder.to_owned(), plan })
    }

    /// Stores a unit's shard durably. The bytes must have been checked.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses, for example for lack of space.
    pub fn put(&self, unit: UnitId, bytes: &[u8]) -> Result<(), CoordinatorError> {
        Ok(durable::write_durably(&self.path(unit), bytes)?)
    }

    /// Opens a unit's stored shard, checking all but its values, which are checked as they
    /// are decoded.
    ///
    /// # Errors
    /// [`CoordinatorError::BadStoredShard`] if it is missing or damaged;
    /// [`CoordinatorError::OtherJob`] if it is another job's; [`CoordinatorError::Table`].
    pub fn open_shard(&self, unit: UnitId) -> Result<Shard, CoordinatorError> {
        let path = self.path(unit);
        let opened = source::open(&path, Access::Read)
            .and_then(|source| Shard::open(source, &path, self.plan.layout()));
        let shard = opened.map_err(|error| bad_or_refused(unit, error))?;
        self.check_job(&shard)?;
        match self.mismatch(unit, &shard) {
            Some(what) => Err(CoordinatorError::BadStoredShard { unit, what }),
            None => Ok(shard),
        }
    }

    /// Checks everything about a unit's stored shard, decoding it, and says what its exact
    /// bytes are.
    ///
    /// # Errors
    /// As [`open_shard`](Self::open_shard).
    pub fn check(&self, unit: UnitId) -> Result<ShardDigest, CoordinatorError> {
        let path = self.path(unit);
        self.open_shard(unit)?;
        let bytes = fs::read(&path).map_err(TableError::io(&path, "read it"))?;
        let digest = ShardDigest::of(&bytes);
        // What is decoded is what the digest is of.
        let shard = Shard::open(Box::new(bytes), &path, self.plan.layout());
        let checked = shard.and_then(|shard| shard.check());
        checked.map_err(|error| bad_or_refused(unit, error))?;
        Ok(digest)
    }

    /// Checks everything about bytes submitted as a unit's shard, decoding them, and says
    /// what they are.
    ///
    /// # Errors
    /// [`CoordinatorError::BadShard`] if they are not a sound shard of this unit.
    pub fn check_submitted(
        &self,
        unit: UnitId,
        bytes: &Arc<Vec<u8>>,
    ) -> Result<ShardDigest, CoordinatorError> {
        let bad = |what: String| CoordinatorError::BadShard { unit, what };
        let source = Box::new(SharedBytes(bytes.clone()));
        let shard = Shard::open(source, Path::new("submitted shard"), self.plan.layout());
        let shard = shard.map_err(|error| bad(error.to_string()))?;
        let (job, expected) = (shard.header().job, self.plan.digest());
        if job != expected {
            return Err(bad(format!("it belongs to job {job}, not {expected}")));
        }
        if let Some(what) = self.mismatch(unit, &shard) {
            return Err(bad(what));
        }
        shard.check().map_err(|error| bad(error.to_string()))?;
        Ok(ShardDigest::of(bytes))
    }

    /// The units that have a file here, and the lengths of the files. Other files are ignored.
    ///
    /// # Errors
    /// [`CoordinatorError::Io`].
    pub fn list(&self) -> Result<BTreeMap<UnitId, u64>, CoordinatorError> {
        let list = || -> io::Result<BTreeMap<UnitId, u64>> {
            let mut found = BTreeMap::new();
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                if let Some(unit) = entry.file_name().to_str().and_then(unit_of_name) {
                    found.insert(unit, entry.metadata()?.len());
                }
            }
            Ok(found)
        };
        list().map_err(CoordinatorError::io("list", &self.folder))
    }

    /// How much is merged.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn merged(&self) -> Result<Merged, CoordinatorError> {
        let path = self.folder.join(MERGED);
        match fs::read_to_string(&path) {
            // A file of another job, or a damaged one, says nothing.
            Ok(text) => Ok(self.parse_merged(&text).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Merged::default()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Merged::default()),
            Err(error) => Err(TableError::io(&path, "read it")(error).into()),
        }
    }

    fn parse_merged(&self, text: &str) -> Option<Merged> {
        let mut words = text.split_whitespace();
        let job = words.next()?;
        let merged =
            Merged { files: words.next()?.parse().ok()?, units: words.next()?.parse().ok()? };
        let fits = merged.units <= self.plan.graph().unit_count();
        (job == self.plan.digest().to_string() && words.next().is_none() && fits).then_some(merged)
    }

    /// Remembers durably how much is merged, and removes the shards that are not needed any
    /// more.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`], [`CoordinatorError::Io`] if the system refuses.
    pub fn set_merged(&self, merged: Merged) -> Result<(), CoordinatorError> {
        let before = self.merged()?;
        let text = format!("{} {} {}\n", self.plan.digest(), merged.files, merged.units);
        durable::write_durably(&self.folder.join(MERGED), text.as_bytes())?;
        (before.units..merged.units).try_for_each(|unit| self.remove(UnitId(unit)))
    }

    /// Nothing counts as merged any more: the units will be computed again.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn forget_merged(&self) -> Result<(), CoordinatorError> {
        let path = self.folder.join(MERGED);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(TableError::io(&path, "remove it")(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Removes a unit's shard if there is one.
    ///
    /// # Errors
    /// [`CoordinatorError::Io`].
    pub fn remove(&self, unit: UnitId) -> Result<(), CoordinatorError> {
        let path = self.path(unit);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(CoordinatorError::Io { path, doing: "delete", source })
            }
            _ => Ok(()),
        }
    }

    fn path(&self, unit: UnitId) -> PathBuf {
        self.folder.join(format!("{:08}{SUFFIX}", unit.0))
    }

    fn check_job(&self, shard: &Shard) -> Result<(), CoordinatorError> {
        let (found, asked) = (shard.header().job, self.plan.digest());
        if found == asked {
            return Ok(());
        }
        let differences = vec![Difference {
            key: "job digest".to_owned(),
            asked: Some(asked.to_string()),
            found: Some(found.to_string()),
        }];
        Err(CoordinatorError::OtherJob { folder: self.folder.clone(), differences })
    }

    /// In what a shard is not the one of a unit, if in anything.
    fn mismatch(&self, unit: UnitId, shard: &Shard) -> Option<String> {
        let header = shard.header();
        if header.unit != unit {
            return Some(format!("it is the shard of unit {}", header.unit));
        }
        let (range, planned) = (header.range(), self.plan.unit(unit));
        if Some(range) != planned {
            return Some(format!("it holds {range:?}, where the unit is {planned:?}"));
        }
        None
    }
}

/// Tells a bad file from a system that refuses to read it.
pub(crate) fn bad_or_refused(unit: UnitId, error: TableError) -> CoordinatorError {
    match error {
        TableError::Corrupt { .. }
        | TableError::MissingFile { .. }
        | TableError::UnsupportedVersion { .. } => {
            CoordinatorError::BadStoredShard { unit, what: error.to_string() }
        }
        other => CoordinatorError::Table(other),
    }
}

fn unit_of_name(name: &str) -> Option<UnitId> {
    let number = name.strip_suffix(SUFFIX)?;
    let unit = UnitId(number.parse().ok()?);
    (format!("{:08}", unit.0) == number).then_some(unit)
}

/// Bytes that are also used elsewhere.
struct SharedBytes(Arc<Vec<u8>>);

impl ReadAt for SharedBytes {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(offset, buf)
    }

    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&*self.0)
    }
}
