//! The data folder of a daemon.
//!
//! ```text
//! DIR/
//!   lock                 held while a coordinator works here; says which
//!   jobs/DIGEST/job      what the job is (`JobFile` of retrotab.proto)
//!   jobs/DIGEST/work/    its work folder, until its table is finished
//!   tables/NAME/         finished tables
//!   published/NAME/      tables that users have published here ([`crate::publishing`])
//!   incoming/NAME/       those on their way
//! ```

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use prost::Message;
use retrotab_proto::v1::JobFile;
use retrotab_tablefmt::shard::JobDigest;
use retrotab_tablefmt::{TableError, durable};

use crate::error::CoordinatorError;
use crate::folder;

/// No file of a job is longer.
const MAX_JOB_FILE: u64 = 1 << 20;

/// The data folder of a daemon, locked until it is dropped.
#[derive(Debug)]
pub(super) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Opens a data folder, making it if needed, and locks it.
    pub(super) fn open(path: &Path) -> Result<DataFolder, CoordinatorError> {
        durable::create_folder(path)?;
        let lock = folder::lock(path)?;
        let folder = DataFolder { path: path.to_owned(), _lock: lock };
        durable::create_folder(&folder.path.join("jobs"))?;
        durable::create_folder(&folder.path.join("tables"))?;
        Ok(folder)
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a job's work is.
    pub(super) fn work(&self, job: JobDigest) -> PathBuf {
        self.job_folder(job).join("work")
    }

    /// Removes a job's work folder if it is there.
    pub(super) fn remove_work(&self, job: JobDigest) -> Result<(), CoordinatorError> {
        let work = self.work(job);
        match fs::remove_dir_all(&work) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CoordinatorError::io("remove", &work)(error))
            }
            _ => Ok(()),
        }
    }

    /// Where the finished table of a name is. The name must have been checked.
    pub(super) fn table(&self, name: &str) -> PathBuf {
        self.path.join("tables").join(name)
    }

    fn job_folder(&self, job: JobDigest) -> PathBuf {
        self.path.join("jobs").join(job.to_string())
    }

    /// Writes what a job is, durably.
    pub(super) fn write_job(&self, job: JobDigest, file: &JobFile) -> Result<(), CoordinatorError> {
        let folder = self.job_folder(job);
        durable::create_folder(&folder)?;
        Ok(durable::write_durably(&folder.join("job"), &file.encode_to_vec())?)
    }

    /// What all jobs are, in order of submission.
    pub(super) fn jobs(&self) -> Result<Vec<JobFile>, CoordinatorError> {
        let jobs = self.path.join("jobs");
        let list = || fs::read_dir(&jobs)?.collect::<io::Result<Vec<_>>>();
        let entries = list().map_err(CoordinatorError::io("list", &jobs))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.path().join("job");
            // A folder without a file: its submission was interrupted before it was answered.
            if path.exists() {
                files.push(read_job(&path)?);
            }
        }
        files.sort_by_key(|file| file.created_unix_seconds);
        Ok(files)
    }
}

fn read_job(path: &Path) -> Result<JobFile, CoordinatorError> {
    let read = || -> io::Result<Option<Vec<u8>>> {
        let too_long = fs::metadata(path)?.len() > MAX_JOB_FILE;
        if too_long { Ok(None) } else { fs::read(path).map(Some) }
    };
    let bytes = read().map_err(CoordinatorError::io("read", path))?;
    let bad = |what: String| TableError::corrupt(path, "the job's file", what);
    let bytes = bytes.ok_or_else(|| bad("it is too long".to_owned()))?;
    JobFile::decode(&*bytes).map_err(|error| bad(error.to_string()).into())
}

/// Checks a name that a user gave to a table.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err(format!(
            "`{}` is no name for a table; use 1 to 64 letters, digits, `-` and `_`",
            name.escape_debug()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_come_back_in_order_of_submission() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataFolder::open(dir.path()).unwrap();
        for (number, created) in [(1, 30), (2, 10), (3, 20)] {
            let created_unix_seconds = created;
            let file = JobFile { created_unix_seconds, ..JobFile::default() };
            data.write_job(JobDigest([number; 32]), &file).unwrap();
        }
        fs::create_dir(dir.path().join("jobs/interrupted")).unwrap();
        let created =
            data.jobs().unwrap().iter().map(|f| f.created_unix_seconds).collect::<Vec<_>>();
        assert_eq!(created, [10, 20, 30]);
        let damaged = dir.path().join("jobs").join(JobDigest([1; 32]).to_string()).join("job");
        fs::write(&damaged, b"\xff\xff").unwrap();
        let error = data.jobs().unwrap_err().to_string();
        assert!(error.contains("corrupt") && error.contains("job"), "{error}");
        assert!(matches!(DataFolder::open(dir.path()), Err(CoordinatorError::InUse { .. })));
    }

    #[test]
    fn names_are_no_paths() {
        for bad in ["", "..", "a/b", "a\0b", "ä", ".hidden", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
        check_name("stack3_2026-11").unwrap();
    }
}
