//! Shards in a folder: the coordinator's own, or one on a disk that all machines see.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::durable;
use crate::error::TableError;
use crate::shard::JobDigest;
use crate::source::{self, Access, ReadAt};

use super::backend::{Backend, StoredShard};
use super::error::StoreError;
use super::name::ShardName;

/// The shards of a job in a folder.
#[derive(Debug)]
pub(super) struct FolderShards {
    folder: PathBuf,
    /// The folder shared by all machines that `folder` is in, and its URL.
    shared: Option<(PathBuf, String)>,
}

impl FolderShards {
    /// In a folder that this process has for itself.
    pub(super) fn own(folder: &Path) -> FolderShards {
        FolderShards { folder: folder.to_owned(), shared: None }
    }

    /// In a job's folder inside a shared one.
    pub(super) fn shared(root: &Path, job: JobDigest, url: &str) -> FolderShards {
        let shared = Some((root.to_owned(), url.to_owned()));
        FolderShards { folder: root.join(job.to_string()), shared }
    }

    /// The shared folder must be there already: if its disk is not mounted, a new folder in its
    /// place would be on this machine alone. The job's folder is made.
    fn make_folder(&self) -> Result<(), StoreError> {
        if let Some((root, url)) = &self.shared {
            probe(root, url)?;
            durable::create_folder(&self.folder)?;
        }
        Ok(())
    }

    fn file(&self, name: &ShardName) -> PathBuf {
        self.folder.join(name.to_string())
    }
}

/// Whether the folder of a store is there.
pub(super) fn probe(folder: &Path, url: &str) -> Result<(), StoreError> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(TableError::io(folder, "open the folder")(error).into())
        }
        _ => Err(StoreError::NoPlace { url: url.to_owned(), kind: "folder" }),
    }
}

impl Backend for FolderShards {
    fn put(&self, name: &ShardName, bytes: Bytes) -> Result<(), StoreError> {
        self.make_folder()?;
        Ok(durable::write_durably(&self.file(name), &bytes)?)
    }

    fn get(&self, name: &ShardName, length: u64) -> Result<Vec<u8>, StoreError> {
        Ok(source::read_whole(&self.file(name), length)?)
    }

    fn source(&self, name: &ShardName, _: u64) -> Result<Box<dyn ReadAt>, StoreError> {
        Ok(source::open(&self.file(name), Access::Read)?)
    }

    fn list(&self) -> Result<Vec<StoredShard>, StoreError> {
        if let Some((root, url)) = &self.shared {
            probe(root, url)?;
        }
        let list = || -> io::Result<Vec<StoredShard>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                if let Some(name) = entry.file_name().to_str().and_then(ShardName::parse) {
                    found.push(StoredShard { name, length: entry.metadata()?.len() });
                }
            }
            Ok(found)
        };
        match list() {
            // Nobody has written a shard of this job yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.shared.is_some() => {
                Ok(Vec::new())
            }
            listed => Ok(listed.map_err(TableError::io(&self.folder, "list it"))?),
        }
    }

    fn remove(&self, names: &[ShardName]) -> Result<(), StoreError> {
        for name in names {
            let path = self.file(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(TableError::io(&path, "delete it")(error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, name: &ShardName) -> PathBuf {
        self.file(name)
    }
}
