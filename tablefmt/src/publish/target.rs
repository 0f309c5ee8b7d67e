//! Where a table is published: a folder, or one in a bucket.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::source;
use super::texts::Text;
use crate::durable::{self, DurableFile};
use crate::error::TableError;
use crate::manifest::{FileManifest, MAX_MANIFEST};
use crate::objects::{BucketFiles, StoreError, StoreOptions};

/// A place for a published table.
#[derive(Debug)]
pub struct Target {
    shown: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Folder(PathBuf),
    Bucket(BucketFiles),
}

/// What is already in the place of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Present {
    /// Nothing.
    Nothing,
    /// The same file.
    Same,
    /// Something else.
    Other,
}

impl Target {
    /// The place at a URL such as `s3://BUCKET/FOLDER`, `gs://`, `az://` or `file:///FOLDER`, or
    /// at a path. Nothing is asked of the network yet.
    ///
    /// # Errors
    /// [`StoreError::Url`].
    pub fn open(to: &str, options: &StoreOptions) -> Result<Target, StoreError> {
        let shown = to.trim_end_matches('/').to_owned();
        let place = match to.contains("://") {
            false => Place::Folder(PathBuf::from(to)),
            true => match BucketFiles::open(to, options)? {
                Ok(bucket) => Place::Bucket(bucket),
                Err(folder) => Place::Folder(folder),
            },
        };
        Ok(Target { shown, place })
    }

    /// How it is called in messages.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The last part of its URL or path.
    pub(super) fn name(&self) -> Option<String> {
        match &self.place {
            Place::Folder(folder) => {
                let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
                real.file_name().and_then(|name| name.to_str()).map(str::to_owned)
            }
            Place::Bucket(bucket) => bucket.name(),
        }
    }

    /// A small file, if it is there.
    pub(super) fn text(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.place {
            Place::Bucket(bucket) => bucket.get(name, MAX_MANIFEST),
            Place::Folder(folder) => {
                match crate::source::read_whole(&folder.join(name), MAX_MANIFEST) {
                    Err(TableError::MissingFile { .. }) => Ok(None),
                    read => Ok(Some(read?)),
                }
            }
        }
    }

    /// What is in the place of a data file. A folder's file is read; of an object, length and
    /// the digest that was stored with it are asked for.
    pub(super) fn present(&self, file: &FileManifest) -> Result<Present, StoreError> {
        let same = match &self.place {
            Place::Bucket(bucket) => match bucket.stored(&file.name)? {
                None => return Ok(Present::Nothing),
                Some(found) => {
                    found.length == file.bytes && found.blake3.as_deref() == Some(&file.blake3)
                }
            },
            Place::Folder(folder) => {
                let path = folder.join(&file.name);
                match fs::metadata(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        return Ok(Present::Nothing);
                    }
                    found => {
                        let found = found.map_err(TableError::io(&path, "look at it"))?;
                        found.is_file() && found.len() == file.bytes && has_digest(&path, file)?
                    }
                }
            }
        };
        Ok(if same { Present::Same } else { Present::Other })
    }

    /// Copies a data file there. It is there whole or not at all, and is what the manifest says.
    pub(super) fn put_data(
        &self,
        dir: &Path,
        file: &FileManifest,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let from = dir.join(&file.name);
        let changed =
            || TableError::corrupt(&from, "whole file", "it has changed since it was checked");
        let mut hasher = blake3::Hasher::new();
        match &self.place {
            Place::Folder(folder) => {
                let mut copy = DurableFile::create(&folder.join(&file.name))?;
                let mut failed = Ok(());
                source::read(&from, file.bytes, &mut |chunk| {
                    hasher.update_rayon(chunk);
                    failed = copy.write(chunk);
                    if failed.is_err() {
                        ControlFlow::Break(())
                    } else {
                        progress(chunk.len() as u64)
                    }
                })
                .or_else(|stopped| failed.and(Err(stopped)))?;
                if hasher.finalize().to_string() != file.blake3 {
                    return Err(changed().into());
                }
                Ok(copy.commit()?)
            }
            Place::Bucket(bucket) => {
                let kind = "application/zstd";
                let mut upload = bucket.upload(&file.name, kind, &file.blake3)?;
                // After an error it is dropped, and so given up.
                source::read(&from, file.bytes, &mut |chunk| {
                    hasher.update_rayon(chunk);
                    upload.push(chunk);
                    progress(chunk.len() as u64)
                })?;
                if hasher.finalize().to_string() != file.blake3 {
                    return Err(changed().into());
                }
                upload.finish()
            }
        }
    }

    /// Writes a small file.
    pub(super) fn put_text(&self, text: &Text) -> Result<(), StoreError> {
        match &self.place {
            Place::Bucket(bucket) => bucket.put(&text.name, text.kind, text.bytes.clone()),
            Place::Folder(folder) => {
                Ok(durable::write_durably(&folder.join(&text.name), &text.bytes)?)
            }
        }
    }

    /// Removes a file, which need not be there.
    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        match &self.place {
            Place::Bucket(bucket) => bucket.remove(name),
            Place::Folder(folder) => {
                let path = folder.join(name);
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        Err(TableError::io(&path, "remove it")(error).into())
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Makes the folder; a bucket must be there.
    pub(super) fn prepare(&self) -> Result<(), StoreError> {
        match &self.place {
            Place::Bucket(_) => Ok(()),
            Place::Folder(folder) => {
                durable::create_folder(folder)?;
                durable::remove_leftovers(folder)?;
                Ok(())
            }
        }
    }
}

fn has_digest(path: &Path, file: &FileManifest) -> Result<bool, TableError> {
    let mut hasher = blake3::Hasher::new();
    source::read(path, file.bytes, &mut |chunk| {
        hasher.update_rayon(chunk);
        ControlFlow::Continue(())
    })?;
    Ok(hasher.finalize().to_string() == file.blake3)
}
