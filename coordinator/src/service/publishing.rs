//! Tables that come in, in chunks.

use std::ops::ControlFlow;

use bytes::Bytes;
use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1;
use retrotab_proto::v1::offer_table_chunk::Part as OfferPart;
use retrotab_proto::v1::send_table_file_chunk::Part as FilePart;
use retrotab_tablefmt::manifest::MAX_MANIFEST;
use retrotab_tablefmt::publish::Existing;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use crate::daemon::{DaemonError, check_protocol};
use crate::publishing::{Finished, IncomingFile, Offer, Offered, PublicationId, Wanted};

use super::{Service, to_status};

/// How far the check of a table is.
pub(super) type ProgressStream = ReceiverStream<Result<v1::FinishTableProgress, Status>>;

/// Bytes of a data file that may be in memory at a time: a chunk being written, and those behind
/// it in the window of the stream.
const FILE_ROOM: u64 = 5 << 20;
/// Messages about progress that wait for the network; more are left out.
const PROGRESS: usize = 4;

impl Service {
    /// Takes in an offer.
    pub(super) async fn offer(
        &self,
        mut stream: Streaming<v1::OfferTableChunk>,
    ) -> Result<v1::OfferTableResponse, Status> {
        let first = self.next_message(&mut stream).await?;
        let Some(v1::OfferTableChunk { part: Some(OfferPart::Header(header)) }) = first else {
            return Err(Status::invalid_argument("the first message must be the header"));
        };
        check_protocol(header.protocol_version).map_err(to_status)?;
        let length = header.manifest_bytes;
        if length > MAX_MANIFEST {
            let text = format!("no manifest has {length} bytes, only up to {MAX_MANIFEST}");
            return Err(Status::invalid_argument(text));
        }
        let _coming_in = self.room_for(length).await?;
        let mut manifest = Vec::with_capacity(length as usize);
        while let Some(chunk) = self.next_message(&mut stream).await? {
            let Some(OfferPart::Data(data)) = chunk.part else { return Err(no_data()) };
            check_chunk(&data, length - manifest.len() as u64)?;
            manifest.extend_from_slice(&data);
        }
        if (manifest.len() as u64) < length {
            let text = "fewer bytes of the manifest came than the header says; send it again";
            return Err(Status::invalid_argument(text));
        }
        let existing = if header.replace { Existing::Replace } else { Existing::Keep };
        let offer = Offer { name: header.name, existing, urls: header.urls, manifest };
        let offered = self.daemon(move |daemon| Ok(daemon.publishing().offer(offer)?)).await?;
        Ok(match offered {
            Offered::Published => {
                v1::OfferTableResponse { published: true, ..v1::OfferTableResponse::default() }
            }
            Offered::Incoming { publication: PublicationId(publication), wanted } => {
                let wanted = wanted.map(Wanted::message);
                v1::OfferTableResponse { published: false, publication, wanted }
            }
        })
    }

    /// Takes in a data file of a table.
    pub(super) async fn receive_file(
        &self,
        mut stream: Streaming<v1::SendTableFileChunk>,
    ) -> Result<v1::SendTableFileResponse, Status> {
        let first = self.next_message(&mut stream).await?;
        let Some(v1::SendTableFileChunk { part: Some(FilePart::Header(header)) }) = first else {
            return Err(Status::invalid_argument("the first message must be the header"));
        };
        let wanted = header.wanted.unwrap_or_default();
        let sent = Wanted { file: wanted.file, offset: wanted.offset };
        let publication = PublicationId(header.publication);
        let _coming_in = self.room_for(FILE_ROOM).await?;
        let receive = move |daemon: &crate::daemon::Daemon| {
            Ok::<_, DaemonError>(daemon.publishing().receive(publication, sent)?)
        };
        let mut file = self.daemon(receive).await?;
        while let Some(chunk) = self.next_message(&mut stream).await? {
            let Some(FilePart::Data(data)) = chunk.part else { return Err(no_data()) };
            check_chunk(&data, file.missing())?;
            file = self.append(file, data).await?;
        }
        let wanted = self.daemon(move |_| Ok(file.finish()?)).await?;
        Ok(v1::SendTableFileResponse { wanted: wanted.map(Wanted::message) })
    }

    async fn append(&self, mut file: IncomingFile, data: Bytes) -> Result<IncomingFile, Status> {
        self.daemon(move |_| {
            file.append(&data)?;
            Ok(file)
        })
        .await
    }

    /// Checks a table that has come whole, and publishes it.
    pub(super) async fn finish(
        &self,
        request: v1::FinishTableRequest,
    ) -> Result<ProgressStream, Status> {
        // Each check takes all cores.
        let turn = self.checking.clone().acquire_owned().await;
        let turn = turn.map_err(|error| Status::internal(error.to_string()))?;
        let publication = PublicationId(request.publication);
        let (told, stream) = mpsc::channel(PROGRESS);
        let service = self.clone();
        tokio::spawn(async move {
            let heard = told.clone();
            let finish = move |daemon: &crate::daemon::Daemon| {
                let finished =
                    daemon.publishing().finish(publication, &mut |checked| tell(&heard, checked));
                drop(turn);
                Ok(finished?)
            };
            let last = service.daemon(finish).await.map(|Finished { written, removed }| {
                let finished = Some(v1::FinishedTable { written, removed });
                v1::FinishTableProgress { checked: 0, finished }
            });
            // Nobody listens if the publisher is gone; it finds the table published.
            let _ = told.send(last).await;
        });
        Ok(ReceiverStream::new(stream))
    }
}

/// Says how far a check is, unless the publisher is slow; it ends when nobody listens.
fn tell(
    told: &mpsc::Sender<Result<v1::FinishTableProgress, Status>>,
    checked: u64,
) -> ControlFlow<()> {
    match told.try_send(Ok(v1::FinishTableProgress { checked, finished: None })) {
        Err(mpsc::error::TrySendError::Closed(_)) => ControlFlow::Break(()),
        Ok(()) | Err(mpsc::error::TrySendError::Full(_)) => ControlFlow::Continue(()),
    }
}

impl Wanted {
    fn message(self) -> v1::WantedFile {
        v1::WantedFile { file: self.file, offset: self.offset }
    }
}

fn no_data() -> Status {
    Status::invalid_argument("a second header, or a message without content")
}

fn check_chunk(data: &Bytes, missing: u64) -> Result<(), Status> {
    if data.len() > CHUNK_BYTES || data.len() as u64 > missing {
        return Err(Status::resource_exhausted(
            "a chunk of more than 1 MiB, or more bytes than was said",
        ));
    }
    Ok(())
}
