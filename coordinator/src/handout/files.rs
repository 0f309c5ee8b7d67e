//! Downloads: whole files and ranges of them, under an ETag that is their digest.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::SystemTime;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::response::Builder;
use axum::http::{Response, StatusCode};
use bytes::Bytes;
use futures_util::stream;
use http_range_header::{RangeUnsatisfiableError, parse_range_header};

use super::Handout;
use super::refusal::Refusal;

/// Bytes of a file that are held for one download at a time.
const PIECE: u64 = 64 << 10;

/// A file that can be downloaded.
pub(super) struct ServedFile {
    pub(super) bytes: u64,
    /// BLAKE3 of the file, in quotes.
    pub(super) tag: HeaderValue,
    pub(super) kind: &'static str,
    pub(super) contents: Contents,
}

pub(super) enum Contents {
    /// Small files: they are what they were when the table was opened.
    Memory(Bytes),
    /// An open file, and when it was last changed.
    Disk(Arc<File>, SystemTime),
}

impl Contents {
    /// Whether the file is still the one that was opened.
    fn is_unchanged(&self, bytes: u64) -> bool {
        match self {
            Contents::Memory(_) => true,
            Contents::Disk(file, modified) => file
                .metadata()
                .and_then(|found| Ok((found.len(), found.modified()?)))
                .is_ok_and(|found| found == (bytes, *modified)),
        }
    }

    fn body(&self, range: Range<u64>) -> Body {
        match self {
            Contents::Memory(bytes) => bytes.slice(range.start as usize..range.end as usize).into(),
            Contents::Disk(file, _) => {
                let pieces = stream::try_unfold((Arc::clone(file), range), next_piece);
                Body::from_stream(pieces)
            }
        }
    }
}

type Rest = (Arc<File>, Range<u64>);

async fn next_piece((file, range): Rest) -> io::Result<Option<(Bytes, Rest)>> {
    if range.is_empty() {
        return Ok(None);
    }
    let end = range.end.min(range.start + PIECE);
    let read = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; (end - range.start) as usize];
        file.read_exact_at(&mut piece, range.start)?;
        Ok((Bytes::from(piece), (file, end..range.end)))
    });
    read.await.map_err(io::Error::other).flatten().map(Some)
}

pub(super) async fn download(
    State(handout): State<Arc<Handout>>,
    Path((name, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let served = handout.table(&name)?;
    let file = served.files.get(&file).ok_or(Refusal::NoFile)?;
    if !file.contents.is_unchanged(file.bytes) {
        tracing::error!(table = name, "a data file has changed since the table was opened");
        return Err(Refusal::Changed);
    }
    Ok(file.answer(&headers))
}

/// What part of a file a request gets.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Range(Range<u64>),
    /// The file has no such part.
    Outside,
}

impl ServedFile {
    fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        if let Some(tags) = asked.get(header::IF_MATCH)
            && !self.is_among(tags)
        {
            return self.head(StatusCode::PRECONDITION_FAILED).empty();
        }
        if let Some(tags) = asked.get(header::IF_NONE_MATCH)
            && self.is_among(tags)
        {
            return self.head(StatusCode::NOT_MODIFIED).empty();
        }
        match self.part(asked) {
            Part::Whole => self.head(StatusCode::OK).with(self, 0..self.bytes),
            Part::Range(range) => {
                let place = format!("bytes {}-{}/{}", range.start, range.end - 1, self.bytes);
                let head = self.head(StatusCode::PARTIAL_CONTENT);
                head.header(header::CONTENT_RANGE, place).with(self, range)
            }
            Part::Outside => {
                let head = self.head(StatusCode::RANGE_NOT_SATISFIABLE);
                head.header(header::CONTENT_RANGE, format!("bytes */{}", self.bytes)).empty()
            }
        }
    }

    fn head(&self, status: StatusCode) -> Builder {
        Response::builder()
            .status(status)
            .header(header::ETAG, &self.tag)
            .header(header::ACCEPT_RANGES, "bytes")
    }

    /// Whether a list of tags has this file's, or is `*`.
    fn is_among(&self, tags: &HeaderValue) -> bool {
        let Ok(tags) = tags.to_str() else { return false };
        tags.split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || tag.as_bytes() == self.tag.as_bytes())
    }

    /// One range is given; of several, and of those that nobody can read, RFC 9110 lets a server
    /// give the whole file.
    fn part(&self, asked: &HeaderMap) -> Part {
        let Some(range) = asked.get(header::RANGE).and_then(|range| range.to_str().ok()) else {
            return Part::Whole;
        };
        let outdated = asked.get(header::IF_RANGE).is_some_and(|tag| *tag != self.tag);
        let Ok(parsed) = parse_range_header(range) else { return Part::Whole };
        if outdated || parsed.ranges.len() != 1 {
            return Part::Whole;
        }
        match parsed.validate(self.bytes).as_deref() {
            Ok([range]) => Part::Range(*range.start()..*range.end() + 1),
            Ok(_) => Part::Whole,
            // The last bytes of a file that has fewer are all of it, as RFC 9110 has it.
            Err(RangeUnsatisfiableError::FileSuffixOutOfBounds) => Part::Range(0..self.bytes),
            Err(_) => Part::Outside,
        }
    }
}

/// Ends an answer.
trait Ended {
    fn empty(self) -> Response<Body>;
    fn with(self, file: &ServedFile, range: Range<u64>) -> Response<Body>;
}

impl Ended for Builder {
    fn empty(self) -> Response<Body> {
        self.body(Body::empty()).expect("headers that are valid")
    }

    fn with(self, file: &ServedFile, range: Range<u64>) -> Response<Body> {
        let length: (HeaderName, u64) = (header::CONTENT_LENGTH, range.end - range.start);
        let head = self.header(length.0, length.1).header(header::CONTENT_TYPE, file.kind);
        head.body(file.contents.body(range)).expect("headers that are valid")
    }
}
