//! Shards in and out, in chunks.

use bytes::Bytes;
use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1;
use retrotab_proto::v1::submit_shard_chunk::Part;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use crate::ids::{ShardDigest, UnitId};

use super::{Service, permits};
use retrotab_tablefmt::shard::Shard;

/// Chunks of a shard on their way out.
pub(super) type FetchStream = ReceiverStream<Result<v1::FetchShardChunk, Status>>;

/// Chunks that are read ahead of the network.
const READ_AHEAD: usize = 4;

impl Service {
    /// Sends a range of a shard's bytes.
    pub(super) async fn fetch(
        &self,
        request: v1::FetchShardRequest,
    ) -> Result<FetchStream, Status> {
        let going_out = self.downloads.clone().acquire_owned().await;
        let going_out = going_out.map_err(|error| Status::internal(error.to_string()))?;
        let (unit, job) = (UnitId(request.unit), request.job_digest);
        let (digest, shard) = self.daemon(move |daemon| daemon.shard(&job, unit)).await?;
        let left = digest.length.checked_sub(request.offset).ok_or_else(|| {
            let (offset, length) = (request.offset, digest.length);
            Status::invalid_argument(format!("offset {offset} in a shard of {length} bytes"))
        })?;
        let length = match request.length {
            0 => left,
            length => length.min(left),
        };
        let (chunks, stream) = mpsc::channel(READ_AHEAD);
        let sending = Sending { shard, digest, offset: request.offset, length, going_out };
        tokio::task::spawn_blocking(move || sending.run(&chunks));
        Ok(ReceiverStream::new(stream))
    }

    /// Takes in a shard.
    pub(super) async fn receive(
        &self,
        mut stream: Streaming<v1::SubmitShardChunk>,
    ) -> Result<v1::SubmitShardResponse, Status> {
        let Some(Part::Header(header)) = self.next_part(&mut stream).await? else {
            return Err(Status::invalid_argument("the first message must be the header"));
        };
        let upload = self.daemon(move |daemon| daemon.begin_submit(&header)).await?;
        let length = upload.length();
        let _coming_in = self.room_for(length).await?;
        let mut bytes = Vec::with_capacity(length as usize);
        while let Some(part) = self.next_part(&mut stream).await? {
            let Part::Data(data) = part else {
                return Err(Status::invalid_argument("a second header"));
            };
            if data.len() > CHUNK_BYTES || data.len() as u64 > length - bytes.len() as u64 {
                return Err(Status::resource_exhausted(
                    "a chunk of more than 1 MiB, or more bytes than the header says",
                ));
            }
            bytes.extend_from_slice(&data);
        }
        let first = self.daemon(move |daemon| daemon.finish_submit(upload, bytes)).await?;
        let first_worker = first.map(|name| name.to_string()).unwrap_or_default();
        Ok(v1::SubmitShardResponse { first_worker })
    }

    /// Waits until a shard of so many bytes may be held in memory.
    pub(super) async fn room_for(&self, bytes: u64) -> Result<OwnedSemaphorePermit, Status> {
        // One that is larger than all that may come in at a time waits for all of it.
        let wanted = permits(bytes.min(self.limits.upload_bytes));
        let room = self.uploads.clone().acquire_many_owned(wanted).await;
        room.map_err(|error| Status::internal(error.to_string()))
    }

    async fn next_part(
        &self,
        stream: &mut Streaming<v1::SubmitShardChunk>,
    ) -> Result<Option<Part>, Status> {
        match self.next_message(stream).await? {
            None => Ok(None),
            Some(v1::SubmitShardChunk { part: Some(part) }) => Ok(Some(part)),
            Some(_) => Err(Status::invalid_argument("a message without content")),
        }
    }

    /// The next message of an upload, which must not be silent for too long.
    pub(super) async fn next_message<T>(
        &self,
        stream: &mut Streaming<T>,
    ) -> Result<Option<T>, Status> {
        let silence = self.limits.upload_silence;
        let silent = |_| {
            let seconds = silence.as_secs();
            Status::deadline_exceeded(format!("nothing came for {seconds} s; send it again"))
        };
        tokio::time::timeout(silence, stream.message()).await.map_err(silent)?
    }
}

/// A range of a shard's bytes that is being sent.
struct Sending {
    shard: Shard,
    digest: ShardDigest,
    offset: u64,
    length: u64,
    /// Given back when all is sent, or nobody listens any more.
    going_out: OwnedSemaphorePermit,
}

impl Sending {
    /// Reads chunks and hands them on until all are sent or nobody listens.
    fn run(self, chunks: &mpsc::Sender<Result<v1::FetchShardChunk, Status>>) {
        let mut digest = Some(self.digest.message());
        let (mut offset, end) = (self.offset, self.offset + self.length);
        while offset < end || digest.is_some() {
            let size = (end - offset).min(CHUNK_BYTES as u64) as usize;
            let mut data = vec![0; size];
            let read = self.shard.read_stored(offset, &mut data);
            let chunk = match read {
                Ok(()) => {
                    Ok(v1::FetchShardChunk { digest: digest.take(), data: Bytes::from(data) })
                }
                Err(error) => Err(Status::unavailable(error.to_string())),
            };
            let failed = chunk.is_err();
            if chunks.blocking_send(chunk).is_err() || failed {
                break;
            }
            offset += size as u64;
        }
        drop(self.going_out);
    }
}
