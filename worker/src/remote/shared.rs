//! Shards in a store that all workers read and write directly.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1::{SubmitHeader, SubmitShardResponse, SubmitStoredRequest};
use retrotab_tablefmt::objects::{Naming, ObjectShards, SharedStore, StoreError};
use retrotab_tablefmt::shard::{JobDigest, UnitId};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::connect::Client;
use super::transport::{Moved, ShardName, ShardStream, ShardTransport};

/// Pieces that are read ahead of whoever takes them.
const READ_AHEAD: usize = 4;

/// Shards in a shared store. The coordinator hears of those that are put there.
pub struct Shared {
    client: Client,
    store: SharedStore,
}

impl Shared {
    /// In this store, for the coordinator of this client.
    pub fn new(client: Client, store: SharedStore) -> Self {
        Shared { client, store }
    }
}

impl ShardTransport for Shared {
    fn fetch(&self, shard: ShardName, offset: u64) -> BoxFuture<'_, Result<ShardStream, Status>> {
        let shards = self.store.job(shard.job);
        async move {
            let (pieces, stream) = mpsc::channel(READ_AHEAD);
            tokio::task::spawn_blocking(move || send(&shards, shard, offset, &pieces));
            Ok(ReceiverStream::new(stream).boxed())
        }
        .boxed()
    }

    fn submit(
        &self,
        header: SubmitHeader,
        shard: Bytes,
        moved: Moved,
    ) -> BoxFuture<'_, Result<SubmitShardResponse, Status>> {
        let (mut client, store) = (self.client.clone(), self.store.clone());
        async move {
            let named = header.clone();
            let length = shard.len() as u64;
            let put = tokio::task::spawn_blocking(move || put(&store, &named, shard));
            put.await.map_err(|error| Status::internal(error.to_string()))??;
            moved.add(length);
            let request = SubmitStoredRequest { header: Some(header) };
            Ok(client.submit_stored(request).await?.into_inner())
        }
        .boxed()
    }
}

/// Reads a shard from `offset` on and hands the pieces on, until nobody wants more.
fn send(
    shards: &ObjectShards,
    shard: ShardName,
    mut offset: u64,
    pieces: &mpsc::Sender<Result<Bytes, Status>>,
) {
    let ShardName { unit, digest, .. } = shard;
    let name = Naming::ByContent.name(unit, digest.blake3);
    let source = match shards.source(&name, digest.length) {
        Ok(source) => source,
        Err(error) => {
            let _ = pieces.blocking_send(Err(status(&error)));
            return;
        }
    };
    while offset < digest.length {
        let size = (digest.length - offset).min(CHUNK_BYTES as u64) as usize;
        let mut piece = vec![0; size];
        let read = source.read_exact_at(offset, &mut piece);
        let read = read.map(|()| Bytes::from(piece)).map_err(|error| {
            Status::unavailable(format!("{}: {error}", shards.path(&name).display()))
        });
        let failed = read.is_err();
        if pieces.blocking_send(read).is_err() || failed {
            return;
        }
        offset += size as u64;
    }
}

fn put(store: &SharedStore, header: &SubmitHeader, shard: Bytes) -> Result<(), Status> {
    let job = <[u8; 32]>::try_from(header.job_digest.as_slice());
    let job = job.map_err(|_| Status::internal("bug: a job's digest of another length"))?;
    let digest = blake3::Hasher::new().update_rayon(&shard).finalize();
    let name = Naming::ByContent.name(UnitId(header.unit), digest);
    store.job(JobDigest(job)).put(&name, shard).map_err(|error| status(&error))
}

/// What a store says, as the protocol would.
fn status(error: &StoreError) -> Status {
    match error {
        error if error.is_passing() => Status::unavailable(error.to_string()),
        StoreError::Missing { .. } => Status::not_found(error.to_string()),
        // Somebody has to mend it; meanwhile the shard is kept.
        error => Status::unavailable(error.to_string()),
    }
}
