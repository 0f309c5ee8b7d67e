//! Sending a table to a coordinator: offer it, send what is wanted, finish.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::ProgressBar;
use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1::offer_table_chunk::Part as OfferPart;
use retrotab_proto::v1::send_table_file_chunk::Part as FilePart;
use retrotab_proto::v1::{
    FinishTableRequest, OfferTableChunk, OfferTableHeader, SendTableFileChunk, SendTableFileHeader,
    WantedFile,
};
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::manifest::FileManifest;
use retrotab_worker::remote::Client;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

/// Chunks that are read ahead of the network.
const READ_AHEAD: usize = 4;

/// Why a table is not sent.
pub(super) enum SendError {
    /// The table cannot be read.
    Local(TableError),
    /// A call has failed.
    Call(Status),
}

impl From<Status> for SendError {
    fn from(status: Status) -> SendError {
        SendError::Call(status)
    }
}

/// What was done, over all attempts.
#[derive(Default)]
pub(super) struct Done {
    /// Whether the coordinator has taken an offer.
    pub(super) was_answered: bool,
    /// Whether the file sent last went on where an earlier attempt had stopped.
    pub(super) went_on: bool,
    /// Data files that were sent.
    pub(super) sent: Vec<String>,
    /// Small files that were written.
    pub(super) texts: Vec<String>,
    /// Data files of the table before that were removed.
    pub(super) removed: Vec<String>,
}

/// Counts the bytes that are on their way, and shows how far it is.
#[derive(Clone)]
pub(super) struct Meter {
    bytes: Arc<AtomicU64>,
    bar: ProgressBar,
}

impl Meter {
    pub(super) fn new(bar: ProgressBar) -> Meter {
        Meter { bytes: Arc::default(), bar }
    }

    /// Bytes of data files that were sent, repetitions included.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn sent(&self, bytes: u64, position: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bar.set_position(position);
    }
}

/// A table that is sent to a coordinator.
pub(super) struct Sending {
    pub(super) dir: PathBuf,
    pub(super) header: OfferTableHeader,
    pub(super) manifest: Vec<u8>,
    pub(super) files: Vec<FileManifest>,
    pub(super) meter: Meter,
}

impl Sending {
    /// Offers the table, sends what is missing, and has it published.
    pub(super) async fn attempt(
        &self,
        client: &mut Client,
        done: &mut Done,
    ) -> Result<(), SendError> {
        let answer = client.offer_table(self.offer()).await?.into_inner();
        done.was_answered = true;
        if answer.published {
            return Ok(());
        }
        let mut wanted = answer.wanted;
        while let Some(part) = wanted {
            done.went_on = part.offset > 0;
            wanted = self.send(client, answer.publication, part).await?;
            if let Some(file) = self.files.get(part.file as usize) {
                done.sent.push(file.name.clone());
            }
        }
        self.meter.bar.set_message("checking there");
        let request = FinishTableRequest { publication: answer.publication };
        let mut progress = client.finish_table(request).await?.into_inner();
        while let Some(step) = progress.message().await? {
            let Some(finished) = step.finished else {
                self.meter.bar.set_position(step.checked);
                continue;
            };
            (done.texts, done.removed) = (finished.written, finished.removed);
            return Ok(());
        }
        // As if it had been cut off: the next offer says whether the table is published.
        Err(Status::cancelled("the coordinator does not say that the table is published").into())
    }

    fn offer(&self) -> impl tokio_stream::Stream<Item = OfferTableChunk> + Send + use<> {
        let header = OfferPart::Header(self.header.clone());
        let data =
            self.manifest.chunks(CHUNK_BYTES).map(|data| OfferPart::Data(data.to_vec().into()));
        let parts: Vec<OfferPart> = std::iter::once(header).chain(data).collect();
        tokio_stream::iter(parts.into_iter().map(|part| OfferTableChunk { part: Some(part) }))
    }

    /// Sends the rest of a data file; what is wanted next.
    async fn send(
        &self,
        client: &mut Client,
        publication: u64,
        part: WantedFile,
    ) -> Result<Option<WantedFile>, SendError> {
        let file = self.files.get(part.file as usize);
        let file = file.filter(|file| part.offset <= file.bytes).ok_or_else(|| {
            Status::internal("the coordinator wants a part that the table does not have")
        })?;
        let before: u64 = self.files[..part.file as usize].iter().map(|file| file.bytes).sum();
        let (path, rest) = (self.dir.join(&file.name), part.offset..file.bytes);
        let header = SendTableFileHeader { publication, wanted: Some(part) };
        let (chunks, stream) = mpsc::channel(READ_AHEAD);
        let meter = self.meter.clone();
        let reading = tokio::task::spawn_blocking(move || {
            if chunks.blocking_send(chunk(FilePart::Header(header))).is_err() {
                return Ok(());
            }
            read(&path, rest, &chunks, &mut |bytes, position| meter.sent(bytes, before + position))
        });
        let sent = client.send_table_file(ReceiverStream::new(stream)).await;
        // If the file cannot be read, that is why the call fails.
        let read = reading.await.map_err(|error| Status::internal(format!("bug: {error}")))?;
        read.map_err(SendError::Local)?;
        Ok(sent?.into_inner().wanted)
    }
}

fn chunk(part: FilePart) -> SendTableFileChunk {
    SendTableFileChunk { part: Some(part) }
}

/// Reads a part of a file and hands it on in chunks, until nobody wants more.
fn read(
    path: &Path,
    part: std::ops::Range<u64>,
    chunks: &mpsc::Sender<SendTableFileChunk>,
    sent: &mut dyn FnMut(u64, u64),
) -> Result<(), TableError> {
    let failed = |error| TableError::io(path, "read it")(error);
    let mut file = File::open(path).map_err(failed)?;
    file.seek(SeekFrom::Start(part.start)).map_err(failed)?;
    let mut at = part.start;
    while at < part.end {
        let mut data = vec![0; (part.end - at).min(CHUNK_BYTES as u64) as usize];
        file.read_exact(&mut data).map_err(failed)?;
        let length = data.len() as u64;
        if chunks.blocking_send(chunk(FilePart::Data(data.into()))).is_err() {
            return Ok(());
        }
        at += length;
        sent(length, at);
        fail::fail_point!("publish::sent");
    }
    Ok(())
}
