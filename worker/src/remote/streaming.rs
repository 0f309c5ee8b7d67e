//! Shards streamed from and to the coordinator.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1::submit_shard_chunk::Part;
use retrotab_proto::v1::{
    FetchShardChunk, FetchShardRequest, SubmitHeader, SubmitShardChunk, SubmitShardResponse,
};
use tonic::Status;

use super::connect::Client;
use super::transport::{Moved, ShardName, ShardStream, ShardTransport};

/// After so long without a byte a stream is given up; it can be resumed.
const SILENCE: Duration = Duration::from_secs(60);

/// Shards streamed from and to the coordinator.
pub struct Streaming {
    client: Client,
}

impl Streaming {
    /// By calls of this client.
    pub fn new(client: Client) -> Self {
        Streaming { client }
    }
}

impl ShardTransport for Streaming {
    fn fetch(&self, shard: ShardName, offset: u64) -> BoxFuture<'_, Result<ShardStream, Status>> {
        let mut client = self.client.clone();
        async move {
            let request = FetchShardRequest {
                job_digest: shard.job.0.to_vec(),
                unit: shard.unit.0,
                offset,
                length: 0,
            };
            let answer = within(SILENCE, client.fetch_shard(request)).await?;
            let chunks = stream::unfold(Some(answer.into_inner()), move |chunks| async move {
                let mut chunks = chunks?;
                match within(SILENCE, chunks.message()).await {
                    Ok(None) => None,
                    Ok(Some(chunk)) => Some((bytes_of(chunk, &shard), Some(chunks))),
                    Err(status) => Some((Err(status), None)),
                }
            });
            Ok(chunks.boxed())
        }
        .boxed()
    }

    fn submit(
        &self,
        header: SubmitHeader,
        shard: Bytes,
        moved: Moved,
    ) -> BoxFuture<'_, Result<SubmitShardResponse, Status>> {
        let mut client = self.client.clone();
        async move {
            let chunks = stream::unfold(shard, move |mut left| {
                let moved = moved.clone();
                async move {
                    if left.is_empty() {
                        return None;
                    }
                    let chunk = left.split_to(left.len().min(CHUNK_BYTES));
                    // Asked for the next chunk, so there was room for those before.
                    moved.add(chunk.len() as u64);
                    Some((SubmitShardChunk { part: Some(Part::Data(chunk)) }, left))
                }
            });
            let header = SubmitShardChunk { part: Some(Part::Header(header)) };
            let parts = stream::once(async { header }).chain(chunks);
            Ok(client.submit_shard(parts).await?.into_inner())
        }
        .boxed()
    }
}

/// The data of a chunk, unless it is of another shard than the one asked for.
fn bytes_of(chunk: FetchShardChunk, shard: &ShardName) -> Result<Bytes, Status> {
    if let Some(digest) = &chunk.digest
        && (digest.blake3 != shard.digest.blake3.as_bytes() || digest.length != shard.digest.length)
    {
        return Err(Status::data_loss("the coordinator sends another shard than it said"));
    }
    Ok(chunk.data)
}

/// An answer that comes in time, or `DEADLINE_EXCEEDED`.
pub(crate) async fn within<T>(
    time: Duration,
    answer: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    match tokio::time::timeout(time, answer).await {
        Ok(answer) => answer,
        Err(_) => {
            let text = format!("no answer for {} s", time.as_secs());
            Err(Status::deadline_exceeded(text))
        }
    }
}
