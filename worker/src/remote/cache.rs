//! A folder of shards from other workers, so that each is fetched once.
//!
//! A file's name says what its bytes must be. It is written under another name and renamed, so
//! several workers may share one folder. Nothing in it is trusted: a file that this process has
//! not checked yet is read through before it is used. Files in use are locked (shared), files
//! being removed too (exclusively); locks end with the process that holds them.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::{debug, warn};

use super::error::CacheError;
use super::transport::{ShardDigest, ShardName};

mod writer;

pub(crate) use writer::{CacheWriter, Unfit};

const SUFFIX: &str = ".shard";
/// How names of files being written end; they start with a dot.
const PART: &str = ".shard-part";
/// Bytes that are read at a time when a file is checked.
const CHECKED_TOGETHER: usize = 1 << 20;

/// A folder of shards, bounded in size: those used longest ago go.
#[derive(Debug)]
pub(crate) struct ShardCache {
    folder: PathBuf,
    most: u64,
    known: Mutex<Known>,
}

/// What this process knows of the files.
#[derive(Debug, Default)]
struct Known {
    files: HashMap<String, KnownFile>,
    uses: u64,
}

#[derive(Debug, Clone, Copy)]
struct KnownFile {
    /// Tells the file from another one of the same name, put there by another process.
    inode: u64,
    /// Number of its last use.
    used: u64,
}

/// A file of the folder.
struct Entry {
    name: String,
    length: u64,
}

impl ShardCache {
    /// A cache in a folder, which is made if it is missing, for at most so many bytes.
    ///
    /// # Errors
    /// [`CacheError`] if the folder cannot be used.
    pub(crate) fn open(folder: &Path, most: u64) -> Result<ShardCache, CacheError> {
        let error = |doing| move |source| CacheError::new(folder, doing, source);
        fs::create_dir_all(folder).map_err(error("create the folder"))?;
        // Better to hear of a folder that cannot be written to now than with the first shard.
        tempfile::tempfile_in(folder).map_err(error("write into the folder"))?;
        let known = Mutex::default();
        Ok(ShardCache { folder: folder.to_owned(), most, known })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes of shards that it may hold.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// Where a shard's file is, or would be.
    pub(crate) fn path(&self, shard: &ShardName) -> PathBuf {
        self.folder.join(format!("{shard}{SUFFIX}"))
    }

    /// A shard's file, if it is there and sound; a damaged one is removed. It stays locked
    /// until it is dropped.
    pub(crate) fn get(&self, shard: &ShardName) -> Result<Option<File>, CacheError> {
        let path = self.path(shard);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CacheError::new(path, "open it", error)),
        };
        // Some network file systems have no locks; a removed file can be read to the end.
        let _ = file.lock_shared();
        let metadata = file.metadata().map_err(|e| CacheError::new(&path, "look at it", e))?;
        let known = self.known().files.get(&name_of(&path)).map(|known| known.inode);
        if metadata.len() == shard.digest.length
            && (known == Some(metadata.ino()) || is_whole(&file, &shard.digest))
        {
            self.used(&path, metadata.ino());
            return Ok(Some(file));
        }
        warn!(file = %path.display(), "a file of the cache is damaged; it will be fetched again");
        self.remove(shard)?;
        Ok(None)
    }

    /// Starts writing a shard's file, and makes room for it.
    pub(crate) fn create(&self, shard: ShardName) -> Result<CacheWriter, CacheError> {
        self.make_room(self.most.saturating_sub(shard.digest.length))?;
        CacheWriter::create(&self.folder, shard)
    }

    /// Puts a written file in its place; `Err(Unfit)` inside if its bytes are not the shard's.
    pub(crate) fn finish(&self, written: CacheWriter) -> Result<Result<(), Unfit>, CacheError> {
        let path = self.path(written.shard());
        match written.finish(&path)? {
            Ok(inode) => {
                self.used(&path, inode);
                Ok(Ok(()))
            }
            Err(unfit) => Ok(Err(unfit)),
        }
    }

    /// Removes a shard's file, for it is damaged.
    pub(crate) fn remove(&self, shard: &ShardName) -> Result<(), CacheError> {
        let path = self.path(shard);
        self.known().files.remove(&name_of(&path));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CacheError::new(path, "remove it", error))
            }
            _ => Ok(()),
        }
    }

    /// Removes files until at most `most` bytes are left: first those that this process has
    /// never used, then those used longest ago; never one in use.
    pub(crate) fn make_room(&self, most: u64) -> Result<(), CacheError> {
        let mut entries = self.list()?;
        let mut total: u64 = entries.iter().map(|entry| entry.length).sum();
        if total <= most {
            return Ok(());
        }
        {
            let known = self.known();
            let used = |name: &str| known.files.get(name).map_or(0, |file| file.used);
            entries.sort_by_cached_key(|entry| (used(&entry.name), entry.name.clone()));
        }
        for Entry { name, length } in entries {
            if total <= most {
                break;
            }
            if remove_unlocked(&self.folder.join(&name)) {
                debug!(file = name, "made room in the cache");
                self.known().files.remove(&name);
                total -= length;
            }
        }
        Ok(())
    }

    /// The shards in the folder. What killed processes were writing goes.
    fn list(&self) -> Result<Vec<Entry>, CacheError> {
        let error = |source| CacheError::new(&self.folder, "list it", source);
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') && name.ends_with(PART) {
                remove_unlocked(&entry.path());
            } else if is_ours(&name) {
                // It may have gone meanwhile.
                let length = entry.metadata().map_or(0, |metadata| metadata.len());
                entries.push(Entry { name, length });
            }
        }
        Ok(entries)
    }

    fn used(&self, path: &Path, inode: u64) {
        let mut known = self.known();
        known.uses += 1;
        let used = known.uses;
        known.files.insert(name_of(path), KnownFile { inode, used });
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether a file has a name that only this cache gives.
fn is_ours(name: &str) -> bool {
    let Some(name) = name.strip_suffix(SUFFIX) else { return false };
    let parts: Vec<&str> = name.split('-').collect();
    let hexadecimal = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.len() == 3
        && [64, 8, 64] == [parts[0].len(), parts[1].len().min(8), parts[2].len()]
        && parts.iter().all(|part| hexadecimal(part))
}

/// Removes a file unless somebody uses it; says whether it is gone.
fn remove_unlocked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return false;
    }
    fs::remove_file(path).is_ok()
}

/// Whether a file has the bytes that it must have. One that cannot be read has not.
fn is_whole(file: &File, digest: &ShardDigest) -> bool {
    let mut hasher = blake3::Hasher::new();
    let mut room = vec![0; CHECKED_TOGETHER];
    let mut offset = 0;
    while offset < digest.length {
        let piece = &mut room[..(digest.length - offset).min(CHECKED_TOGETHER as u64) as usize];
        if file.read_exact_at(piece, offset).is_err() {
            return false;
        }
        hasher.update(piece);
        offset += piece.len() as u64;
    }
    hasher.finalize() == digest.blake3
}

#[cfg(test)]
mod tests;
