//! Files of a folder in a bucket, such as those of a published table.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use object_store::{
    Attribute, Attributes, GetOptions, ObjectStoreExt, PutMultipartOptions, PutOptions,
};

use super::bucket::{Bucket, Object};
use super::connect::{self, Location, StoreOptions};
use super::error::StoreError;
use super::upload::Upload;

/// Under this key the digest of a file is stored with it.
const DIGEST: Attribute = Attribute::Metadata(Cow::Borrowed("blake3"));

/// A folder in a bucket.
#[derive(Debug)]
pub(crate) struct BucketFiles {
    bucket: Arc<Bucket>,
}

/// What a bucket says of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredFile {
    pub(crate) length: u64,
    /// The digest that was stored with it, in hexadecimal.
    pub(crate) blake3: Option<String>,
}

impl BucketFiles {
    /// The folder at a URL; a path instead if it is one of this machine.
    pub(crate) fn open(
        url: &str,
        options: &StoreOptions,
    ) -> Result<Result<BucketFiles, PathBuf>, StoreError> {
        Ok(match connect::connect(url, options)? {
            Location::Folder(folder) => Err(folder),
            Location::Bucket(client, prefix) => {
                let bucket = Arc::new(Bucket::new(url, client, prefix, options)?);
                Ok(BucketFiles { bucket })
            }
        })
    }

    /// The folder's name.
    pub(crate) fn name(&self) -> Option<String> {
        self.bucket.prefix.filename().map(str::to_owned)
    }

    fn object(&self, name: &str) -> Object {
        Object {
            client: self.bucket.client.clone(),
            path: self.bucket.prefix.clone().join(name),
            store: self.bucket.url.as_str().into(),
            url: format!("{}/{name}", self.bucket.url).into(),
        }
    }

    /// What the bucket says of a file, if it is there.
    pub(crate) fn stored(&self, name: &str) -> Result<Option<StoredFile>, StoreError> {
        let object = self.object(name);
        let asked = async move {
            let options = GetOptions { head: true, ..GetOptions::default() };
            let found = object.client.get_opts(&object.path, options).await;
            let found = found.map_err(object.failed("look at it"))?;
            let blake3 = found.attributes.get(&DIGEST).map(|value| value.as_ref().to_owned());
            Ok(StoredFile { length: found.meta.size, blake3 })
        };
        if_there(self.bucket.run(asked))
    }

    /// A file of at most so many bytes, if it is there.
    pub(crate) fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let object = self.object(name);
        let asked = async move {
            let found = object.client.get_opts(&object.path, GetOptions::default()).await;
            let found = found.map_err(object.failed("read it"))?;
            if found.meta.size > most {
                let what = format!("it has {} bytes, more than {most}", found.meta.size);
                return Err(StoreError::Corrupt { object: object.url.to_string(), what });
            }
            let bytes = found.bytes().await.map_err(object.failed("read it"))?;
            Ok(bytes.to_vec())
        };
        if_there(self.bucket.run(asked))
    }

    /// Writes a small file of a type that browsers know.
    pub(crate) fn put(
        &self,
        name: &str,
        kind: &'static str,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError> {
        let object = self.object(name);
        let attributes = Attributes::from_iter([(Attribute::ContentType, kind)]);
        self.bucket.run(async move {
            let options = PutOptions { attributes, ..PutOptions::default() };
            let put = object.client.put_opts(&object.path, bytes.into(), options).await;
            put.map(|_| ()).map_err(object.failed("write it"))
        })
    }

    /// Removes a file, which need not be there.
    pub(crate) fn remove(&self, name: &str) -> Result<(), StoreError> {
        let object = self.object(name);
        let asked = async move {
            let removed = object.client.delete(&object.path).await;
            removed.map_err(object.failed("delete it"))
        };
        if_there(self.bucket.run(asked)).map(|_| ())
    }

    /// Starts writing a file of any length, with its digest; nobody sees any of it before the
    /// [end](Upload::finish).
    pub(crate) fn upload(
        &self,
        name: &str,
        kind: &'static str,
        blake3: &str,
    ) -> Result<Upload, StoreError> {
        let object = self.object(name);
        let mut attributes = Attributes::new();
        attributes.insert(Attribute::ContentType, kind.into());
        attributes.insert(DIGEST, blake3.to_owned().into());
        let asked = object.clone();
        let parts = self.bucket.run(async move {
            let options = PutMultipartOptions { attributes, ..PutMultipartOptions::default() };
            let started = asked.client.put_multipart_opts(&asked.path, options).await;
            started.map_err(asked.failed("write it"))
        })?;
        Ok(Upload::start(&self.bucket, object, parts))
    }
}

/// `None` for what is missing.
fn if_there<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
