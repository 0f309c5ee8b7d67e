//! Frames of published tables that were read before, in a folder of this machine.
//!
//! ```text
//! FOLDER/<BLAKE3 of the data file>/<first byte>-<end>    BLAKE3 of what follows, then the bytes
//! ```
//!
//! What is not as it was written is not there. Several processes may use the same folder.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::durable;
use crate::error::TableError;
use crate::source;

const DIGEST: usize = blake3::OUT_LEN;

/// A folder of frames that were read before.
#[derive(Debug, Clone)]
pub struct FrameCache {
    folder: PathBuf,
    most: u64,
}

impl FrameCache {
    /// In a folder, which is made when it is first needed; at most so many bytes stay in it, the
    /// last ones that were used.
    pub fn new(folder: &Path, most: u64) -> FrameCache {
        FrameCache { folder: folder.to_owned(), most }
    }

    fn path(&self, digest: &str, part: &Range<u64>) -> PathBuf {
        self.folder.join(digest).join(format!("{}-{}", part.start, part.end))
    }

    /// Fills `bytes` with a part of the data file of this digest, if it is here.
    pub(super) fn get(&self, digest: &str, part: &Range<u64>, bytes: &mut [u8]) -> bool {
        let path = self.path(digest, part);
        let Ok(found) = source::read_whole(&path, (DIGEST + bytes.len()) as u64) else {
            return false;
        };
        let Some((told, found)) = found.split_first_chunk::<DIGEST>() else { return false };
        if found.len() != bytes.len() || blake3::hash(found) != *told {
            return false;
        }
        bytes.copy_from_slice(found);
        // Only for the order in which files go; it may fail.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        true
    }

    /// Keeps a part of a data file.
    pub(super) fn put(
        &self,
        digest: &str,
        part: &Range<u64>,
        bytes: &[u8],
    ) -> Result<(), TableError> {
        let path = self.path(digest, part);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(TableError::io(folder, "create the folder"))?;
        }
        durable::write_durably(&path, &[blake3::hash(bytes).as_bytes(), bytes].concat())?;
        self.shrink().map_err(TableError::io(&self.folder, "remove old frames in it"))
    }

    /// Removes a part.
    pub(super) fn remove(&self, digest: &str, part: &Range<u64>) {
        // It may not be here.
        let _ = fs::remove_file(self.path(digest, part));
    }

    /// Removes the files that were not used for the longest time.
    fn shrink(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for folder in fs::read_dir(&self.folder)? {
            let folder = folder?.path();
            if !folder.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder)? {
                let file = file?;
                // Another process may just have removed it.
                if let Ok(found) = file.metadata() {
                    files.push((found.modified()?, found.len(), file.path()));
                }
            }
        }
        let mut bytes: u64 = files.iter().map(|(_, length, _)| length).sum();
        files.sort();
        for (_, length, path) in files {
            if bytes <= self.most {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(of: &str) -> String {
        blake3::hash(of.as_bytes()).to_string()
    }

    #[test]
    fn frames_come_back_unless_they_are_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FrameCache::new(&dir.path().join("frames"), 1 << 20);
        let (one, part) = (digest("one"), 5..8);
        let mut bytes = [0; 3];
        assert!(!cache.get(&one, &part, &mut bytes));
        cache.put(&one, &part, b"abc").unwrap();
        assert!(cache.get(&one, &part, &mut bytes) && &bytes == b"abc");
        assert!(!cache.get(&digest("two"), &part, &mut bytes));
        assert!(!cache.get(&one, &(5..9), &mut [0; 4]));
        for damage in [&b"abc"[..], b"", &[0; 35]] {
            fs::write(cache.path(&one, &part), damage).unwrap();
            assert!(!cache.get(&one, &part, &mut bytes));
        }
    }

    #[test]
    fn the_oldest_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let cache = FrameCache::new(dir.path(), 3 * (100 + DIGEST as u64));
        let file = digest("file");
        for number in 0..5 {
            cache.put(&file, &(number..number + 100), &[number as u8; 100]).unwrap();
            let age = std::time::Duration::from_secs(1000 - number);
            let path = cache.path(&file, &(number..number + 100));
            File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        }
        let there = |number: u64| cache.get(&file, &(number..number + 100), &mut [0; 100]);
        assert_eq!([0, 1, 2, 3, 4].map(there), [false, false, true, true, true]);
    }
}
