//! Rows of a section whose lanes have the same number of stock cards.
//!
//! Both draws lead to section `(k, k-1)`: from the column's lane along the row's own row, from
//! the row's lane along the column's. So batches of rows meet batches of columns, each with
//! its rows of that section side by side. The rows of a unit are kept; the columns' pass by.

use std::cmp::Ordering;

use retrotab_tablefmt::stack::{Kind, LaneId};

use super::batch::{Batch, Interleaved};
use super::combine::{Draws, MAX_DRAWS};
use super::context::{Against, MAX_LANE_DRAWS, SectionContext};
use super::simd::{Kernel, LANES, Simd, Tile};

/// Column batches that pass by together.
pub(super) const GROUP: usize = 8;

/// A batch of lanes with their rows of the section below.
pub(super) struct Side<'a> {
    pub(super) batch: &'a Batch,
    pub(super) rows: &'a Interleaved,
}

/// Buffers of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    draws: Box<Draws>,
    by_column: Box<[Tile; MAX_LANE_DRAWS]>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            draws: Box::new([[[0; LANES]; LANES]; MAX_DRAWS]),
            by_column: Box::new([[[0; LANES]; LANES]; MAX_LANE_DRAWS]),
        }
    }
}

/// Whether any position of the two batches is stored: columns do not come after rows.
pub(super) fn meet(rows: &Batch, columns: &Batch) -> bool {
    let last = rows.first + rows.len as u32 - 1;
    (columns.kind, columns.first) <= (rows.kind, last)
}

/// Solves the positions of a batch of rows and a batch of columns.
pub(super) struct Triangle<'a> {
    pub(super) context: &'a SectionContext,
    pub(super) rows: Side<'a>,
    pub(super) columns: Side<'a>,
    pub(super) scratch: &'a mut Scratch,
    /// The rows' values as stored, row after row.
    pub(super) out: &'a mut [u16],
}

impl Kernel for Triangle<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Triangle { context, rows, columns, scratch, out } = self;
        let Scratch { draws, by_column } = scratch;
        let (moves, starts) = context.column_moves.as_ref().expect("equal lanes have stock cards");
        let symmetry = context.symmetry();
        let lane_draws = context.row_draws();
        let first = LaneId { kind: rows.batch.kind, place: rows.batch.first };
        let out_start = context.layout().row_start(first);
        for (turn, perm) in context.turns(rows.batch.kind, columns.batch.kind) {
            let against_rows = Against {
                batch: rows.batch,
                rows: rows.rows,
                starts: starts.of(rows.batch.kind, perm),
                images: symmetry.perm(perm).images(),
            };
            let inverse = symmetry.inverse(perm);
            let against_columns = Against {
                batch: columns.batch,
                rows: columns.rows,
                starts: starts.of(columns.batch.kind, inverse),
                images: symmetry.perm(inverse).images(),
            };
            let mut best = [[0; LANES]; MAX_LANE_DRAWS];
            for (i, lane) in columns.batch.lanes().enumerate() {
                against_rows.best_of_draws(moves.of(lane), lane_draws, &mut best);
                for (tile, best) in by_column.iter_mut().zip(best) {
                    tile[i] = best;
                }
            }
            for draw in 0..lane_draws {
                draws[lane_draws + draw] = S::transpose(&by_column[draw]);
            }
            for (i, lane) in rows.batch.lanes().enumerate() {
                against_columns.best_of_draws(moves.of(lane), lane_draws, &mut best);
                for (tile, best) in draws.iter_mut().zip(best).take(lane_draws) {
                    tile[i] = best;
                }
                let stored = stored_columns(lane, columns.batch);
                let block = context.layout().stored_block(lane, columns.batch.kind, turn);
                let row = (context.layout().row_start(lane) - out_start) as usize;
                let at = row + (block + columns.batch.first) as usize;
                let values = context.combine.combine(draws, i);
                out[at..at + stored].copy_from_slice(&values[..stored]);
            }
        }
    }
}

/// How many columns of a batch are stored in a row.
fn stored_columns(row: LaneId, columns: &Batch) -> usize {
    let kind: Kind = columns.kind;
    match kind.cmp(&row.kind) {
        Ordering::Less => columns.len,
        Ordering::Equal => columns.len.min((row.place + 1).saturating_sub(columns.first) as usize),
        Ordering::Greater => 0,
    }
}
