//! Reading values of a finished table.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rayon::prelude::*;

use crate::error::{InputError, TableError};
use crate::frame::{self, FrameSize};
use crate::hashing::bad_frame;
use crate::layout::{EntryType, FRAME_RAW, FileSpan, Frames, Place, TableLayout};
use crate::manifest::{FileManifest, Manifest};
use crate::seek;
use crate::source::{self, Access, ReadAt};

/// How a table is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// How its files are read.
    pub access: Access,
    /// Bytes of decoded frames that are kept.
    pub cache_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { access: Access::Read, cache_bytes: 64 << 20 }
    }
}

/// A finished table, open for reading from any number of threads.
pub struct Table {
    manifest: Manifest,
    columns: Vec<ColumnReader>,
    cache: Cache<(u32, u64), Arc<[u8]>, FrameBytes>,
}

#[derive(Clone)]
struct FrameBytes;

impl Weighter<(u32, u64), Arc<[u8]>> for FrameBytes {
    fn weight(&self, _: &(u32, u64), frame: &Arc<[u8]>) -> u64 {
        frame.len() as u64
    }
}

struct ColumnReader {
    entry: EntryType,
    frames: Frames,
    files: Vec<ColumnFile>,
    /// Opens the files that are not open yet.
    later: Option<Arc<Opener>>,
}

/// Finds a data file, and says what to call it in errors.
type Opener = dyn Fn(&FileManifest) -> Result<(Box<dyn ReadAt>, PathBuf), TableError> + Send + Sync;

struct ColumnFile {
    listed: FileManifest,
    span: FileSpan,
    open: OnceLock<DataFile>,
}

/// A data file whose length and seek table have been checked.
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    pub(crate) span: FileSpan,
    pub(crate) source: Box<dyn ReadAt>,
    pub(crate) frames: Vec<FrameSize>,
    /// Where each frame starts.
    offsets: Vec<u64>,
}

impl DataFile {
    pub(crate) fn open(
        source: Box<dyn ReadAt>,
        path: PathBuf,
        file: &FileManifest,
        frames: &Frames,
        span: FileSpan,
    ) -> Result<Self, TableError> {
        let len = source.len().map_err(TableError::io(&path, "find its length"))?;
        if len != file.bytes {
            let what = format!("it has {len} bytes, but the manifest says {}", file.bytes);
            return Err(TableError::corrupt(&path, "length", what));
        }
        Self::open_unlisted(source, path, frames, span)
    }

    /// Opens a data file that no manifest lists yet.
    pub(crate) fn open_unlisted(
        source: Box<dyn ReadAt>,
        path: PathBuf,
        frames: &Frames,
        span: FileSpan,
    ) -> Result<Self, TableError> {
        let numbers = span.first_frame..span.first_frame + span.frames;
        let raw: Vec<u32> = numbers.map(|frame| frames.raw_len(frame)).collect();
        let frames = seek::read(source.as_ref(), &path, &raw).inspect_err(|_| {
            let len = source.len().unwrap_or_default();
            source.forget(len.saturating_sub(seek::encoded_len(raw.len() as u64))..len);
        })?;
        let mut next = 0;
        let offsets = frames.iter().map(|frame| {
            let offset = next;
            next += u64::from(frame.compressed);
            offset
        });
        let offsets = offsets.collect();
        Ok(DataFile { path, span, source, frames, offsets })
    }
}

impl Table {
    /// Opens a table in a folder: reads and checks the manifest, and of each data file the
    /// length and the seek table.
    ///
    /// # Errors
    /// As [`Manifest::read`]; [`TableError::MissingFile`] without one of the data files; otherwise
    /// as [`from_files`](Self::from_files).
    pub fn open(dir: &Path, options: ReadOptions) -> Result<Self, TableError> {
        let (manifest, layout) = Manifest::read(dir)?;
        Self::from_files(manifest, &layout, options.cache_bytes, |file| {
            let path = file.path(dir);
            Ok((source::open(&path, options.access)?, path))
        })
    }

    /// Opens a table whose files are somewhere else: `open` finds a data file, and says what to
    /// call it in errors. The manifest must come from [`Manifest::parse`] or a writer, together
    /// with the layout.
    ///
    /// # Errors
    /// What `open` says; [`TableError::Corrupt`] if the length or the seek table of a file is not
    /// what it must be; [`TableError::Io`].
    pub fn from_files(
        manifest: Manifest,
        layout: &TableLayout,
        cache_bytes: u64,
        open: impl Fn(&FileManifest) -> Result<(Box<dyn ReadAt>, PathBuf), TableError>,
    ) -> Result<Self, TableError> {
        let table = Self::unopened(manifest, layout, cache_bytes, None);
        for column in &table.columns {
            for file in &column.files {
                let (source, path) = open(&file.listed)?;
                let data = DataFile::open(source, path, &file.listed, &column.frames, file.span)?;
                // Nobody else has it yet.
                let _ = file.open.set(data);
            }
        }
        Ok(table)
    }

    /// Like [`from_files`](Self::from_files), but each data file is opened when a value in it is
    /// first asked for, and what is wrong with it turns out then.
    pub fn from_files_when_needed(
        manifest: Manifest,
        layout: &TableLayout,
        cache_bytes: u64,
        open: impl Fn(&FileManifest) -> Result<(Box<dyn ReadAt>, PathBuf), TableError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::unopened(manifest, layout, cache_bytes, Some(Arc::new(open)))
    }

    fn unopened(
        manifest: Manifest,
        layout: &TableLayout,
        cache_bytes: u64,
        later: Option<Arc<Opener>>,
    ) -> Self {
        let columns =
            manifest.columns.iter().zip(&layout.columns).map(|(found, column)| {
                let frames = Frames::new(layout, column.entry);
                let files = found.files.iter().zip(frames.files()).map(|(listed, span)| {
                    ColumnFile { listed: listed.clone(), span, open: OnceLock::new() }
                });
                let files = files.collect();
                ColumnReader { entry: column.entry, frames, files, later: later.clone() }
            });
        let columns = columns.collect();
        let kept = (cache_bytes / FRAME_RAW).max(1);
        let cache = Cache::with_weighter(kept as usize, kept * FRAME_RAW, FrameBytes);
        Table { manifest, columns, cache }
    }

    /// What is known of the table.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Bytes in which a frame of a column is stored.
    pub(crate) fn stored_len(&self, column: usize, frame: u64) -> Result<u32, TableError> {
        let (file, inside) = self.columns[column].find(frame)?;
        Ok(file.frames[inside].compressed)
    }

    /// The value of an entry in a column (numbered from 0).
    ///
    /// # Errors
    /// [`InputError::NoEntry`]; [`TableError::Corrupt`] if the frame does not decode;
    /// [`TableError::Io`]; and for files that are opened when needed as
    /// [`from_files`](Self::from_files).
    ///
    /// # Panics
    /// When there is no such column.
    pub fn value(&self, column: usize, entry: u64) -> Result<u32, TableError> {
        let found = &self.columns[column];
        let Some(Place { frame, value }) = found.frames.place(entry) else {
            let entries = self.manifest.entries;
            return Err(InputError::NoEntry { entry, entries }.into());
        };
        let key = (column as u32, frame);
        let raw = self.cache.get_or_insert_with(&key, || found.decode(frame))?;
        Ok(found.entry.value(&raw, value))
    }

    /// The values of a run of entries in a column (numbered from 0), each frame decoded once, on
    /// the threads of the rayon pool this is called in. Nothing is kept in the cache.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    ///
    /// # Panics
    /// When there is no such column.
    pub fn values(&self, column: usize, entries: Range<u64>) -> Result<Vec<u32>, TableError> {
        let found = &self.columns[column];
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let frame_of = |entry| match found.frames.place(entry) {
            Some(place) => Ok(place.frame),
            None => Err(InputError::NoEntry { entry, entries: self.manifest.entries }),
        };
        let frames = frame_of(entries.start)?..frame_of(entries.end - 1)? + 1;
        let decode = |frame| {
            let raw = found.decode(frame)?;
            let first = found.frames.first_entry(frame);
            let from = entries.start.max(first) - first;
            let to = entries.end.min(found.frames.first_entry(frame + 1)) - first;
            Ok((from..to).map(|value| found.entry.value(&raw, value)).collect())
        };
        let parts: Vec<Vec<u32>> =
            frames.into_par_iter().map(decode).collect::<Result<_, TableError>>()?;
        Ok(parts.concat())
    }
}

impl EntryType {
    /// A value of a frame.
    fn value(self, raw: &[u8], value: u64) -> u32 {
        let at = (value * self.bytes()) as usize;
        match self {
            EntryType::U8 => u32::from(raw[at]),
            EntryType::U16 => u32::from(u16::from_le_bytes([raw[at], raw[at + 1]])),
            EntryType::U32 => u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]),
        }
    }
}

impl ColumnReader {
    fn file(&self, number: usize) -> Result<&DataFile, TableError> {
        let file = &self.files[number];
        if let Some(data) = file.open.get() {
            return Ok(data);
        }
        let open = self.later.as_ref();
        let open = open.ok_or_else(|| TableError::Bug("a data file is not open".to_owned()))?;
        let (source, path) = open(&file.listed)?;
        let data = DataFile::open(source, path, &file.listed, &self.frames, file.span)?;
        // Whoever was faster has opened the same file.
        Ok(file.open.get_or_init(|| data))
    }

    /// The data file that holds a frame, and the frame's number in it.
    fn find(&self, frame: u64) -> Result<(&DataFile, usize), TableError> {
        let number = self.files.partition_point(|f| f.span.first_frame <= frame) - 1;
        let file = self.file(number)?;
        Ok((file, (frame - file.span.first_frame) as usize))
    }

    fn decode(&self, frame: u64) -> Result<Arc<[u8]>, TableError> {
        let (file, inside) = self.find(frame)?;
        let size = file.frames[inside];
        let mut compressed = vec![0; size.compressed as usize];
        let read = file.source.read_exact_at(file.offsets[inside], &mut compressed);
        read.map_err(TableError::io(&file.path, "read it"))?;
        let mut raw = vec![0; size.raw as usize];
        frame::decompress(&compressed, &mut raw).map_err(|what| {
            let start = file.offsets[inside];
            file.source.forget(start..start + u64::from(size.compressed));
            let entries = self.frames.first_entry(frame)..self.frames.first_entry(frame + 1);
            bad_frame(&file.path, &file.frames, inside, entries, &what)
        })?;
        Ok(raw.into())
    }
}
