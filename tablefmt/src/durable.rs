//! Files that are there whole or not at all.
//!
//! A file is written under a temporary name in its folder, flushed to the disk, renamed, and
//! the folder is flushed too. After that it survives a power cut; before, only a leftover with
//! a name that nobody else gives to files is there, which the next run removes.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use crate::error::TableError;

/// How temporary names end. It must be ours alone, for such files are removed from folders
/// that the user chose.
const TEMPORARY: &str = ".retrotab-tmp";

/// Tells apart the files that one process writes at the same time.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

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
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder is not there or cannot be written to.
    pub fn create(path: &Path) -> Result<Self, TableError> {
        loop {
            let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
            let mut name = OsString::from(".");
            name.push(path.file_name().unwrap_or_default());
            name.push(format!(".{}-{number}{TEMPORARY}", std::process::id()));
            let temporary = path.with_file_name(name);
            match File::create_new(&temporary) {
                Ok(file) => {
                    return Ok(DurableFile {
                        path: path.to_owned(),
                        temporary,
                        file,
                        committed: false,
                    });
                }
                // A process of the same number on another machine, or before this one.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(TableError::io(&temporary, "create it")(error)),
            }
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`TableError::Io`], for example if the disk is full.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.file.write_all(bytes).map_err(TableError::io(&self.path, "write to it"))
    }

    /// Makes the file durable under its name.
    ///
    /// # Errors
    /// [`TableError::Io`] if the file or its folder cannot be flushed, or the file not be renamed.
    pub fn commit(mut self) -> Result<(), TableError> {
        settle(&self.file, &self.temporary, &self.path)?;
        self.committed = true;
        Ok(())
    }
}

/// Flushes a file that was written under another name in the same folder, and gives it its own.
pub(crate) fn settle(file: &File, temporary: &Path, path: &Path) -> Result<(), TableError> {
    file.sync_all().map_err(TableError::io(path, "flush it to the disk"))?;
    fs::rename(temporary, path).map_err(TableError::io(path, "rename its temporary file"))?;
    sync_folder(path)
}

/// A [commit](DurableFile::commit) going on on a thread of its own, because the disk takes its
/// time and the processor has other things to do. Dropped, it waits for the end.
#[derive(Debug, Default)]
pub(crate) struct Committing(Option<JoinHandle<Result<(), TableError>>>);

impl Committing {
    /// Starts the commit of a file; says how the one before it ended.
    pub(crate) fn start(&mut self, file: DurableFile) -> Result<(), TableError> {
        self.wait()?;
        let path = file.path.clone();
        let thread = thread::Builder::new().name("commit".to_owned());
        let started = thread.spawn(move || file.commit());
        self.0 = Some(started.map_err(TableError::io(&path, "start a thread to flush it"))?);
        Ok(())
    }

    /// Waits until the file is durable.
    pub(crate) fn wait(&mut self) -> Result<(), TableError> {
        let panicked = |_| TableError::Bug("the thread of a commit panicked".to_owned());
        self.0.take().map_or(Ok(()), |thread| thread.join().map_err(panicked)?)
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        // Who drops it instead of waiting has an error of its own to tell.
        let _ = self.wait();
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
///
/// # Errors
/// [`TableError::Io`]; what was there before under the name is then still there.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), TableError> {
    let mut file = DurableFile::create(path)?;
    file.write(bytes)?;
    file.commit()
}

/// Gives a file or folder another name on the same disk, durably. Nothing may have that name yet,
/// but for an empty folder.
///
/// # Errors
/// [`TableError::Io`], also if there is something at `to`, or it is on another disk.
pub fn rename(from: &Path, to: &Path) -> Result<(), TableError> {
    fs::rename(from, to).map_err(TableError::io(from, "rename it"))?;
    sync_folder(to)?;
    if from.parent() == to.parent() { Ok(()) } else { sync_folder(from) }
}

/// Makes a folder and those above it, durably.
///
/// # Errors
/// [`TableError::Io`], also if there is a file in its place.
pub fn create_folder(path: &Path) -> Result<(), TableError> {
    let is_missing = |folder: &&Path| *folder != Path::new("") && !folder.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(path).map_err(TableError::io(path, "create the folder"))?;
    missing.into_iter().try_for_each(sync_folder)
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

/// Removes what interrupted writes left in a folder, and says how many files that were. Nobody
/// may be writing into the folder meanwhile.
///
/// # Errors
/// [`TableError::Io`] if the folder cannot be listed or a file not be removed.
pub fn remove_leftovers(folder: &Path) -> Result<usize, TableError> {
    let list = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut removed = 0;
    for path in list().map_err(TableError::io(folder, "list it"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') && name.ends_with(TEMPORARY) && path.is_file() {
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
        let file = DurableFile::create(&folder.path().join("x")).unwrap();
        assert!(file.temporary.exists());
        // As when the process is killed: nothing is dropped.
        std::mem::forget(file);
        let others = ["x", "x.part", ".x.tmp", "retrotab-tmp", "x.retrotab-tmp"];
        for other in others {
            fs::write(folder.path().join(other), b"").unwrap();
        }
        fs::create_dir(folder.path().join(".folder.retrotab-tmp")).unwrap();
        assert_eq!(remove_leftovers(folder.path()).unwrap(), 1);
        assert!(others.iter().all(|other| folder.path().join(other).exists()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 1);
    }

    #[test]
    fn two_writers_of_one_file_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut one = DurableFile::create(&path).unwrap();
        let mut two = DurableFile::create(&path).unwrap();
        one.write(b"one").unwrap();
        two.write(b"the other").unwrap();
        one.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        two.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"the other");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_of_another_machines_writer_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let next = WRITTEN.load(Ordering::Relaxed);
        let process = std::process::id();
        let theirs: Vec<_> = (next..next + 50)
            .map(|number| folder.path().join(format!(".a.{process}-{number}{TEMPORARY}")))
            .collect();
        theirs.iter().for_each(|path| fs::write(path, b"theirs").unwrap());
        write_durably(&folder.path().join("a"), b"ours").unwrap();
        assert!(theirs.iter().all(|path| fs::read(path).unwrap() == b"theirs"));
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"ours");
    }

    #[test]
    fn a_failed_rename_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::create_dir(&path).unwrap();
        let error = write_durably(&path, b"x").unwrap_err();
        assert!(error.to_string().contains("rename"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn folders_are_made_with_those_above_them() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        create_folder(&deep).unwrap();
        create_folder(&deep).unwrap();
        assert!(deep.is_dir());
        let file = folder.path().join("f");
        fs::write(&file, b"").unwrap();
        assert!(matches!(create_folder(&file.join("g")), Err(TableError::Io { .. })));
    }
}
