//! The pieces of a file, in order, fetched some at a time.

use std::ops::Range;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::frame::FrameSize;
use crate::hashing::TOGETHER;
use crate::objects::Threads;
use crate::remote::{Remote, RemoteError};

/// Stored bytes of a piece, about; one frame is a piece even if it is larger.
const PIECE: u64 = 1 << 20;
/// How often whoever waits for a piece looks up.
const LOOK_UP: Duration = Duration::from_millis(200);

/// A run of frames that are fetched and checked together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Their numbers in the file.
    pub(super) frames: Range<usize>,
    /// Where they are in the file.
    pub(super) bytes: Range<u64>,
}

/// Cuts a file into pieces: bounded as it is stored, and, so that little that decodes to much
/// does no harm, bounded in raw bytes, too.
pub(super) fn cut(sizes: &[FrameSize]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut piece = Piece { frames: 0..0, bytes: 0..0 };
    for size in sizes {
        let stored = u64::from(size.compressed);
        let is_full = piece.bytes.end - piece.bytes.start + stored > PIECE;
        if !piece.frames.is_empty() && (is_full || piece.frames.len() == TOGETHER) {
            let (frame, byte) = (piece.frames.end, piece.bytes.end);
            pieces.push(std::mem::replace(
                &mut piece,
                Piece { frames: frame..frame, bytes: byte..byte },
            ));
        }
        piece.frames.end += 1;
        piece.bytes.end += stored;
    }
    if !piece.frames.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Pieces on their way; dropped, they are not fetched any more.
pub(super) struct Coming {
    pieces: mpsc::Receiver<Result<Vec<u8>, RemoteError>>,
    task: Option<JoinHandle<()>>,
}

impl Drop for Coming {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// What whoever waits for a piece gets.
pub(super) enum Arrival {
    Piece(Vec<u8>),
    Failed(RemoteError),
    /// Nothing yet.
    Waiting,
}

impl Coming {
    /// Starts fetching parts of a file of `length` bytes, over so many connections. They come in
    /// order; no more are held than there are connections, and one.
    pub(super) fn start(
        threads: &Threads,
        remote: &Remote,
        (name, length): (&str, u64),
        parts: Vec<Range<u64>>,
        connections: usize,
    ) -> Coming {
        let (sender, pieces) = mpsc::channel(1);
        let (remote, name) = (remote.clone(), name.to_owned());
        let task = threads.spawn(async move {
            let fetched = parts.into_iter().map(|part| {
                let (remote, name) = (remote.clone(), name.clone());
                async move { remote.part(&name, part, length).await }
            });
            let mut fetched = std::pin::pin!(stream::iter(fetched).buffered(connections));
            while let Some(piece) = fetched.next().await {
                // Whoever waited may have given up.
                if sender.send(piece).await.is_err() {
                    break;
                }
            }
        });
        Coming { pieces, task }
    }

    /// The next piece, if it comes soon.
    pub(super) fn next(&mut self, threads: &Threads) -> Arrival {
        // The timer must be made where the runtime's clock is.
        let next = async { tokio::time::timeout(LOOK_UP, self.pieces.recv()).await };
        match threads.wait(next) {
            Some(Ok(Some(Ok(piece)))) => Arrival::Piece(piece),
            Some(Ok(Some(Err(error)))) => Arrival::Failed(error),
            // Whoever asks for more pieces than there are waits for ever.
            _ => Arrival::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_whole_frames_and_bounded(
            stored in prop::collection::vec(0u32..300_000, 0..400),
        ) {
            let size = |&compressed: &u32| FrameSize { compressed, raw: 1 << 18 };
            let sizes: Vec<FrameSize> = stored.iter().map(size).collect();
            let (mut frame, mut byte) = (0, 0);
            for piece in cut(&sizes) {
                prop_assert_eq!((piece.frames.start, piece.bytes.start), (frame, byte));
                let inside = &sizes[piece.frames.clone()];
                let bytes: u64 = inside.iter().map(|size| u64::from(size.compressed)).sum();
                prop_assert_eq!(piece.bytes.end - piece.bytes.start, bytes);
                prop_assert!(inside.len() == 1 || bytes <= PIECE);
                prop_assert!((1..=TOGETHER).contains(&inside.len()));
                (frame, byte) = (piece.frames.end, piece.bytes.end);
            }
            prop_assert_eq!(frame, sizes.len());
        }
    }
}
