//! Sixteen neighbouring lanes of one kind, and what the placement rule allows on each.

use retrotab_tablefmt::stack::{Kind, LaneId, LaneTable, MAX_STACKS};

use super::simd::{LANES, Simd, Tile, Values};

/// Draws are numbered from 1 to the cards of a lane.
const DRAW_NUMBERS: usize = 14;

/// Up to [`LANES`] neighbouring lanes of one kind.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    /// Their kind.
    pub(super) kind: Kind,
    /// The place of the first.
    pub(super) first: u32,
    /// How many they are, at least one.
    pub(super) len: usize,
    /// By stack and draw of the *other* lane, all bits set for the lanes here that allow it:
    /// none of their cards on that stack is needed sooner.
    allowed: [[Values; DRAW_NUMBERS]; MAX_STACKS],
    /// By stack, the last draw that any lane here allows.
    last: [u8; MAX_STACKS],
}

impl Batch {
    /// The lanes of `kind` in `table` from `first` on.
    pub(super) fn new(table: &LaneTable, kind: Kind, first: u32, len: usize) -> Self {
        let mut allowed = [[[0; LANES]; DRAW_NUMBERS]; MAX_STACKS];
        let mut last = [0; MAX_STACKS];
        let lanes = &table.of_kind(kind)[first as usize..][..len];
        for (i, lane) in lanes.iter().enumerate() {
            for (stack, pattern) in lane.patterns().iter().enumerate() {
                // Card `draw` of the other lane has distance `draw - 1`.
                let end = pattern.first_gap().saturating_add(1).min(DRAW_NUMBERS as u8 - 1);
                last[stack] = last[stack].max(end);
                for mask in &mut allowed[stack][..=usize::from(end)] {
                    mask[i] = u16::MAX;
                }
            }
        }
        Batch { kind, first, len, allowed, last }
    }

    /// Cuts lanes of one kind, given by their places, into batches.
    pub(super) fn cut(table: &LaneTable, kind: Kind, places: std::ops::Range<u32>) -> Vec<Self> {
        let starts = places.clone().step_by(LANES);
        let batch = |first: u32| {
            let len = (places.end - first).min(LANES as u32);
            Batch::new(table, kind, first, len as usize)
        };
        starts.map(batch).collect()
    }

    /// The lanes.
    pub(super) fn lanes(&self) -> impl Iterator<Item = LaneId> + '_ {
        let places = self.first..self.first + self.len as u32;
        places.map(|place| LaneId { kind: self.kind, place })
    }

    /// By draw of the other lane on `stack`: which lanes allow it.
    #[inline(always)]
    pub(super) fn allowed_on(&self, stack: usize) -> &[Values; DRAW_NUMBERS] {
        &self.allowed[stack]
    }

    /// How many of `draws` placements on `stack`, which are for the draws 2, 3, .., any lane
    /// here allows.
    #[inline(always)]
    pub(super) fn placements(&self, stack: usize, draws: usize) -> usize {
        draws.min(usize::from(self.last[stack]).saturating_sub(1))
    }
}

/// Rows of a section side by side: for each column, the values of up to sixteen rows. What is
/// read for one position is then read for sixteen at once.
#[derive(Debug, Default)]
pub(super) struct Interleaved(Vec<Values>);

impl Interleaved {
    /// Lays up to sixteen rows of `width` columns side by side; missing ones become zero.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, rows: &[&[u16]], width: usize) {
        self.0.resize(width.next_multiple_of(LANES), [0; LANES]);
        for (i, columns) in self.0.chunks_exact_mut(LANES).enumerate() {
            let from = i * LANES;
            let mut tile: Tile = [[0; LANES]; LANES];
            for (values, row) in tile.iter_mut().zip(rows) {
                let end = (from + LANES).min(row.len());
                values[..end - from].copy_from_slice(&row[from..end]);
            }
            columns.copy_from_slice(&S::transpose(&tile));
        }
    }

    /// The values of all rows in a column.
    #[inline(always)]
    pub(super) fn column(&self, column: usize) -> &Values {
        &self.0[column]
    }
}
