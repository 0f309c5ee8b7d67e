//! Reading a whole hand table, some rows at a time.

use std::ops::Range;

use super::cells::{CellCounts, CellIndex};
use super::cluster::{ClusterId, Clusters};
use super::spec::HandsSpec;
use crate::error::TableError;
use crate::reader::Table;

/// Columns by number.
pub const WIN: usize = 0;
/// See [`WIN`].
pub const TIE: usize = 1;
/// See [`WIN`].
pub const PLACEMENTS: usize = 2;

/// Cells that are decoded together, about.
const TOGETHER: u64 = 1 << 20;

/// The cells of some rows side by side.
pub struct Rows {
    index: CellIndex,
    numbers: Range<u16>,
    boards: u32,
    win: Vec<u32>,
    tie: Vec<u32>,
    placements: Vec<u32>,
}

/// The cells of one row.
pub struct Row<'a> {
    /// The cluster whose representative is fixed.
    pub cluster: ClusterId,
    first_entry: u64,
    boards: u32,
    win: &'a [u32],
    tie: &'a [u32],
    placements: &'a [u32],
}

impl Rows {
    fn read(
        table: &Table,
        spec: HandsSpec,
        index: CellIndex,
        numbers: Range<u16>,
    ) -> Result<Self, TableError> {
        let entries = index.row_start(numbers.start)..index.row_start(numbers.end);
        let read = |column| table.values(column, entries.clone());
        let (win, tie, placements) = (read(WIN)?, read(TIE)?, read(PLACEMENTS)?);
        Ok(Rows { index, numbers, boards: spec.game.boards(), win, tie, placements })
    }

    /// The rows.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let first = self.index.row_start(self.numbers.start);
        self.numbers.clone().map(move |row| {
            let first_entry = self.index.row_start(row);
            let inside = |row| (self.index.row_start(row) - first) as usize;
            let range = inside(row)..inside(row + 1);
            Row {
                cluster: ClusterId(row),
                first_entry,
                boards: self.boards,
                win: &self.win[range.clone()],
                tie: &self.tie[range.clone()],
                placements: &self.placements[range],
            }
        })
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.win.len()
    }
}

impl Row<'_> {
    /// The cells in order of the other cluster, up to the row's own.
    ///
    /// # Errors
    /// Where the values of a cell contradict each other.
    pub fn cells(&self) -> impl Iterator<Item = Result<(ClusterId, CellCounts), TableError>> {
        (0..self.win.len()).map(move |i| {
            let placements = self.placements[i] as u8;
            let counts = CellCounts::from_stored(self.win[i], self.tie[i], placements, self.boards);
            let counts = counts.ok_or_else(|| contradiction(self.first_entry + i as u64))?;
            Ok((ClusterId(i as u16), counts))
        })
    }
}

/// The error of a table whose values cannot be true.
pub fn contradiction(entry: u64) -> TableError {
    let what = "its wins, ties and placements contradict each other";
    TableError::corrupt("table".as_ref(), format!("entry {entry}"), what)
}

/// Calls `each` with all rows of a table in order, about a million cells at a time. Values are
/// decoded on the threads of the rayon pool this is called in.
///
/// # Errors
/// When the table cannot be read, and those of `each`.
pub fn each_rows<E: From<TableError>>(
    table: &Table,
    spec: HandsSpec,
    mut each: impl FnMut(&Rows) -> Result<(), E>,
) -> Result<(), E> {
    let clusters = Clusters::get(spec.game);
    let index = CellIndex::new(clusters);
    let rows = clusters.count() as u16;
    let mut from = 0;
    while from < rows {
        let first = index.row_start(from);
        let mut to = from + 1;
        while to < rows && index.row_start(to + 1) - first <= TOGETHER {
            to += 1;
        }
        each(&Rows::read(table, spec, index, from..to)?)?;
        from = to;
    }
    Ok(())
}

/// Calls `each` with every row of a table in order, read like [`each_rows`].
///
/// # Errors
/// When the table cannot be read, and those of `each`.
pub fn each_row<E: From<TableError>>(
    table: &Table,
    spec: HandsSpec,
    mut each: impl FnMut(Row<'_>) -> Result<(), E>,
) -> Result<(), E> {
    each_rows(table, spec, |rows| rows.iter().try_for_each(&mut each))
}
