//! Files that are there whole or not at all.
//!
//! A file is written under a temporary name in its folder, flushed to the disk, renamed, and
//! the folder is flushed too. After that it survives a power cut; before, only a leftover with
//! a recognisable name is there, which the next run removes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::TableError;

/// How leftovers of interrupted writes end.
const TEMPORARY: &str = ".part";

/// A file being written; dropped without [`commit`](Self::commit) it disappears.
#[derive(Debug)]
pub struct DurableFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl DurableFile {
    /// Starts writing what will be `path`; a file already there stays until the commit.
    pub fn create(path: &Path) -> Result<Self, TableError> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(TEMPORARY);
        let temporary = path.with_file_name(name);
        let file = File::create(&temporary).map_err(TableError::io(&temporary, "create it"))?;
        Ok(DurableFile { path: path.to_owned(), temporary, file, committed: false })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.file.write_all(bytes).map_err(TableError::io(&self.path, "write to it"))
    }

    /// Makes the file durable under its name.
    pub fn commit(mut self) -> Result<(), TableError> {
        self.file.sync_all().map_err(TableError::io(&self.path, "flush it to the disk"))?;
        fs::rename(&self.temporary, &self.path)
            .map_err(TableError::io(&self.path, "rename its temporary file"))?;
        self.committed = true;
        sync_folder(&self.path)
    }
}

impl Drop for DurableFile {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing can be done about a failure here; the next run removes leftovers.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a whole file durably.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), TableError> {
    let mut file = DurableFile::create(path)?;
    file.write(bytes)?;
    file.commit()
}

/// Makes a folder and those above it, durably.
pub fn create_folder(path: &Path) -> Result<(), TableError> {
    fs::create_dir_all(path).map_err(TableError::io(path, "create the folder"))?;
    sync_folder(path)
}

/// Flushes the folder that `path` is in.
fn sync_folder(path: &Path) -> Result<(), TableError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let flushed = File::open(folder).and_then(|folder| folder.sync_all());
    flushed.map_err(TableError::io(folder, "flush the folder to the disk"))
}

/// Removes what interrupted writes left in a folder, and says how many files that were.
pub fn remove_leftovers(folder: &Path) -> Result<usize, TableError> {
    let list = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut removed = 0;
    for path in list().map_err(TableError::io(folder, "list it"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(TEMPORARY) && path.is_file() {
            fs::remove_file(&path).map_err(TableError::io(&path, "remove it"))?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = DurableFile::create(&path).unwrap();
        file.write(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        write_durably(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.part"), b"").unwrap();
        fs::write(folder.path().join("x"), b"").unwrap();
        assert_eq!(remove_leftovers(folder.path()).unwrap(), 1);
        assert!(folder.path().join("x").exists());
    }

    #[test]
    fn a_full_disk_is_named_and_leaves_nothing() {
        let error = TableError::io(Path::new("d/f"), "write to it")(io::Error::from(
            io::ErrorKind::StorageFull,
        ));
        let text = error.to_string();
        assert!(text.contains("d/f") && text.contains("make room"), "{text}");
    }
}
