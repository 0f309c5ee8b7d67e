//! Solving a unit: a range of cells of one section.
//!
//! The rows of the multisets that the unit touches are worked out whole, tile by tile. Tiles are
//! taken in blocks of a few row multisets, so that the large tables of a column multiset are read
//! from memory once a block.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use retrotab_tablefmt::hands::{CellIndex, Clusters, Game, MultisetId, RowBlocks};

use super::tables::Tables;
use super::tile::{CellValues, TileInputs, TileRoom};
use crate::error::SolveError;
use crate::pool::Pool;
use crate::progress::Progress;
use crate::stack::Isa;

/// Row multisets that are worked out together.
const ROWS_TOGETHER: u16 = 8;
/// Column multisets of a task.
const COLUMNS_TOGETHER: u16 = 64;

/// Solves units of one hand table, in any order.
pub struct HandsUnits {
    game: Game,
    isa: Isa,
    /// Made when the first unit is solved, on the threads that solve it.
    tables: Option<Arc<Tables>>,
    rooms: Pool<TileRoom>,
}

/// Values of a unit.
#[derive(Debug)]
pub struct SolvedCells {
    rows: RowValues,
    /// Which of them belong to the unit.
    kept: Range<usize>,
}

/// Values of whole rows, one after the other.
#[derive(Debug, Default)]
struct RowValues {
    win: Vec<u32>,
    tie: Vec<u32>,
    placements: Vec<u8>,
}

impl SolvedCells {
    /// Boards won, by cell.
    pub fn win(&self) -> &[u32] {
        &self.rows.win[self.kept.clone()]
    }

    /// Boards tied, by cell.
    pub fn tie(&self) -> &[u32] {
        &self.rows.tie[self.kept.clone()]
    }

    /// Placements, by cell.
    pub fn placements(&self) -> &[u8] {
        &self.rows.placements[self.kept.clone()]
    }
}

/// A piece of a row: columns of one task.
struct RowPart<'a> {
    win: &'a mut [u32],
    tie: &'a mut [u32],
    placements: &'a mut [u8],
}

/// What one thread does at a time: some multisets of rows against some of columns.
struct Task<'a> {
    /// Row multisets, with a part for each of their clusters.
    rows: Vec<(u16, Vec<RowPart<'a>>)>,
    columns: Range<u16>,
}

impl HandsUnits {
    /// A solver for units of a game's table.
    pub fn new(game: Game, isa: Isa) -> Self {
        HandsUnits { game, isa, tables: None, rooms: Pool::default() }
    }

    /// The values of the cells `unit` of section number `section`, counted from the start of
    /// the section, computed on the threads of the rayon pool this is called in.
    ///
    /// # Errors
    /// [`SolveError::Stopped`] if `progress` says so.
    ///
    /// # Panics
    /// When the table has no such cells.
    pub fn solve(
        &mut self,
        section: usize,
        unit: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<SolvedCells, SolveError> {
        let game = self.game;
        let tables = Arc::clone(self.tables.get_or_insert_with(|| Arc::new(Tables::new(game))));
        let (clusters, index) = (tables.clusters, CellIndex::new(tables.clusters));
        let start = RowBlocks::all(clusters)[section].cells(clusters).start;
        let cells = start + unit.start..start + unit.end;
        let multiset_of = |entry: u64| {
            let cell = index.cell(entry).expect("a cell of the table");
            clusters.multiset_of(cell.row).0
        };
        let multisets = multiset_of(cells.start)..multiset_of(cells.end - 1) + 1;
        let rows = RowBlocks { multisets: multisets.clone() }.cells(clusters);
        let kept = (cells.start - rows.start) as usize..(cells.end - rows.start) as usize;
        let all = (rows.end - rows.start) as usize;
        let mut rows = RowValues { win: vec![0; all], tie: vec![0; all], placements: vec![0; all] };
        tasks(clusters, multisets, &mut rows).into_par_iter().try_for_each(|task| {
            if progress.stopped() {
                return Err(SolveError::Stopped);
            }
            let solved = self.run(&tables, task);
            progress.advance(solved);
            Ok(())
        })?;
        Ok(SolvedCells { rows, kept })
    }

    /// Works out the tiles of a task and says how many cells they have.
    fn run(&self, tables: &Tables, mut task: Task<'_>) -> u64 {
        let room = &mut *self.rooms.take();
        let clusters = tables.clusters;
        let first_column = clusters.of_multiset(MultisetId(task.columns.start)).start;
        for column in task.columns.clone() {
            let columns = clusters.of_multiset(MultisetId(column));
            let start = usize::from(columns.start - first_column);
            for (row, parts) in task.rows.iter_mut().filter(|(row, _)| *row >= column) {
                let held = tables.hole(*row).counts.plus(tables.hole(column).counts);
                // Five cards of a rank: no two hands are disjoint, and the cells stay zero.
                if held.is_in_deck() {
                    let inputs = TileInputs {
                        game: tables.game,
                        isa: self.isa,
                        holes: [tables.hole(*row), tables.hole(column)],
                        factors: tables.factors(held),
                        projection: tables.projection(held.support()),
                    };
                    let tile = inputs.solve(room);
                    let others = tables.parts_of(column);
                    for (fixed, part) in tables.parts_of(*row).iter().zip(parts) {
                        // On the diagonal, rows end before the tile does.
                        let end = part.win.len().min(start + others.len());
                        for (at, other) in (start..end).zip(others) {
                            part.set(at, tile.cell(&tables.permanents, fixed, other));
                        }
                    }
                }
            }
        }
        task.rows.iter().flat_map(|(_, parts)| parts).map(|part| part.win.len() as u64).sum()
    }
}

impl<'a> RowPart<'a> {
    fn set(&mut self, at: usize, cell: CellValues) {
        self.win[at] = cell.win;
        self.tie[at] = cell.tie;
        self.placements[at] = cell.placements;
    }

    /// Cuts off the first columns.
    fn split_off(&mut self, columns: usize) -> RowPart<'a> {
        let columns = columns.min(self.win.len());
        RowPart {
            win: self.win.split_off_mut(..columns).unwrap_or_default(),
            tie: self.tie.split_off_mut(..columns).unwrap_or_default(),
            placements: self.placements.split_off_mut(..columns).unwrap_or_default(),
        }
    }
}

/// Cuts the rows of some multisets into tasks.
fn tasks<'a>(clusters: &Clusters, multisets: Range<u16>, rows: &'a mut RowValues) -> Vec<Task<'a>> {
    let mut rest =
        RowPart { win: &mut rows.win, tie: &mut rows.tie, placements: &mut rows.placements };
    let mut tasks = Vec::new();
    for first in multisets.clone().step_by(ROWS_TOGETHER.into()) {
        let block = first..(first + ROWS_TOGETHER).min(multisets.end);
        let mut whole: Vec<(u16, Vec<RowPart<'a>>)> = Vec::new();
        for multiset in block.clone() {
            let rows = clusters.of_multiset(MultisetId(multiset));
            // Row `r` has `r + 1` columns.
            let parts = rows.map(|row| rest.split_off(usize::from(row) + 1)).collect();
            whole.push((multiset, parts));
        }
        for first in (0..block.end).step_by(COLUMNS_TOGETHER.into()) {
            let columns = first..(first + COLUMNS_TOGETHER).min(block.end);
            let start = clusters.of_multiset(MultisetId(columns.start)).start;
            let end = clusters.of_multiset(MultisetId(columns.end - 1)).end;
            let width = usize::from(end - start);
            let cut = |(multiset, parts): &mut (u16, Vec<RowPart<'a>>)| {
                (*multiset, parts.iter_mut().map(|part| part.split_off(width)).collect())
            };
            tasks.push(Task { rows: whole.iter_mut().map(cut).collect(), columns });
        }
    }
    tasks
}
