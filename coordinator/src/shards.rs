//! The shards of a job, in the coordinator's own folder or in a store shared with the workers.
//!
//! A shard is there whole or not at all, and durable when [`ShardStore::put`] returns. Its name
//! is made of its unit and, in a shared store, of the digest of its bytes; nothing else is ever
//! taken from a name.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::durable;
use retrotab_tablefmt::objects::StoreError;
use retrotab_tablefmt::objects::{Naming, ObjectShards, ShardName, SharedStore, StoredShard};
use retrotab_tablefmt::shard::{Shard, longest_shard};

use crate::error::CoordinatorError;
use crate::ids::{ShardDigest, UnitId};
use crate::plan::{Difference, Plan};

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

/// The shards of one job.
#[derive(Debug)]
pub struct ShardStore {
    /// The coordinator's own folder. Shards are in it, or else in the shared store.
    folder: PathBuf,
    shared: Option<SharedStore>,
    shards: ObjectShards,
    plan: Arc<Plan>,
}

impl ShardStore {
    /// Opens the store in a folder that exists, and removes what interrupted writes left there.
    /// The shards are in the shared store if there is one.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn open(
        folder: &Path,
        shared: Option<SharedStore>,
        plan: Arc<Plan>,
    ) -> Result<ShardStore, CoordinatorError> {
        let removed = durable::remove_leftovers(folder)?;
        if removed > 0 {
            tracing::info!(removed, "removed what interrupted writes of shards had left");
        }
        let shards = match &shared {
            Some(store) => store.job(plan.digest()),
            None => ObjectShards::own_folder(folder),
        };
        Ok(ShardStore { folder: folder.to_owned(), shared, shards, plan })
    }

    /// The shared store, if the shards are in one.
    pub fn shared(&self) -> Option<&SharedStore> {
        self.shared.as_ref()
    }

    fn name(&self, unit: UnitId, digest: &ShardDigest) -> ShardName {
        self.shards.naming().name(unit, digest.blake3)
    }

    /// Stores a unit's shard durably. The bytes must have been checked.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`], [`CoordinatorError::Store`] if it cannot be stored, for
    /// example for lack of space.
    pub fn put(
        &self,
        unit: UnitId,
        digest: &ShardDigest,
        bytes: Bytes,
    ) -> Result<(), CoordinatorError> {
        Ok(self.shards.put(&self.name(unit, digest), bytes)?)
    }

    /// Opens a unit's stored shard, checking all but its values, which are checked as they
    /// are decoded.
    ///
    /// # Errors
    /// [`CoordinatorError::BadStoredShard`] if it is missing or damaged;
    /// [`CoordinatorError::OtherJob`] if it is another job's; [`CoordinatorError::Table`],
    /// [`CoordinatorError::Store`] if it cannot be read.
    pub fn open_shard(
        &self,
        unit: UnitId,
        digest: &ShardDigest,
    ) -> Result<Shard, CoordinatorError> {
        let name = self.name(unit, digest);
        let source = self.shards.source(&name, digest.length);
        let source = source.map_err(|error| bad_or_unreadable(unit, error))?;
        let shard = Shard::open(source, &self.shards.path(&name), self.plan.layout());
        let shard = shard.map_err(|error| bad_or_refused(unit, error))?;
        self.check_is_of(unit, &shard)?;
        Ok(shard)
    }

    /// Checks everything about a stored shard, decoding it, and says what its exact bytes are.
    ///
    /// # Errors
    /// As [`open_shard`](Self::open_shard).
    pub fn check(&self, stored: &StoredShard) -> Result<ShardDigest, CoordinatorError> {
        let (name, unit) = (&stored.name, stored.name.unit);
        if let Some(longest) = self.longest(unit).filter(|longest| stored.length > *longest) {
            let what = format!("it has {} bytes, and none has more than {longest}", stored.length);
            return Err(CoordinatorError::BadStoredShard { unit, what });
        }
        let bytes = self.shards.get(name, stored.length);
        let bytes = Bytes::from(bytes.map_err(|error| bad_or_unreadable(unit, error))?);
        let digest = ShardDigest::of(&bytes);
        let shard = Shard::open(Box::new(bytes), &self.shards.path(name), self.plan.layout());
        let shard = shard.map_err(|error| bad_or_refused(unit, error))?;
        self.check_is_of(unit, &shard)?;
        shard.check().map_err(|error| bad_or_refused(unit, error))?;
        Ok(digest)
    }

    /// The bytes that a worker says it has put into the shared store as a unit's shard; they
    /// are what the digest says, and nothing else about them is checked.
    ///
    /// # Errors
    /// [`CoordinatorError::BadShard`] if they are not there, or others;
    /// [`CoordinatorError::NoSharedStore`]; [`CoordinatorError::Table`],
    /// [`CoordinatorError::Store`] if they cannot be read.
    pub fn read_submitted(
        &self,
        unit: UnitId,
        digest: &ShardDigest,
    ) -> Result<Bytes, CoordinatorError> {
        if self.shared.is_none() {
            return Err(CoordinatorError::NoSharedStore);
        }
        let bad = |what: String| CoordinatorError::BadShard { unit, what };
        if let Some(longest) = self.longest(unit).filter(|longest| digest.length > *longest) {
            let length = digest.length;
            return Err(bad(format!("it has {length} bytes, and none has more than {longest}")));
        }
        match self.shards.get(&self.name(unit, digest), digest.length) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) => match bad_or_unreadable(unit, error) {
                CoordinatorError::BadStoredShard { what, .. } => Err(bad(what)),
                other => Err(other),
            },
        }
    }

    fn longest(&self, unit: UnitId) -> Option<u64> {
        Some(longest_shard(self.plan.layout(), self.plan.unit(unit)?))
    }

    /// Checks everything about bytes submitted as a unit's shard, decoding them.
    ///
    /// # Errors
    /// [`CoordinatorError::BadShard`] if they are not a sound shard of this unit.
    pub fn check_submitted(&self, unit: UnitId, bytes: &Bytes) -> Result<(), CoordinatorError> {
        let bad = |what: String| CoordinatorError::BadShard { unit, what };
        let source = Box::new(bytes.clone());
        let shard = Shard::open(source, Path::new("submitted shard"), self.plan.layout());
        let shard = shard.map_err(|error| bad(error.to_string()))?;
        let (job, expected) = (shard.header().job, self.plan.digest());
        if job != expected {
            return Err(bad(format!("it belongs to job {job}, not {expected}")));
        }
        if let Some(what) = self.mismatch(unit, &shard) {
            return Err(bad(what));
        }
        shard.check().map_err(|error| bad(error.to_string()))
    }

    /// The shards that are in the store, by unit. In a shared store a unit may have several.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`], [`CoordinatorError::Store`].
    pub fn list(&self) -> Result<BTreeMap<UnitId, Vec<StoredShard>>, CoordinatorError> {
        let mut by_unit: BTreeMap<UnitId, Vec<StoredShard>> = BTreeMap::new();
        for shard in self.shards.list()? {
            by_unit.entry(shard.name.unit).or_default().push(shard);
        }
        Ok(by_unit)
    }

    /// Whether a listed shard is the one with this digest, as far as name and length tell.
    pub fn is_result(&self, stored: &StoredShard, digest: &ShardDigest) -> bool {
        stored.name == self.name(stored.name.unit, digest) && stored.length == digest.length
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
    /// [`CoordinatorError::Table`], [`CoordinatorError::Store`] if the system refuses.
    pub fn set_merged(&self, merged: Merged) -> Result<(), CoordinatorError> {
        let text = format!("{} {} {}\n", self.plan.digest(), merged.files, merged.units);
        durable::write_durably(&self.folder.join(MERGED), text.as_bytes())?;
        let mut shards = self.shards.list()?;
        shards.retain(|shard| shard.name.unit.0 < merged.units);
        self.remove(&shards)
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

    /// Removes shards.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`], [`CoordinatorError::Store`].
    pub fn remove(&self, shards: &[StoredShard]) -> Result<(), CoordinatorError> {
        let names: Vec<ShardName> = shards.iter().map(|shard| shard.name).collect();
        Ok(self.shards.remove(&names)?)
    }

    /// Removes a unit's shard with this digest if it is there.
    ///
    /// # Errors
    /// [`CoordinatorError::Table`], [`CoordinatorError::Store`].
    pub fn remove_result(
        &self,
        unit: UnitId,
        digest: &ShardDigest,
    ) -> Result<(), CoordinatorError> {
        Ok(self.shards.remove(&[self.name(unit, digest)])?)
    }

    fn check_is_of(&self, unit: UnitId, shard: &Shard) -> Result<(), CoordinatorError> {
        self.check_job(unit, shard)?;
        match self.mismatch(unit, shard) {
            Some(what) => Err(CoordinatorError::BadStoredShard { unit, what }),
            None => Ok(()),
        }
    }

    fn check_job(&self, unit: UnitId, shard: &Shard) -> Result<(), CoordinatorError> {
        let (found, asked) = (shard.header().job, self.plan.digest());
        if found == asked {
            return Ok(());
        }
        // In a shared store each job has a folder by its digest: the shard is misplaced. Our own
        // folder may be another job's.
        if self.shards.naming() == Naming::ByContent {
            let what = format!("it belongs to job {found}");
            return Err(CoordinatorError::BadStoredShard { unit, what });
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
        // An object of a bucket turns out to be missing when it is read.
        TableError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            CoordinatorError::BadStoredShard { unit, what: source.to_string() }
        }
        other => CoordinatorError::Table(other),
    }
}

/// The same for the store.
fn bad_or_unreadable(unit: UnitId, error: StoreError) -> CoordinatorError {
    match error {
        StoreError::Table(error) => bad_or_refused(unit, error),
        StoreError::Missing { .. } | StoreError::Corrupt { .. } => {
            CoordinatorError::BadStoredShard { unit, what: error.to_string() }
        }
        other => CoordinatorError::Store(other),
    }
}
