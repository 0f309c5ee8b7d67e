//! Shards in a bucket.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore};

use crate::shard::JobDigest;
use crate::source::ReadAt;

use super::backend::{Backend, StoredShard};
use super::blocks::{BlockCache, BlockReader};
use super::connect::StoreOptions;
use super::error::{self, StoreError};
use super::name::ShardName;
use super::threads::Threads;
use super::transfer;

/// Threads that wait for the network and encrypt.
const THREADS: usize = 2;

/// A bucket, the connections to it and the threads that use them.
#[derive(Debug)]
pub(super) struct Bucket {
    /// URL of the store, without a slash at the end.
    pub(super) url: String,
    pub(super) prefix: ObjectPath,
    pub(super) client: Arc<dyn ObjectStore>,
    pub(super) cache: BlockCache,
    threads: Threads,
}

impl Bucket {
    pub(super) fn new(
        url: &str,
        client: Box<dyn ObjectStore>,
        prefix: ObjectPath,
        options: &StoreOptions,
    ) -> Result<Bucket, StoreError> {
        let url = url.trim_end_matches('/').to_owned();
        let threads = Threads::new(THREADS, &url)?;
        let (client, cache) = (Arc::from(client), BlockCache::new(options.kept));
        Ok(Bucket { url, prefix, client, cache, threads })
    }

    /// Runs something on the bucket's threads, and does not wait for it.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.threads.spawn(task);
    }

    /// Runs something on the bucket's threads and waits for it.
    pub(super) fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.threads.run(task)
    }

    /// Asks for the names of a few objects.
    pub(super) fn probe(&self) -> Result<(), StoreError> {
        let (client, prefix, url) = (self.client.clone(), self.prefix.clone(), self.url.clone());
        self.run(async move {
            let found = client.list_with_delimiter(Some(&prefix)).await;
            found.map(|_| ()).map_err(error::at(&url, &url, "list it"))
        })
    }
}

/// The shards of a job in a bucket.
#[derive(Debug)]
pub(super) struct BucketShards {
    bucket: Arc<Bucket>,
    /// `PREFIX/<job digest>`.
    folder: ObjectPath,
    /// URL of that.
    url: String,
}

/// An object with what is needed to reach and to name it.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) client: Arc<dyn ObjectStore>,
    pub(super) path: ObjectPath,
    /// URL of the store.
    pub(super) store: Arc<str>,
    /// URL of the object.
    pub(super) url: Arc<str>,
}

impl Object {
    /// For `map_err`: what was being done with it.
    pub(super) fn failed(
        &self,
        doing: &'static str,
    ) -> impl FnOnce(object_store::Error) -> StoreError {
        error::at(&self.store, &self.url, doing)
    }
}

impl BucketShards {
    pub(super) fn new(bucket: Arc<Bucket>, job: JobDigest) -> BucketShards {
        let folder = bucket.prefix.clone().join(job.to_string());
        let url = format!("{}/{job}", bucket.url);
        BucketShards { bucket, folder, url }
    }

    fn object(&self, name: &ShardName) -> Object {
        Object {
            client: self.bucket.client.clone(),
            path: self.folder.clone().join(name.to_string()),
            store: self.bucket.url.as_str().into(),
            url: format!("{}/{name}", self.url).into(),
        }
    }

    /// A listed object, if it is a shard of this job.
    fn shard(folder: &ObjectPath, found: &ObjectMeta) -> Option<StoredShard> {
        let mut parts = found.location.prefix_match(folder)?;
        let (name, rest) = (parts.next()?, parts.next());
        let name = ShardName::parse(name.as_ref()).filter(|_| rest.is_none())?;
        Some(StoredShard { name, length: found.size })
    }
}

impl Backend for BucketShards {
    fn put(&self, name: &ShardName, bytes: Bytes) -> Result<(), StoreError> {
        self.bucket.run(transfer::upload(self.object(name), bytes))
    }

    fn get(&self, name: &ShardName, length: u64) -> Result<Vec<u8>, StoreError> {
        self.bucket.run(transfer::download(self.object(name), length))
    }

    fn source(&self, name: &ShardName, length: u64) -> Result<Box<dyn ReadAt>, StoreError> {
        Ok(Box::new(BlockReader::new(self.bucket.clone(), self.object(name), length)))
    }

    fn list(&self) -> Result<Vec<StoredShard>, StoreError> {
        let (client, folder) = (self.bucket.client.clone(), self.folder.clone());
        let (store, url) = (self.bucket.url.clone(), self.url.clone());
        self.bucket.run(async move {
            let listed = client.list(Some(&folder));
            let shards =
                listed.try_filter_map(|found| std::future::ready(Ok(Self::shard(&folder, &found))));
            shards.try_collect().await.map_err(error::at(&store, &url, "list it"))
        })
    }

    fn remove(&self, names: &[ShardName]) -> Result<(), StoreError> {
        let client = self.bucket.client.clone();
        let (store, url) = (self.bucket.url.clone(), self.url.clone());
        let paths: Vec<_> = names.iter().map(|name| Ok(self.object(name).path)).collect();
        self.bucket.run(async move {
            let mut removed = client.delete_stream(stream::iter(paths).boxed());
            while let Some(one) = removed.next().await {
                match one {
                    Ok(_) => {}
                    Err(found) => match error::at(&store, &url, "delete shards in it")(found) {
                        StoreError::Missing { .. } => {}
                        error => return Err(error),
                    },
                }
            }
            Ok(())
        })
    }

    fn path(&self, name: &ShardName) -> PathBuf {
        format!("{}/{name}", self.url).into()
    }
}
