//! One data file: from servers, through the checks, into the folder.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::error::TableError;
use crate::frame::FrameSize;
use crate::hashing::{FileDigests, FileHasher, bad_frame};
use crate::layout::{FileSpan, Frames};
use crate::manifest::FileManifest;
use crate::part::PartFile;
use crate::remote::{Remote, RemoteError};
use crate::seek;
use crate::source::ReadAt;

use super::error::FetchError;
use super::pieces::{self, Arrival, Coming, Piece};
use super::servers::ServerId;
use super::{Progress, TableFetch};

type Report<'r> = &'r mut dyn FnMut(Progress<'_>) -> ControlFlow<()>;

/// Where bytes of a file came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// An earlier fetch, from who knows which server.
    Earlier,
    Server(ServerId),
}

/// A data file that is being fetched.
pub(super) struct FileFetch<'t, 'a> {
    table: &'t mut TableFetch<'a>,
    file: &'t FileManifest,
    frames: &'t Frames,
    span: FileSpan,
    part: PartFile,
    hasher: FileHasher,
    origins: BTreeSet<Origin>,
    /// The seek table that the bytes so far were checked by.
    sizes: Option<Vec<FrameSize>>,
    /// Of the table, before this file.
    identity: blake3::Hasher,
    done: u64,
}

/// Why a file does not come to its end.
enum Trouble {
    /// The server's doing.
    Server(RemoteError),
    /// This machine's, or the user's.
    Own(FetchError),
}

impl From<RemoteError> for Trouble {
    fn from(error: RemoteError) -> Trouble {
        Trouble::Server(error)
    }
}

impl From<TableError> for Trouble {
    fn from(error: TableError) -> Trouble {
        Trouble::Own(error.into())
    }
}

impl<'t, 'a> FileFetch<'t, 'a> {
    pub(super) fn new(
        table: &'t mut TableFetch<'a>,
        file: &'t FileManifest,
        frames: &'t Frames,
        span: FileSpan,
    ) -> Result<Self, FetchError> {
        let part = PartFile::open(table.dir, &file.name)?;
        let (identity, done) = (table.identity.position(), table.done);
        let (hasher, origins) = (FileHasher::default(), BTreeSet::new());
        Ok(FileFetch {
            table,
            file,
            frames,
            span,
            part,
            hasher,
            origins,
            sizes: None,
            identity,
            done,
        })
    }

    /// Fetches the file, from one server after the other if need be.
    pub(super) fn run(mut self, report: Report<'_>) -> Result<(), FetchError> {
        loop {
            let (id, remote) = match self.table.servers.current(&self.file.name) {
                Ok(current) => current,
                Err(error) => {
                    // What is left of a file that was refused as a whole has no frames.
                    if self.part.checked() == 0 {
                        self.part.discard();
                    }
                    return Err(error);
                }
            };
            match self.take_from(id, &remote, report) {
                Ok(()) if self.is_right() => return Ok(self.part.finish()?),
                Ok(()) => {
                    let is_its_doing = self.origins.iter().eq([&Origin::Server(id)]);
                    self.restart()?;
                    // Bytes of several servers: which of them lied is not known, so this one
                    // gives them all.
                    if is_its_doing {
                        let what = "the digest of the whole file is not that of the manifest";
                        let url = remote.path(&self.file.name).display().to_string();
                        self.table.servers.fail(RemoteError::Lies { url, what: what.to_owned() });
                    }
                }
                Err(Trouble::Server(error)) => self.table.servers.fail(error),
                Err(Trouble::Own(error)) => return Err(error),
            }
        }
    }

    /// Whether the whole file is what the manifest says.
    fn is_right(&self) -> bool {
        let FileManifest { bytes, blake3, sha256, .. } = self.file;
        let expected =
            FileDigests { bytes: *bytes, blake3: blake3.clone(), sha256: sha256.clone() };
        self.hasher.clone().finish() == expected
    }

    fn restart(&mut self) -> Result<(), TableError> {
        self.part.restart()?;
        self.hasher = FileHasher::default();
        self.origins.clear();
        self.table.identity.rewind(self.identity.clone());
        self.table.done = self.done;
        Ok(())
    }

    /// Fetches what is missing from one server.
    fn take_from(
        &mut self,
        id: ServerId,
        remote: &Remote,
        report: Report<'_>,
    ) -> Result<(), Trouble> {
        let tail = self.tail(remote)?;
        let sizes = self.seek_table(remote, tail.clone())?;
        // Bytes that were checked by another seek table are in doubt.
        if self.sizes.as_ref().is_some_and(|before| *before != sizes) {
            self.restart()?;
        }
        let pieces = pieces::cut(&sizes);
        self.sizes = Some(sizes);
        if self.part.checked() == 0 {
            self.resume(&pieces, remote, report)?;
        }
        self.stream(id, remote, &pieces, report)?;
        self.hasher.update(&tail);
        self.part.append(&tail)?;
        self.origins.insert(Origin::Server(id));
        self.advance(tail.len() as u64, remote, report)
    }

    /// The bytes of the seek table.
    fn tail(&self, remote: &Remote) -> Result<Vec<u8>, Trouble> {
        let (name, length) = (self.file.name.clone(), self.file.bytes);
        let tail = seek::encoded_len(self.span.frames);
        let Some(start) = length.checked_sub(tail) else {
            let path = remote.path(&name);
            let what = format!("it is listed with {length} bytes, too few for its frames");
            return Err(RemoteError::Table(TableError::corrupt(&path, "length", what)).into());
        };
        let remote = remote.clone();
        let asked = async move { remote.part(&name, start..length, length).await };
        Ok(self.table.threads.run(asked)?)
    }

    fn seek_table(&self, remote: &Remote, bytes: Vec<u8>) -> Result<Vec<FrameSize>, Trouble> {
        let numbers = self.span.first_frame..self.span.first_frame + self.span.frames;
        let raw: Vec<u32> = numbers.map(|frame| self.frames.raw_len(frame)).collect();
        let tail = Tail { length: self.file.bytes, bytes };
        let sizes = seek::read(&tail, &remote.path(&self.file.name), &raw);
        Ok(sizes.map_err(RemoteError::Table)?)
    }

    /// Checks what an earlier fetch left, as far as it is good.
    fn resume(
        &mut self,
        pieces: &[Piece],
        remote: &Remote,
        report: Report<'_>,
    ) -> Result<(), Trouble> {
        let left = self.part.len()?;
        for piece in pieces.iter().take_while(|piece| piece.bytes.end <= left) {
            let mut bytes = vec![0; (piece.bytes.end - piece.bytes.start) as usize];
            self.part.read(&mut bytes)?;
            if self.check(piece, &bytes, Path::new("")).is_err() {
                break;
            }
            self.part.accept(bytes.len() as u64);
            self.origins.insert(Origin::Earlier);
            self.table.resumed += bytes.len() as u64;
            self.advance(bytes.len() as u64, remote, report)?;
        }
        Ok(())
    }

    /// Fetches and checks the pieces that are missing.
    fn stream(
        &mut self,
        id: ServerId,
        remote: &Remote,
        pieces: &[Piece],
        report: Report<'_>,
    ) -> Result<(), Trouble> {
        let missing = pieces.partition_point(|piece| piece.bytes.end <= self.part.checked());
        let missing = &pieces[missing..];
        let parts = missing.iter().map(|piece| piece.bytes.clone()).filter(|part| !part.is_empty());
        let file = (self.file.name.as_str(), self.file.bytes);
        let (threads, connections) = (self.table.threads.clone(), self.table.connections);
        let mut coming = Coming::start(&threads, remote, file, parts.collect(), connections);
        for piece in missing {
            let bytes = loop {
                if piece.bytes.is_empty() {
                    break Vec::new();
                }
                match coming.next(&threads) {
                    Arrival::Piece(bytes) => break bytes,
                    Arrival::Failed(error) => return Err(error.into()),
                    Arrival::Waiting => self.advance(0, remote, report)?,
                }
            };
            self.check(piece, &bytes, &remote.path(&self.file.name)).map_err(RemoteError::Table)?;
            self.part.append(&bytes)?;
            self.origins.insert(Origin::Server(id));
            self.advance(bytes.len() as u64, remote, report)?;
        }
        Ok(())
    }

    /// Every frame must decode to as many bytes as it must have. Only then do the digests go on.
    fn check(&mut self, piece: &Piece, bytes: &[u8], path: &Path) -> Result<(), TableError> {
        let sizes = self.sizes.as_deref().unwrap_or_default();
        let inside = &sizes[piece.frames.clone()];
        let mut hasher = self.hasher.clone();
        let (decoded, ()) = self.table.identity.update(bytes, inside, || hasher.update(bytes));
        decoded.map_err(|bad| {
            let number = piece.frames.start + bad.frame;
            let frame = self.span.first_frame + number as u64;
            let entries = self.frames.first_entry(frame)..self.frames.first_entry(frame + 1);
            bad_frame(path, sizes, number, entries, &bad.what)
        })?;
        self.hasher = hasher;
        Ok(())
    }

    fn advance(&mut self, bytes: u64, remote: &Remote, report: Report<'_>) -> Result<(), Trouble> {
        self.table.done += bytes;
        let (done, total) = (self.table.done, self.table.total);
        match report(Progress { done, total, server: &remote.url() }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(TableError::Stopped.into()),
        }
    }
}

/// The end of a file of which nothing else is known.
struct Tail {
    length: u64,
    bytes: Vec<u8>,
}

impl ReadAt for Tail {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let start = self.length - self.bytes.len() as u64;
        let inside = offset.checked_sub(start).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.bytes.read_exact_at(inside, buf)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.length)
    }
}
