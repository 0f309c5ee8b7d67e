//! The state in a sled database, flushed at every decision.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::Message;
use retrotab_proto::v1::{JobRecord, UnitRecord};
use retrotab_tablefmt::durable;

use crate::error::CoordinatorError;
use crate::ids::UnitId;

use super::StateStore;

const JOB_KEY: &[u8] = b"job";
const UNITS_TREE: &[u8] = b"units";
/// Records are small and read once; the database need not keep more than this in memory.
const CACHE_BYTES: u64 = 16 << 20;

/// How long a lock is waited for.
const LOCK_ATTEMPTS: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// The state in a sled database.
///
/// After a failed write sled refuses everything until it is opened again, although the cause
/// (a full disk, say) may be gone; so the database is closed after an error and opened again
/// by the next call.
#[derive(Debug)]
pub struct SledStore {
    folder: PathBuf,
    open: Mutex<Option<Open>>,
}

#[derive(Debug, Clone)]
struct Open {
    // Trees keep the database alive; it is named so that dropping this closes all of it.
    db: sled::Db,
    units: sled::Tree,
}

impl SledStore {
    /// Opens the state in a folder, making it if needed.
    ///
    /// # Errors
    /// [`CoordinatorError::StateDamaged`] if there is something that cannot be read;
    /// [`CoordinatorError::InUse`] if another process has it; [`CoordinatorError::Io`] and
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn open(folder: &Path) -> Result<SledStore, CoordinatorError> {
        // sled does not flush the folder that its own folder is in.
        durable::create_folder(folder)?;
        let open = open(folder)?;
        Ok(SledStore { folder: folder.to_owned(), open: Mutex::new(Some(open)) })
    }

    fn slot(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the database; closes it if that fails.
    fn with<T>(
        &self,
        action: impl FnOnce(&Open) -> Result<T, sled::Error>,
    ) -> Result<T, CoordinatorError> {
        let mut slot = self.slot();
        let open = match slot.take() {
            Some(open) => open,
            None => open(&self.folder)?,
        };
        match guarded(&self.folder, || action(&open)) {
            Ok(value) => {
                *slot = Some(open);
                Ok(value)
            }
            Err(error) => Err(error),
        }
    }

    fn decode<T: Message + Default>(&self, what: &str, raw: &[u8]) -> Result<T, CoordinatorError> {
        T::decode(raw).map_err(|error| self.damaged(format!("the record of {what}: {error}")))
    }

    fn damaged(&self, what: String) -> CoordinatorError {
        CoordinatorError::StateDamaged { folder: self.folder.clone(), what }
    }
}

impl StateStore for SledStore {
    fn job(&self) -> Result<Option<JobRecord>, CoordinatorError> {
        let raw = self.with(|open| open.db.get(JOB_KEY))?;
        raw.map(|raw| self.decode("the job", &raw)).transpose()
    }

    fn put_job(&self, record: &JobRecord) -> Result<(), CoordinatorError> {
        self.with(|open| {
            open.db.insert(JOB_KEY, record.encode_to_vec())?;
            open.db.flush().map(|_| ())
        })
    }

    fn unit(&self, unit: UnitId) -> Result<Option<UnitRecord>, CoordinatorError> {
        let raw = self.with(|open| open.units.get(key(unit)))?;
        raw.map(|raw| self.decode(&format!("unit {}", unit.0), &raw)).transpose()
    }

    fn units(&self) -> Result<BTreeMap<UnitId, UnitRecord>, CoordinatorError> {
        let raw: Vec<_> = self.with(|open| open.units.iter().collect())?;
        raw.into_iter()
            .map(|(key, value)| {
                let key = <[u8; 4]>::try_from(key.as_ref());
                let key = key.map_err(|_| self.damaged("a unit's key is not a number".into()))?;
                let unit = UnitId(u32::from_be_bytes(key));
                Ok((unit, self.decode(&format!("unit {}", unit.0), &value)?))
            })
            .collect()
    }

    fn put_units(&self, records: &[(UnitId, UnitRecord)]) -> Result<(), CoordinatorError> {
        self.with(|open| {
            let mut batch = sled::Batch::default();
            for (unit, record) in records {
                batch.insert(&key(*unit), record.encode_to_vec());
            }
            open.units.apply_batch(batch)?;
            open.units.flush().map(|_| ())
        })
    }
}

/// Big-endian, so that the order of keys is the order of units.
fn key(unit: UnitId) -> [u8; 4] {
    unit.0.to_be_bytes()
}

/// A database that was closed a moment ago keeps its lock until its threads have ended, so a
/// lock is waited for a little.
fn open(folder: &Path) -> Result<Open, CoordinatorError> {
    for _ in 0..LOCK_ATTEMPTS {
        match open_once(folder) {
            Err(CoordinatorError::InUse { .. }) => std::thread::sleep(LOCK_PAUSE),
            other => return other,
        }
    }
    open_once(folder)
}

fn open_once(folder: &Path) -> Result<Open, CoordinatorError> {
    guarded(folder, || {
        let config = sled::Config::default().path(folder).cache_capacity(CACHE_BYTES);
        // Nothing waits for a timer: every write is flushed by its caller.
        let db = config.flush_every_ms(None).open()?;
        let units = db.open_tree(UNITS_TREE)?;
        Ok(Open { db, units })
    })
}

/// Calls sled. On files it does not understand it may panic instead of returning an error;
/// both become errors here.
fn guarded<T>(
    folder: &Path,
    action: impl FnOnce() -> Result<T, sled::Error>,
) -> Result<T, CoordinatorError> {
    match catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(readable(folder, error)),
        Err(panic) => {
            let what = panic_text(panic.as_ref());
            Err(CoordinatorError::StateDamaged { folder: folder.to_owned(), what })
        }
    }
}

fn readable(folder: &Path, error: sled::Error) -> CoordinatorError {
    let folder = folder.to_owned();
    match error {
        sled::Error::Io(source) if source.to_string().contains("could not acquire lock") => {
            let holder = "which holds the lock of its database".to_owned();
            CoordinatorError::InUse { folder, holder }
        }
        // How sled says that its files make no sense; a full disk and the like have codes.
        sled::Error::Io(source)
            if source.raw_os_error().is_none()
                && matches!(
                    source.kind(),
                    std::io::ErrorKind::Other
                        | std::io::ErrorKind::InvalidData
                        | std::io::ErrorKind::InvalidInput
                        | std::io::ErrorKind::UnexpectedEof
                ) =>
        {
            CoordinatorError::StateDamaged { folder, what: source.to_string() }
        }
        sled::Error::Io(source) => {
            // An error that sled repeats has lost its code, and has a text for programmers.
            let source = match source.raw_os_error() {
                Some(_) => source,
                None => source.kind().into(),
            };
            CoordinatorError::Io { path: folder, doing: "keep the state in", source }
        }
        other => CoordinatorError::StateDamaged { folder, what: other.to_string() },
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the database gave up without saying why").to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ids::ShardDigest;
    use crate::scheduler::UnitResult;
    use crate::state::{MemoryStore, done_record, failed_record};

    fn job(openings: u64) -> JobRecord {
        JobRecord { state_version: 1, openings, ..JobRecord::default() }
    }

    fn done(name: &str) -> UnitRecord {
        let shard = ShardDigest::of(name.as_bytes());
        done_record(None, &UnitResult { shard, worker: name.into() })
    }

    /// A state with a job and 2000 units, closed.
    fn filled(folder: &Path) {
        let store = SledStore::open(folder).unwrap();
        store.put_job(&job(1)).unwrap();
        for chunk in 0..20 {
            let records: Vec<_> =
                (0..100).map(|i| (UnitId(chunk * 100 + i), done(&format!("worker {i}")))).collect();
            store.put_units(&records).unwrap();
        }
    }

    fn keeps_records(store: &dyn StateStore) {
        assert_eq!(store.job().unwrap(), None);
        assert_eq!(store.unit(UnitId(0)).unwrap(), None);
        store.put_job(&job(1)).unwrap();
        store.put_job(&job(2)).unwrap();
        let failed = failed_record(None, "anna", "no memory");
        store.put_unit(UnitId(256), &done("bert")).unwrap();
        store.put_unit(UnitId(1), &done("bert")).unwrap();
        store.put_units(&[(UnitId(1), failed.clone()), (UnitId(2), done("anna"))]).unwrap();
        assert_eq!(store.job().unwrap(), Some(job(2)));
        assert_eq!(store.unit(UnitId(1)).unwrap(), Some(failed.clone()));
        let all: Vec<_> = store.units().unwrap().into_iter().collect();
        let expected =
            [(UnitId(1), failed), (UnitId(2), done("anna")), (UnitId(256), done("bert"))];
        assert_eq!(all, expected);
    }

    #[test]
    fn both_stores_keep_records() {
        keeps_records(&MemoryStore::default());
        let dir = tempfile::tempdir().unwrap();
        let store = SledStore::open(&dir.path().join("state")).unwrap();
        keeps_records(&store);
        let (job, units) = (store.job().unwrap(), store.units().unwrap());
        drop(store);
        let again = SledStore::open(&dir.path().join("state")).unwrap();
        assert_eq!((again.job().unwrap(), again.units().unwrap()), (job, units));
    }

    #[test]
    fn what_was_put_is_on_the_disk_without_closing() {
        let dir = tempfile::tempdir().unwrap();
        let (live, copy) = (dir.path().join("live"), dir.path().join("copy"));
        let store = SledStore::open(&live).unwrap();
        fs::create_dir(&copy).unwrap();
        for unit in 0..30 {
            store.put_unit(UnitId(unit), &done("anna")).unwrap();
            // What a killed process leaves behind: the files as they are now.
            for name in ["conf", "db"] {
                fs::copy(live.join(name), copy.join(name)).unwrap();
            }
            let found = SledStore::open(&copy).unwrap().units().unwrap();
            assert_eq!(found.len(), unit as usize + 1);
        }
    }

    #[test]
    fn a_database_in_use_is_refused_readably() {
        let dir = tempfile::tempdir().unwrap();
        let _first = SledStore::open(dir.path()).unwrap();
        let error = SledStore::open(dir.path()).unwrap_err();
        assert!(matches!(error, CoordinatorError::InUse { .. }), "{error:?}");
    }

    #[test]
    fn after_an_error_the_database_is_opened_again() {
        let dir = tempfile::tempdir().unwrap();
        let store = SledStore::open(dir.path()).unwrap();
        store.put_unit(UnitId(0), &done("anna")).unwrap();
        let full = || sled::Error::Io(std::io::ErrorKind::StorageFull.into());
        let error = store.with::<()>(|_| Err(full())).unwrap_err();
        assert!(matches!(error, CoordinatorError::Io { .. }), "{error:?}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert!(store.slot().is_none());
        store.put_unit(UnitId(1), &done("anna")).unwrap();
        assert_eq!(store.units().unwrap().len(), 2);
    }

    /// Damages the files in many ways. Each is either noticed, or what can be read is right.
    #[test]
    fn damage_is_an_error_or_loses_records_but_never_changes_them() {
        let dir = tempfile::tempdir().unwrap();
        let whole = dir.path().join("whole");
        filled(&whole);
        let original = SledStore::open(&whole).unwrap().units().unwrap();
        let db = fs::read(whole.join("db")).unwrap();
        let conf = fs::read(whole.join("conf")).unwrap();
        let mut harmed = 0;
        for damage in 0..24 {
            let folder = dir.path().join(format!("damaged {damage}"));
            fs::create_dir(&folder).unwrap();
            let bytes = damaged(&conf, if damage % 5 == 0 { damage } else { INTACT });
            fs::write(folder.join("conf"), bytes).unwrap();
            fs::write(folder.join("db"), damaged(&db, damage)).unwrap();
            let found = SledStore::open(&folder).and_then(|store| store.units());
            match found {
                Ok(found) => {
                    harmed += u32::from(found.len() < original.len());
                    assert!(found.iter().all(|(unit, record)| original[unit] == *record));
                }
                Err(error) => {
                    harmed += 1;
                    let damage = matches!(error, CoordinatorError::StateDamaged { .. });
                    assert!(damage, "{error:?}");
                }
            }
        }
        assert!(harmed >= 12, "only {harmed} of 24 did any harm");
    }

    const INTACT: usize = usize::MAX;

    fn damaged(db: &[u8], kind: usize) -> Vec<u8> {
        let mut db = db.to_vec();
        if kind == INTACT {
            return db;
        }
        let place = db.len() * (kind / 4) / 6;
        match kind % 4 {
            0 => db.truncate(place),
            1 => db[place..].fill(0),
            2 => db[place..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x40),
            _ => db[place] ^= 1,
        }
        db
    }

    #[test]
    fn what_sled_cannot_open_is_a_readable_error() {
        let dir = tempfile::tempdir().unwrap();
        let panics = guarded::<()>(dir.path(), || panic!("index {} out of range", 7));
        let corrupt = readable(dir.path(), sled::Error::Corruption { at: None, bt: () });
        for error in [panics.unwrap_err(), corrupt] {
            assert!(matches!(error, CoordinatorError::StateDamaged { .. }), "{error:?}");
            assert!(error.to_string().contains("rebuild"), "{error}");
        }
        fs::create_dir(dir.path().join("db")).unwrap();
        let error = SledStore::open(dir.path()).unwrap_err();
        assert!(matches!(error, CoordinatorError::Io { .. }), "{error:?}");
    }
}
