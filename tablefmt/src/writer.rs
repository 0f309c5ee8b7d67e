//! Writing a table from the shards of its units.

use std::path::{Path, PathBuf};

use crate::durable::{self, DurableFile};
use crate::error::TableError;
use crate::frame::FrameSize;
use crate::hashing::{FileHasher, Identity, TOGETHER};
use crate::layout::{FileSpan, Frames, SectionId, TableLayout, UnitRange};
use crate::manifest::{self, ColumnManifest, FileManifest, Made, Manifest};
use crate::seek;
use crate::shard::Shard;
use crate::spec::TableSpec;

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
}

/// Writing one column.
struct ColumnWriter {
    column: usize,
    files: std::vec::IntoIter<FileSpan>,
    written: Vec<FileManifest>,
    file: Option<FileWriter>,
    /// The unit range that the next shard must start with.
    next: (SectionId, u64),
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
        };
        writer.start_column();
        Ok(writer)
    }

    fn start_column(&mut self) {
        let column = self.columns.len();
        self.current = self.layout.columns.get(column).map(|found| ColumnWriter {
            column,
            files: Frames::new(&self.layout, found.entry).files().into_iter(),
            written: Vec::new(),
            file: None,
            next: (SectionId(0), 0),
        });
    }

    /// The column that the next shard is appended to; `None` when all are complete, and after
    /// an error.
    pub fn column(&self) -> Option<usize> {
        self.current.as_ref().map(|current| current.column)
    }

    /// Appends a shard's values of the current column. `progress` is told the bytes written.
    /// After an error the table cannot be finished.
    pub fn append(&mut self, shard: &Shard, progress: impl FnMut(u64)) -> Result<(), TableError> {
        // It comes back only when all went well: part of a shard may have been written.
        let Some(mut current) = self.current.take() else {
            return Err(TableError::Bug("a shard for a table that is complete or broken".into()));
        };
        let range = shard.header().range();
        if (range.section, range.first) != current.next || !shard.is_of(&self.layout) {
            return Err(TableError::Bug(format!("{shard:?} instead of {:?}", current.next)));
        }
        self.append_frames(&mut current, shard, progress)?;
        current.next = after(&self.layout, range);
        if current.next.0.0 as usize == self.layout.sections.len() {
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
        mut progress: impl FnMut(u64),
    ) -> Result<(), TableError> {
        let column = current.column;
        let frames = shard.frames(column);
        let mut next = 0;
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
                current.finish_file()?;
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
    pub fn finish(self, made: Made) -> Result<Manifest, TableError> {
        let (complete, all) = (self.columns.len(), self.layout.columns.len());
        if complete < all {
            return Err(TableError::Bug(format!("{complete} of {all} columns are complete")));
        }
        let identity = self.identity.finish();
        let manifest = Manifest::new(self.spec, &self.layout, self.columns, identity, made);
        manifest.write(&self.dir)?;
        Ok(manifest)
    }
}

/// Where the entries after a unit start.
fn after(layout: &TableLayout, range: UnitRange) -> (SectionId, u64) {
    let SectionId(section) = range.section;
    let end = range.range().end;
    if end == layout.sections[section as usize].entries {
        (SectionId(section + 1), 0)
    } else {
        (SectionId(section), end)
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

    fn finish_file(&mut self) -> Result<(), TableError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let seek_table = seek::encode(&file.frames)?;
        file.file.write(&seek_table)?;
        file.hasher.update(&seek_table);
        file.file.commit()?;
        let digests = file.hasher.finish();
        self.written.push(FileManifest {
            name: file.name,
            first_entry: file.span.first_entry,
            entries: file.span.entries,
            raw_bytes: file.frames.iter().map(|f| u64::from(f.raw)).sum(),
            bytes: digests.bytes,
            blake3: digests.blake3,
            sha256: digests.sha256,
        });
        Ok(())
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
