//! Writing a table from the shards of its units.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::durable::{self, Committing, DurableFile};
use crate::error::TableError;
use crate::frame::FrameSize;
use crate::hashing::{FileDigests, FileHasher, Identity, TOGETHER};
use crate::layout::{EntryType, FRAME_RAW, FileSpan, Frames, TableLayout};
use crate::manifest::{self, ColumnManifest, FileManifest, Made, Manifest};
use crate::reader::DataFile;
use crate::seek;
use crate::shard::Shard;
use crate::source::{self, Access};
use crate::spec::TableSpec;
use crate::verify;

/// Writes a table into a folder: for each column in order, the shards of all units in order.
/// The shards' frames are copied as they are; they are decoded only to be checked and for the
/// identity. The folder becomes a table with [`finish`](Self::finish), and not before.
pub struct TableWriter {
    dir: PathBuf,
    spec: TableSpec,
    layout: TableLayout,
    identity: Identity,
    columns: Vec<ColumnManifest>,
    /// The column being written; `None` when all are complete, or after an error.
    current: Option<ColumnWriter>,
    /// Compressed frames on their way, kept for the room.
    compressed: Vec<u8>,
    /// The data file before the current one.
    committing: Committing,
}

/// Writing one column.
struct ColumnWriter {
    column: usize,
    entry: EntryType,
    files: std::vec::IntoIter<FileSpan>,
    written: Vec<FileManifest>,
    file: Option<FileWriter>,
    /// Entries of the table that are written.
    entries: u64,
}

/// Writing one data file.
struct FileWriter {
    span: FileSpan,
    name: String,
    file: DurableFile,
    frames: Vec<FrameSize>,
    hasher: FileHasher,
}

impl TableWriter {
    /// Starts a table in `dir`, which is made if need be and must not hold a table.
    ///
    /// # Errors
    /// [`TableError::Exists`]; [`TableError::Io`].
    pub fn create(dir: &Path, spec: TableSpec, layout: TableLayout) -> Result<Self, TableError> {
        if dir.join(manifest::MANIFEST).exists() {
            return Err(TableError::Exists { dir: dir.to_owned() });
        }
        durable::create_folder(dir)?;
        durable::remove_leftovers(dir)?;
        let mut writer = TableWriter {
            dir: dir.to_owned(),
            spec,
            layout,
            identity: Identity::default(),
            columns: Vec::new(),
            current: None,
            compressed: Vec::new(),
            committing: Committing::default(),
        };
        writer.start_column();
        Ok(writer)
    }

    /// Goes on with a table of one column of which the first `files` data files were written
    /// durably before. They are read and checked again; everything after them is written anew.
    ///
    /// # Errors
    /// As [`create`](Self::create); [`TableError::MissingFile`] or [`TableError::Corrupt`] if one
    /// of those files is not there or damaged; [`TableError::Bug`] if the table has fewer.
    pub fn resume(
        dir: &Path,
        spec: TableSpec,
        layout: TableLayout,
        files: usize,
    ) -> Result<Self, TableError> {
        let mut writer = Self::create(dir, spec, layout)?;
        if let Some(current) = writer.current.as_mut().filter(|_| files > 0) {
            let entry = writer.layout.columns[0].entry;
            let frames = Frames::new(&writer.layout, entry);
            for number in 0..files {
                let span = current.files.next();
                let span = span.ok_or_else(|| TableError::Bug("too many files".to_owned()))?;
                let name = manifest::file_name(&writer.layout, 0, number);
                let path = dir.join(&name);
                let source = source::open(&path, Access::Read)?;
                let data = DataFile::open_unlisted(source, path, &frames, span)?;
                let go_on = &mut |_: &[u8]| ControlFlow::Continue(());
                let digests = verify::digest_file(&data, &frames, &mut writer.identity, go_on)?;
                current.written.push(file_manifest(name, span, entry, digests));
                current.entries = span.first_entry + span.entries;
            }
        }
        Ok(writer)
    }

    /// Entries of the first column whose data files are durable, and how many files those are.
    pub fn durable(&self) -> (u64, usize) {
        let written = self.current.as_ref().filter(|current| current.column == 0);
        // The last finished file may still be on its way to the disk.
        let durable = written.map_or(&[][..], |current| &current.written);
        let durable = &durable[..durable.len().saturating_sub(1)];
        (durable.iter().map(|file| file.entries).sum(), durable.len())
    }

    fn start_column(&mut self) {
        let column = self.columns.len();
        self.current = self.layout.columns.get(column).map(|found| ColumnWriter {
            column,
            entry: found.entry,
            files: Frames::new(&self.layout, found.entry).files().into_iter(),
            written: Vec::new(),
            file: None,
            entries: 0,
        });
    }

    /// The column that the next shard is appended to; `None` when all are complete, and after
    /// an error.
    pub fn column(&self) -> Option<usize> {
        self.current.as_ref().map(|current| current.column)
    }

    /// Appends a shard's values of the current column. `progress` is told the bytes written.
    /// After an error the table cannot be finished.
    ///
    /// # Errors
    /// [`TableError::Corrupt`] if a frame of the shard does not decode; [`TableError::Io`];
    /// [`TableError::Bug`] if the shard does not hold the next entry, or all columns are complete.
    pub fn append(&mut self, shard: &Shard, progress: impl FnMut(u64)) -> Result<(), TableError> {
        // It comes back only when all went well: part of a shard may have been written.
        let Some(mut current) = self.current.take() else {
            return Err(TableError::Bug("a shard for a table that is complete or broken".into()));
        };
        let entries = self.layout.entries_of(&shard.header().range());
        if !entries.contains(&current.entries) || !shard.is_of(&self.layout) {
            let next = current.entries;
            return Err(TableError::Bug(format!("{shard:?} does not hold entry {next}")));
        }
        self.append_frames(&mut current, shard, entries.start, progress)?;
        current.entries = entries.end;
        if current.entries == self.layout.entries() {
            self.finish_column(current);
        } else {
            self.current = Some(current);
        }
        Ok(())
    }

    fn append_frames(
        &mut self,
        current: &mut ColumnWriter,
        shard: &Shard,
        first_entry: u64,
        mut progress: impl FnMut(u64),
    ) -> Result<(), TableError> {
        let column = current.column;
        let frames = shard.frames(column);
        // A table that is gone on with may have the shard's first frames already.
        let in_frame = FRAME_RAW / self.layout.columns[column].entry.bytes();
        let mut next = ((current.entries - first_entry) / in_frame) as usize;
        while next < frames.len() {
            let file = current.file(&self.dir, &self.layout)?;
            let room = file.span.frames as usize - file.frames.len();
            let taken = next..next + room.min(TOGETHER).min(frames.len() - next);
            shard.read_frames(column, taken.clone(), &mut self.compressed)?;
            let (bytes, sizes) = (&self.compressed, &frames[taken.clone()]);
            let (decoded, written) =
                self.identity.update(bytes, sizes, || file.append(bytes, sizes));
            decoded.map_err(|bad| shard.bad_frame(column, next + bad.frame, &bad.what))?;
            written?;
            progress(bytes.len() as u64);
            next = taken.end;
            if file.is_full() {
                current.finish_file(&mut self.committing)?;
            }
        }
        Ok(())
    }

    fn finish_column(&mut self, current: ColumnWriter) {
        let column = &self.layout.columns[current.column];
        let (name, entry) = (column.name.clone(), column.entry);
        self.columns.push(ColumnManifest { name, entry, files: current.written });
        self.start_column();
    }

    /// Makes the folder a table: writes SHA256SUMS and the manifest.
    ///
    /// # Errors
    /// [`TableError::Bug`] if a column is not complete; [`TableError::Io`].
    pub fn finish(mut self, made: Made) -> Result<Manifest, TableError> {
        let (complete, all) = (self.columns.len(), self.layout.columns.len());
        if complete < all {
            return Err(TableError::Bug(format!("{complete} of {all} columns are complete")));
        }
        self.committing.wait()?;
        let identity = self.identity.finish();
        let manifest = Manifest::new(self.spec, &self.layout, self.columns, identity, made);
        manifest.write(&self.dir)?;
        Ok(manifest)
    }
}

impl ColumnWriter {
    /// The file that the next frame belongs to.
    fn file(&mut self, dir: &Path, layout: &TableLayout) -> Result<&mut FileWriter, TableError> {
        if self.file.is_none() {
            let span = self.files.next();
            let span = span.ok_or_else(|| TableError::Bug("too many frames".to_owned()))?;
            let name = manifest::file_name(layout, self.column, self.written.len());
            let file = DurableFile::create(&dir.join(&name))?;
            let (frames, hasher) = (Vec::new(), FileHasher::default());
            self.file = Some(FileWriter { span, name, file, frames, hasher });
        }
        Ok(self.file.as_mut().expect("it was just made"))
    }

    fn finish_file(&mut self, committing: &mut Committing) -> Result<(), TableError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let seek_table = seek::encode(&file.frames)?;
        file.file.write(&seek_table)?;
        file.hasher.update(&seek_table);
        committing.start(file.file)?;
        let digests = file.hasher.finish();
        self.written.push(file_manifest(file.name, file.span, self.entry, digests));
        Ok(())
    }
}

fn file_manifest(
    name: String,
    span: FileSpan,
    entry: EntryType,
    digests: FileDigests,
) -> FileManifest {
    FileManifest {
        name,
        first_entry: span.first_entry,
        entries: span.entries,
        raw_bytes: span.entries * entry.bytes(),
        bytes: digests.bytes,
        blake3: digests.blake3,
        sha256: digests.sha256,
    }
}

impl FileWriter {
    fn append(&mut self, bytes: &[u8], frames: &[FrameSize]) -> Result<(), TableError> {
        self.file.write(bytes)?;
        self.hasher.update(bytes);
        self.frames.extend_from_slice(frames);
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.frames.len() as u64 == self.span.frames
    }
}
