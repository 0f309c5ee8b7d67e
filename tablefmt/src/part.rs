//! A data file on its way: `NAME.part`, which is complete before it gets its name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::durable;
use crate::error::TableError;

/// A data file that is not complete yet.
pub(crate) struct PartFile {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    /// Bytes that were checked, as far as whoever writes it checks bytes as they come.
    checked: u64,
}

impl PartFile {
    /// Where a data file is until it is complete.
    pub(crate) fn temporary(dir: &Path, name: &str) -> PathBuf {
        dir.join(format!("{name}.part"))
    }

    /// Goes on with `NAME.part`, or with `NAME` if an earlier fetch got that far; otherwise
    /// starts it. What is there must be [read](Self::read) and [accepted](Self::accept) again.
    pub(crate) fn open(dir: &Path, name: &str) -> Result<PartFile, TableError> {
        let (path, temporary) = (dir.join(name), PartFile::temporary(dir, name));
        match fs::rename(&path, &temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(TableError::io(&path, "rename it")(error));
            }
            _ => {}
        }
        // Through a link, a file outside the folder would be written.
        if fs::symlink_metadata(&temporary).is_ok_and(|found| !found.is_file()) {
            return Err(TableError::corrupt(&temporary, "kind", "it is not a file; remove it"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&temporary).map_err(TableError::io(&temporary, "write to it"))?;
        Ok(PartFile { file, temporary, path, checked: 0 })
    }

    /// Bytes that an earlier fetch wrote.
    pub(crate) fn len(&self) -> Result<u64, TableError> {
        let found =
            self.file.metadata().map_err(TableError::io(&self.temporary, "find its length"))?;
        Ok(found.len())
    }

    /// The next bytes that an earlier fetch wrote.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<(), TableError> {
        let read = self.file.read_exact_at(bytes, self.checked);
        read.map_err(TableError::io(&self.temporary, "read it"))
    }

    /// The bytes that were read are right.
    pub(crate) fn accept(&mut self, bytes: u64) {
        self.checked += bytes;
    }

    /// Bytes that were checked.
    pub(crate) fn checked(&self) -> u64 {
        self.checked
    }

    /// Appends bytes that are right, in place of whatever an earlier fetch left there.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        let write = || -> io::Result<()> {
            let mut file = &self.file;
            if file.metadata()?.len() != self.checked {
                file.set_len(self.checked)?;
            }
            file.seek(SeekFrom::Start(self.checked))?;
            file.write_all(bytes)
        };
        write().map_err(TableError::io(&self.temporary, "write to it"))?;
        self.checked += bytes.len() as u64;
        Ok(())
    }

    /// Starts from the beginning.
    pub(crate) fn restart(&mut self) -> Result<(), TableError> {
        self.checked = 0;
        self.file.set_len(0).map_err(TableError::io(&self.temporary, "cut it"))
    }

    /// Throws it away.
    pub(crate) fn discard(self) {
        // Nothing can be done about a failure; the next fetch checks what is there.
        let _ = fs::remove_file(&self.temporary);
    }

    /// Gives the complete file its name, durably.
    pub(crate) fn finish(self) -> Result<(), TableError> {
        durable::settle(&self.file, &self.temporary, &self.path)
    }
}
