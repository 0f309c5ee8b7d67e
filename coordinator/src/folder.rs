//! The work folder of a job, and the lock that keeps a second process out.
//!
//! ```text
//! work/
//!   lock      held while a process works here; says which
//!   state/    records of the job and its units
//!   shards/   results of units
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use retrotab_tablefmt::durable;

use crate::error::CoordinatorError;

/// Longest text read from a lock file: it comes from another program.
const HOLDER_BYTES: u64 = 200;

/// A work folder, locked by this process until it is dropped.
///
/// The lock is the operating system's and ends with the process, however it ends; the text in
/// the file is only for the message.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    _lock: File,
}

impl WorkFolder {
    /// Opens a work folder, making it and its subfolders if needed, and locks it.
    ///
    /// # Errors
    /// [`CoordinatorError::InUse`] if a process has it; [`CoordinatorError::Io`] and
    /// [`CoordinatorError::Table`] if the system refuses.
    pub fn open(path: &Path) -> Result<WorkFolder, CoordinatorError> {
        durable::create_folder(path)?;
        let lock = lock(path)?;
        let folder = WorkFolder { path: path.to_owned(), _lock: lock };
        durable::create_folder(&folder.shards())?;
        Ok(folder)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the state is. It does not exist before the state is first opened.
    pub fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    /// Where the shards are.
    pub fn shards(&self) -> PathBuf {
        self.path.join("shards")
    }

    /// Moves a damaged state out of the way, to `state.damaged`; an earlier one is deleted.
    ///
    /// # Errors
    /// [`CoordinatorError::Io`].
    pub fn set_state_aside(&self) -> Result<(), CoordinatorError> {
        let (state, aside) = (self.state(), self.path.join("state.damaged"));
        if !state.exists() {
            return Ok(());
        }
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(CoordinatorError::io("delete", &aside))?;
        }
        fs::rename(&state, &aside).map_err(CoordinatorError::io("rename", &state))
    }
}

pub(crate) fn lock(folder: &Path) -> Result<File, CoordinatorError> {
    let path = folder.join("lock");
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = file.map_err(CoordinatorError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let (folder, holder) = (folder.to_owned(), holder(&mut file));
            return Err(CoordinatorError::InUse { folder, holder });
        }
        Err(TryLockError::Error(source)) => {
            return Err(CoordinatorError::Io { path, doing: "lock", source });
        }
    }
    let text = format!("process {}\n", std::process::id());
    let written = file.set_len(0).and_then(|()| file.rewind());
    let written = written.and_then(|()| file.write_all(text.as_bytes()));
    written.map_err(CoordinatorError::io("write", &path))?;
    Ok(file)
}

/// What the process that has the lock says about itself.
fn holder(file: &mut File) -> String {
    let mut bytes = Vec::new();
    // A message without the holder is better than none.
    let _ = file.take(HOLDER_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let printable: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    if printable.is_empty() { "an unknown process".to_owned() } else { printable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opening_is_refused_and_names_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/work");
        let first = WorkFolder::open(&path).unwrap();
        let error = WorkFolder::open(&path).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, CoordinatorError::InUse { .. }), "{error:?}");
        assert!(text.contains(&format!("process {}", std::process::id())), "{text}");
        assert!(text.contains(&path.display().to_string()), "{text}");
        drop(first);
        WorkFolder::open(&path).unwrap();
    }

    #[test]
    fn an_odd_lock_file_does_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lock"), b"\xff\x1b[31m".repeat(1000)).unwrap();
        let held = File::open(dir.path().join("lock")).unwrap();
        held.try_lock().unwrap();
        let error = WorkFolder::open(dir.path()).unwrap_err().to_string();
        assert!(error.len() < 1500 && !error.contains('\x1b'), "{error}");
        drop(held);
        WorkFolder::open(dir.path()).unwrap();
        let text = fs::read_to_string(dir.path().join("lock")).unwrap();
        assert_eq!(text, format!("process {}\n", std::process::id()));
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("work");
        fs::write(&path, "").unwrap();
        let error = WorkFolder::open(&path).unwrap_err();
        assert!(error.to_string().contains("work"), "{error}");
    }

    #[test]
    fn a_state_is_set_aside_again_and_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = WorkFolder::open(dir.path()).unwrap();
        folder.set_state_aside().unwrap();
        for content in ["one", "two"] {
            fs::create_dir(folder.state()).unwrap();
            fs::write(folder.state().join("db"), content).unwrap();
            folder.set_state_aside().unwrap();
            assert!(!folder.state().exists());
            let aside = dir.path().join("state.damaged/db");
            assert_eq!(fs::read_to_string(aside).unwrap(), content);
        }
    }
}
