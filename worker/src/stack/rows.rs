//! Where a solver reads the rows of the sections below from.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use retrotab_tablefmt::stack::{LaneId, Ranking, Section, SectionLayout};

use super::simd::LANES;
use super::square::{EntrySource, square_rows};
use crate::error::InputError;

/// Entries that can be read after the end of every row, whatever their values, so that the
/// last columns can be read sixteen at a time too.
pub const PADDING: usize = LANES - 1;

/// The rows of one section in square form (see [`SectionLayout`]).
pub trait RowSource: Sync {
    /// The rows asked for, each followed by [`PADDING`] entries. `arena` is where sources that
    /// have no rows in memory put them.
    ///
    /// # Errors
    /// [`InputError::RowNotHeld`], or [`InputError::Scratch`] if they are in a file.
    fn lend<'a>(
        &'a self,
        rows: &[LaneId],
        arena: &'a mut Vec<u16>,
    ) -> Result<Vec<&'a [u16]>, InputError>;
}

/// Consecutive rows of a section in memory.
#[derive(Debug)]
pub struct MemoryRows {
    ranking: Arc<Ranking>,
    section: Section,
    /// Entries of the square form, [`PADDING`] apart.
    held: Range<u64>,
    values: Vec<u16>,
}

impl MemoryRows {
    /// Loads the rows numbered `rows` of a section.
    ///
    /// # Errors
    /// What `source` says.
    pub fn load(
        ranking: &Arc<Ranking>,
        section: Section,
        rows: Range<u32>,
        source: &dyn EntrySource,
    ) -> Result<Self, InputError> {
        let held = square_range(ranking.section(section), rows.clone());
        let mut values = square_rows(ranking, section, rows, PADDING, source)?;
        values.resize((held.end - held.start) as usize + PADDING, 0);
        Ok(MemoryRows { ranking: Arc::clone(ranking), section, held, values })
    }
}

/// The entries of the square form that some rows are.
fn square_range(layout: &SectionLayout, rows: Range<u32>) -> Range<u64> {
    if rows.is_empty() {
        return 0..0;
    }
    let last = layout.row(rows.end - 1);
    let end = layout.square_row_start(last) + u64::from(layout.width(last.kind));
    layout.square_row_start(layout.row(rows.start))..end
}

impl RowSource for MemoryRows {
    fn lend<'a>(
        &'a self,
        rows: &[LaneId],
        _arena: &'a mut Vec<u16>,
    ) -> Result<Vec<&'a [u16]>, InputError> {
        let layout = self.ranking.section(self.section);
        let lend = |&row: &LaneId| {
            let start = layout.square_row_start(row);
            let width = layout.width(row.kind) as usize;
            if start < self.held.start || start + width as u64 > self.held.end {
                let section = self.section.to_string();
                return Err(InputError::RowNotHeld { section, row: layout.row_number(row) });
            }
            let at = (start - self.held.start) as usize;
            Ok(&self.values[at..at + width + PADDING])
        };
        rows.iter().map(lend).collect()
    }
}

/// All rows of a section in a file without a name, for sections that do not fit in memory.
#[derive(Debug)]
pub struct SpilledRows {
    ranking: Arc<Ranking>,
    section: Section,
    folder: PathBuf,
    file: File,
}

impl SpilledRows {
    /// Writes a section into a file in `folder`, at most `chunk` bytes of it at a time.
    ///
    /// # Errors
    /// What `source` says; [`InputError::Scratch`] if the file cannot be made or written.
    pub fn load(
        ranking: &Arc<Ranking>,
        section: Section,
        chunk: u64,
        folder: &Path,
        source: &dyn EntrySource,
    ) -> Result<Self, InputError> {
        let layout = ranking.section(section);
        let scratch = |source| InputError::Scratch { path: folder.to_owned(), source };
        let mut file = tempfile::tempfile_in(folder).map_err(scratch)?;
        let mut next = 0;
        while next < layout.rows() {
            let mut end = next + 1;
            let bytes = |end| {
                let range = square_range(layout, next..end);
                2 * (range.end - range.start)
            };
            while end < layout.rows() && bytes(end + 1) <= chunk {
                end += 1;
            }
            let rows = square_rows(ranking, section, next..end, 0, source)?;
            file.write_all(bytemuck::cast_slice(&rows)).map_err(scratch)?;
            next = end;
        }
        let (ranking, folder) = (Arc::clone(ranking), folder.to_owned());
        Ok(SpilledRows { ranking, section, folder, file })
    }

    fn read(&self, layout: &SectionLayout, row: LaneId, out: &mut [u16]) -> io::Result<()> {
        let at = 2 * layout.square_row_start(row);
        self.file.read_exact_at(bytemuck::cast_slice_mut(out), at)
    }
}

impl RowSource for SpilledRows {
    fn lend<'a>(
        &'a self,
        rows: &[LaneId],
        arena: &'a mut Vec<u16>,
    ) -> Result<Vec<&'a [u16]>, InputError> {
        let layout = self.ranking.section(self.section);
        let widths = || rows.iter().map(|row| layout.width(row.kind) as usize);
        arena.clear();
        arena.resize(widths().map(|width| width + PADDING).sum(), 0);
        let mut rest = arena.as_mut_slice();
        for (&row, width) in rows.iter().zip(widths()) {
            let (values, after) = rest.split_at_mut(width + PADDING);
            self.read(layout, row, &mut values[..width])
                .map_err(|source| InputError::Scratch { path: self.folder.clone(), source })?;
            rest = after;
        }
        let mut rest: &'a [u16] = arena;
        let lend = |width: usize| {
            let (values, after) = rest.split_at(width + PADDING);
            rest = after;
            values
        };
        Ok(widths().map(lend).collect())
    }
}
