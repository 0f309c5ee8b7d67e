//! An object that is written as its bytes come, in parts.

use std::sync::Arc;
use std::sync::mpsc as blocking;

use object_store::MultipartUpload;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::bucket::{Bucket, Object};
use super::error::StoreError;
use super::transfer::{PART, TOGETHER};
use crate::error::TableError;

/// What the task that uploads is told.
enum Message {
    Part(Vec<u8>),
    Finish,
}

/// An object on its way. Dropped before the [end](Self::finish), it is given up.
pub(crate) struct Upload {
    messages: mpsc::Sender<Message>,
    ended: blocking::Receiver<Result<(), StoreError>>,
    /// Bytes that do not fill a part yet.
    rest: Vec<u8>,
}

impl Upload {
    pub(super) fn start(
        bucket: &Arc<Bucket>,
        object: Object,
        upload: Box<dyn MultipartUpload>,
    ) -> Upload {
        let (messages, receiver) = mpsc::channel(1);
        let (sender, ended) = blocking::sync_channel(1);
        bucket.spawn(async move {
            // Whoever gave up does not wait for the answer.
            let _ = sender.send(send_parts(object, upload, receiver).await);
        });
        Upload { messages, ended, rest: Vec::new() }
    }

    /// The next bytes. An error is told at the end.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        while self.rest.len() as u64 >= PART {
            let later = self.rest.split_off(PART as usize);
            let part = std::mem::replace(&mut self.rest, later);
            if self.messages.blocking_send(Message::Part(part)).is_err() {
                return;
            }
        }
    }

    /// Writes the rest; then the object is there.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let Upload { messages, ended, rest } = self;
        for message in [Message::Part(rest), Message::Finish] {
            if messages.blocking_send(message).is_err() {
                break;
            }
        }
        let gone = |_| TableError::Bug("an upload did not end".to_owned());
        ended.recv().map_err(gone)?
    }
}

/// Sends parts, some at a time, until the end or until nobody is there to tell it.
async fn send_parts(
    object: Object,
    mut upload: Box<dyn MultipartUpload>,
    mut messages: mpsc::Receiver<Message>,
) -> Result<(), StoreError> {
    let mut sent = JoinSet::new();
    let ended = loop {
        match messages.recv().await {
            Some(Message::Part(part)) if part.is_empty() => {}
            Some(Message::Part(part)) => {
                sent.spawn(upload.put_part(part.into()));
            }
            Some(Message::Finish) => break all_sent(&mut sent, 0).await,
            None => break Ok(false),
        }
        match all_sent(&mut sent, TOGETHER - 1).await {
            Ok(true) => {}
            failed => break failed,
        }
    };
    match ended {
        Ok(true) => match upload.complete().await {
            Ok(_) => Ok(()),
            Err(error) => Err(object.failed("write it")(error)),
        },
        ended => {
            sent.shutdown().await;
            // The first error is the one to tell.
            let _ = upload.abort().await;
            ended.map(|_| ()).map_err(object.failed("write it"))
        }
    }
}

/// Waits until at most so many parts are on their way.
async fn all_sent(
    sent: &mut JoinSet<object_store::Result<()>>,
    most: usize,
) -> object_store::Result<bool> {
    while sent.len() > most {
        if let Some(done) = sent.join_next().await {
            done??;
        }
    }
    Ok(true)
}
