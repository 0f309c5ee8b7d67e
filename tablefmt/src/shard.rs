//! Shards: the result of one unit as a file of its own.
//!
//! A shard is a sequence of zstd frames, so `zstd -d` reads it: a skippable frame with a JSON
//! [`ShardHeader`], for each column the frames of the unit's values, and a seek table over all
//! of these (the header counts as a frame of no raw bytes).

mod ids;

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::TableError;
use crate::frame::{self, FrameSize};
use crate::layout::{Column, FRAME_RAW, SectionId, TableLayout, UnitRange, frame_sizes};
use crate::seek;
use crate::source::ReadAt;

pub use ids::{JobDigest, UnitId};

const FORMAT: &str = "retrotab-shard";
const VERSION: u32 = 1;
const HEADER_MAGIC: u32 = 0x184D_2A50;
/// No header is larger; a file that claims otherwise is corrupt.
const MAX_HEADER: u32 = 1 << 16;

/// What a shard says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHeader {
    format: String,
    version: u32,
    /// The job it belongs to.
    pub job: JobDigest,
    /// The unit it is the result of.
    pub unit: UnitId,
    /// The section of the unit.
    pub section: u32,
    /// First entry, counted from the start of the section.
    pub first: u64,
    /// Number of entries.
    pub entries: u64,
    /// BLAKE3 of the raw values of each column, in hexadecimal.
    pub columns: Vec<String>,
}

impl ShardHeader {
    /// The entries that it holds.
    pub fn range(&self) -> UnitRange {
        let section = SectionId(self.section);
        UnitRange { section, first: self.first, entries: self.entries }
    }
}

/// Builds the shard of a unit from its raw values, one slice for each column of the layout.
/// Frames are compressed on the threads of the rayon pool this is called in; the bytes do not
/// depend on them.
///
/// # Errors
/// [`TableError::Bug`] when the range is no unit's or the slices do not fit it.
pub fn encode_shard(
    job: JobDigest,
    unit: UnitId,
    range: UnitRange,
    layout: &TableLayout,
    columns: &[&[u8]],
) -> Result<Vec<u8>, TableError> {
    check_values(unit, range, layout, columns)?;
    let digest = |raw: &&[u8]| blake3::Hasher::new().update_rayon(raw).finalize().to_string();
    let header = ShardHeader {
        format: FORMAT.to_owned(),
        version: VERSION,
        job,
        unit,
        section: range.section.0,
        first: range.first,
        entries: range.entries,
        columns: columns.iter().map(digest).collect(),
    };
    let header = serde_json::to_vec(&header).map_err(|e| TableError::Bug(e.to_string()))?;
    let raw: Vec<&[u8]> = columns.iter().flat_map(|raw| raw.chunks(FRAME_RAW as usize)).collect();
    let compress = |raw: &&[u8]| frame::compress(raw);
    let frames: Vec<Vec<u8>> = raw
        .par_iter()
        .map(compress)
        .collect::<Result<_, _>>()
        .map_err(|e| TableError::Bug(format!("compressing unit {unit}: {e}")))?;

    let mut sizes = vec![FrameSize { compressed: header.len() as u32 + 8, raw: 0 }];
    sizes.extend(
        frames.iter().zip(&raw).map(|(frame, raw)| FrameSize {
            compressed: frame.len() as u32,
            raw: raw.len() as u32,
        }),
    );
    let seek_table = seek::encode(&sizes)?;
    let body: usize = frames.iter().map(Vec::len).sum();
    let mut shard = Vec::with_capacity(8 + header.len() + body + seek_table.len());
    shard.extend(HEADER_MAGIC.to_le_bytes());
    shard.extend((header.len() as u32).to_le_bytes());
    shard.extend(header);
    // Each frame is freed once it is copied, so the shard is not in memory twice.
    frames.into_iter().for_each(|frame| shard.extend_from_slice(&frame));
    shard.extend(seek_table);
    Ok(shard)
}

/// No sound shard of this range has more bytes; whatever claims more is refused before room is
/// made for it.
pub fn longest_shard(layout: &TableLayout, range: UnitRange) -> u64 {
    let frames = |column: &Column| frame_sizes(column.entry, range.entries).count() as u64;
    let frames: u64 = layout.columns.iter().map(frames).sum();
    let header = 8 + u64::from(MAX_HEADER);
    header + frames * u64::from(frame::MAX_COMPRESSED) + seek::encoded_len(frames + 1)
}

fn check_values(
    unit: UnitId,
    range: UnitRange,
    layout: &TableLayout,
    columns: &[&[u8]],
) -> Result<(), TableError> {
    let bug = |what: String| Err(TableError::Bug(format!("unit {unit}: {what}")));
    if !layout.is_unit(&range) {
        return bug(format!("{range:?} is not a run of whole frames of a section"));
    }
    if columns.len() != layout.columns.len() {
        return bug(format!("{} columns instead of {}", columns.len(), layout.columns.len()));
    }
    for (column, raw) in layout.columns.iter().zip(columns) {
        let expected = range.entries * column.entry.bytes();
        if raw.len() as u64 != expected {
            let (name, len) = (&column.name, raw.len());
            return bug(format!("column {name} has {len} raw bytes instead of {expected}"));
        }
    }
    Ok(())
}

/// A shard whose header and lengths have been checked; its values have not been decoded yet.
pub struct Shard {
    source: Box<dyn ReadAt>,
    path: PathBuf,
    header: ShardHeader,
    /// By column: where its first frame starts, and the frames.
    columns: Vec<(u64, Vec<FrameSize>)>,
}

/// Bytes of a frame to be decoded.
struct FramePart<'a> {
    column: usize,
    frame: usize,
    offset: u64,
    size: FrameSize,
    /// Raw bytes of the frame before those wanted.
    skip: usize,
    out: &'a mut [u8],
}

impl std::fmt::Debug for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shard({}, {:?})", self.path.display(), self.header)
    }
}

impl Shard {
    /// Opens a shard of a table with this layout. `path` only names it in errors.
    ///
    /// # Errors
    /// [`TableError::Corrupt`] if header, columns or seek table are not those of a unit of this
    /// layout; [`TableError::UnsupportedVersion`]; [`TableError::Io`].
    pub fn open(
        source: Box<dyn ReadAt>,
        path: &Path,
        layout: &TableLayout,
    ) -> Result<Self, TableError> {
        let (header, header_len) = read_header(source.as_ref(), path)?;
        let corrupt = |what: &str| TableError::corrupt(path, "header", what);
        if !layout.is_unit(&header.range()) {
            return Err(corrupt("its entries are none of the table's"));
        }
        if header.columns.len() != layout.columns.len() {
            return Err(corrupt("it has other columns than the table"));
        }
        let by_column: Vec<Vec<u32>> = layout
            .columns
            .iter()
            .map(|column| frame_sizes(column.entry, header.entries).collect())
            .collect();
        let raw: Vec<u32> = std::iter::once(0).chain(by_column.concat()).collect();
        let sizes = seek::read(source.as_ref(), path, &raw)?;
        if u64::from(sizes[0].compressed) != header_len {
            return Err(TableError::corrupt(path, "seek table", "its header has another length"));
        }
        let mut rest = &sizes[1..];
        let mut start = header_len;
        let mut columns = Vec::new();
        for raw in &by_column {
            let (frames, after) = rest.split_at(raw.len());
            columns.push((start, frames.to_vec()));
            start += frames.iter().map(|f| u64::from(f.compressed)).sum::<u64>();
            rest = after;
        }
        Ok(Shard { source, path: path.to_owned(), header, columns })
    }

    /// What it says of itself.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }

    /// Whether it has the frames that a shard of its range must have in this layout.
    pub(crate) fn is_of(&self, layout: &TableLayout) -> bool {
        layout.is_unit(&self.header.range())
            && self.columns.len() == layout.columns.len()
            && self.columns.iter().zip(&layout.columns).all(|((_, frames), column)| {
                frame_sizes(column.entry, self.header.entries).eq(frames.iter().map(|f| f.raw))
            })
    }

    /// The name it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The frames of a column.
    pub fn frames(&self, column: usize) -> &[FrameSize] {
        &self.columns[column].1
    }

    /// Replaces `bytes` by the compressed bytes of some frames of a column, read on the threads
    /// of the rayon pool this is called in.
    ///
    /// # Errors
    /// [`TableError::Io`]; [`TableError::Corrupt`] if the file ends before. The frames are not
    /// decoded, so not checked.
    pub fn read_frames(
        &self,
        column: usize,
        frames: Range<usize>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), TableError> {
        let from = self.frame_offset(column, frames.start);
        bytes.resize((self.frame_offset(column, frames.end) - from) as usize, 0);
        let piece = |(i, piece): (usize, &mut [u8])| {
            self.source.read_exact_at(from + (i * READ_TOGETHER) as u64, piece)
        };
        let read = bytes.par_chunks_mut(READ_TOGETHER).enumerate().try_for_each(piece);
        read.map_err(TableError::io(&self.path, "read it"))
    }

    /// Fills `out` with raw bytes of a column, from byte `from` of the unit's on. Decodes only
    /// the frames that hold them, on the threads of the rayon pool this is called in; each
    /// thread takes room for one frame at the most.
    ///
    /// # Errors
    /// [`TableError::Corrupt`] if a frame does not decode; [`TableError::Io`].
    ///
    /// # Panics
    /// When the column does not have so many bytes.
    pub fn read_raw(&self, column: usize, from: u64, out: &mut [u8]) -> Result<(), TableError> {
        let sizes = self.frames(column);
        let first = ((from / FRAME_RAW) as usize).min(sizes.len());
        let mut skip = (from - first as u64 * FRAME_RAW) as usize;
        let mut offset = self.frame_offset(column, first);
        let mut rest = out;
        let mut parts = Vec::new();
        for (frame, &size) in sizes.iter().enumerate().skip(first) {
            let len = (size.raw as usize - skip).min(rest.len());
            let (out, after) = rest.split_at_mut(len);
            if !out.is_empty() {
                parts.push(FramePart { column, frame, offset, size, skip, out });
            }
            offset += u64::from(size.compressed);
            (rest, skip) = (after, 0);
        }
        assert!(rest.is_empty(), "bytes past the end of column {column} of {self:?}");
        parts.into_par_iter().try_for_each_init(Vec::new, |room, part| self.read_part(part, room))
    }

    /// Fills `out` with the shard's bytes as they are stored, from byte `from` on. They are not
    /// checked.
    ///
    /// # Errors
    /// [`TableError::Io`] if the system refuses, or there are not so many bytes.
    pub fn read_stored(&self, from: u64, out: &mut [u8]) -> Result<(), TableError> {
        self.source.read_exact_at(from, out).map_err(TableError::io(&self.path, "read it"))
    }

    fn read_part(&self, part: FramePart<'_>, room: &mut Vec<u8>) -> Result<(), TableError> {
        let FramePart { column, frame, offset, size, skip, out } = part;
        room.resize(size.compressed as usize, 0);
        let read = self.source.read_exact_at(offset, room);
        read.map_err(TableError::io(&self.path, "read it"))?;
        let bad = |what: String| self.bad_frame(column, frame, &what);
        if out.len() == size.raw as usize {
            return frame::decompress(room, out).map_err(bad);
        }
        let mut raw = vec![0; size.raw as usize];
        frame::decompress(room, &mut raw).map_err(bad)?;
        out.copy_from_slice(&raw[skip..skip + out.len()]);
        Ok(())
    }

    /// Where a frame of a column starts in the shard.
    fn frame_offset(&self, column: usize, frame: usize) -> u64 {
        let (start, sizes) = &self.columns[column];
        start + sizes[..frame].iter().map(|f| u64::from(f.compressed)).sum::<u64>()
    }

    /// Says where a frame that does not decode is.
    pub(crate) fn bad_frame(&self, column: usize, frame: usize, what: &str) -> TableError {
        let offset = self.frame_offset(column, frame);
        let at = format!("column {column}, frame {frame} at byte {offset}");
        TableError::corrupt(&self.path, at, what)
    }

    /// Decodes everything and compares with the digests of the header.
    ///
    /// # Errors
    /// [`TableError::Corrupt`] if a frame does not decode, or a column has another digest than the
    /// header says; [`TableError::Io`].
    pub fn check(&self) -> Result<(), TableError> {
        for (column, digest) in self.header.columns.iter().enumerate() {
            let mut hasher = blake3::Hasher::new();
            let len: u64 = self.frames(column).iter().map(|f| u64::from(f.raw)).sum();
            let mut raw = Vec::new();
            let mut from = 0;
            while from < len {
                raw.resize(CHECKED_TOGETHER.min(len - from) as usize, 0);
                self.read_raw(column, from, &mut raw)?;
                hasher.update_rayon(&raw);
                from += raw.len() as u64;
            }
            if hasher.finalize().to_string() != *digest {
                let what = "the values are not those it was made of";
                return Err(TableError::corrupt(&self.path, format!("column {column}"), what));
            }
        }
        Ok(())
    }
}

/// Bytes that one thread reads at a time.
const READ_TOGETHER: usize = 1 << 20;

/// Raw bytes that are decoded at a time: whole frames for every thread, and few enough that
/// they are still in the processor's cache when they are hashed.
const CHECKED_TOGETHER: u64 = 16 * FRAME_RAW;

/// What every version of the header has.
#[derive(Deserialize)]
struct Kind {
    format: String,
    version: u32,
}

fn read_header(source: &dyn ReadAt, path: &Path) -> Result<(ShardHeader, u64), TableError> {
    let corrupt = |what: String| TableError::corrupt(path, "header", what);
    let mut start = [0; 8];
    source.read_exact_at(0, &mut start).map_err(TableError::io(path, "read it"))?;
    let [a, b, c, d, length @ ..] = start;
    let length = u32::from_le_bytes(length);
    if u32::from_le_bytes([a, b, c, d]) != HEADER_MAGIC || length > MAX_HEADER {
        return Err(corrupt("it is not a shard".to_owned()));
    }
    let mut json = vec![0; length as usize];
    source.read_exact_at(8, &mut json).map_err(TableError::io(path, "read it"))?;
    let bad_json = |e: serde_json::Error| corrupt(e.to_string());
    // Another version may have other keys, so the version comes first.
    let kind: Kind = serde_json::from_slice(&json).map_err(bad_json)?;
    if kind.format != FORMAT {
        return Err(corrupt(format!("its format is `{}`", kind.format)));
    }
    if kind.version != VERSION {
        return Err(TableError::UnsupportedVersion {
            path: path.to_owned(),
            found: kind.version.to_string(),
            supported: VERSION.to_string(),
        });
    }
    let header: ShardHeader = serde_json::from_slice(&json).map_err(bad_json)?;
    Ok((header, 8 + u64::from(length)))
}
