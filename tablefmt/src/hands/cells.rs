//! The cells of a table: which entry belongs to which two clusters.
//!
//! The cell of clusters `row >= column` is entry `row (row + 1) / 2 + column`. It counts with the
//! representative of `row` fixed and every hand of `column` that is disjoint from it.

use std::ops::Range;

use super::cluster::{ClusterId, Clusters};
use super::multiset::MultisetId;

/// The two clusters of an entry, `row >= column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The cluster whose representative is fixed.
    pub row: ClusterId,
    /// The cluster whose hands are run through.
    pub column: ClusterId,
}

impl Cell {
    /// The cell that holds two clusters, in whichever order.
    pub fn of(a: ClusterId, b: ClusterId) -> Self {
        Cell { row: a.max(b), column: a.min(b) }
    }
}

/// What a table says of one cluster's representative against the hands of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellCounts {
    /// Boards won, over all placements.
    pub win: u64,
    /// Boards tied, likewise.
    pub tie: u64,
    /// Boards lost, likewise.
    pub loss: u64,
    /// Hands of the other cluster that are disjoint from the representative.
    pub placements: u64,
}

impl CellCounts {
    /// The counts of stored values, with so many boards for each placement; `None` if they
    /// contradict each other.
    pub fn from_stored(win: u32, tie: u32, placements: u8, boards: u32) -> Option<Self> {
        let all = u64::from(placements) * u64::from(boards);
        let loss = all.checked_sub(u64::from(win) + u64::from(tie))?;
        let (win, tie, placements) = (win.into(), tie.into(), placements.into());
        Some(CellCounts { win, tie, loss, placements })
    }

    /// The same cell with the other cluster's representative fixed: both tell of the same pairs
    /// of concrete hands, `hands` times each count for the fixed cluster of so many hands, and
    /// `other_hands` for the other. `None` if the counts do not divide.
    pub fn mirrored(self, hands: u32, other_hands: u32) -> Option<Self> {
        let turned = |count: u64| {
            let pairs = count * u64::from(hands);
            let other = u64::from(other_hands);
            pairs.is_multiple_of(other).then_some(pairs / other)
        };
        Some(CellCounts {
            win: turned(self.loss)?,
            tie: turned(self.tie)?,
            loss: turned(self.win)?,
            placements: turned(self.placements)?,
        })
    }

    /// Share of the pot on average, 0 to 1, ties split; `None` when no two hands are disjoint.
    pub fn equity(&self) -> Option<f64> {
        let all = self.win + self.tie + self.loss;
        (all > 0).then(|| (2 * self.win + self.tie) as f64 / (2 * all) as f64)
    }
}

/// From cells to entries and back.
#[derive(Debug, Clone, Copy)]
pub struct CellIndex {
    clusters: u64,
}

fn triangle(rows: u64) -> u64 {
    rows * (rows + 1) / 2
}

impl CellIndex {
    /// The index of a game's cells.
    pub fn new(clusters: &Clusters) -> Self {
        CellIndex { clusters: clusters.count() as u64 }
    }

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        triangle(self.clusters)
    }

    /// The entry of a cell.
    pub fn entry(&self, cell: Cell) -> u64 {
        self.row_start(cell.row.0) + u64::from(cell.column.0)
    }

    /// The first entry of a row; for the number of clusters, that of all entries.
    pub fn row_start(&self, row: u16) -> u64 {
        triangle(row.into())
    }

    /// The cell of an entry, or `None` past the end.
    pub fn cell(&self, entry: u64) -> Option<Cell> {
        if entry >= self.cells() {
            return None;
        }
        // The last row that does not start after the entry.
        let row = ((8 * entry + 1).isqrt() - 1) / 2;
        let column = entry - triangle(row);
        Some(Cell { row: ClusterId(row as u16), column: ClusterId(column as u16) })
    }
}

/// A section of a table: the rows of a run of multisets of ranks. Multisets are not cut, so
/// that a unit of a whole section computes each tile once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowBlocks {
    /// Numbers of the multisets.
    pub multisets: Range<u16>,
}

/// Entries of a section at the most, if one block has no more.
const SECTION_CELLS: u64 = 1 << 20;

impl RowBlocks {
    /// The sections of a game's table.
    pub fn all(clusters: &Clusters) -> Vec<RowBlocks> {
        let cells = |multisets: Range<u16>| RowBlocks { multisets }.cells(clusters);
        let mut all = Vec::new();
        let mut start = 0;
        for next in 1..=clusters.multisets().count() as u16 {
            let longer = cells(start..next);
            if longer.end - longer.start > SECTION_CELLS && next > start + 1 {
                all.push(RowBlocks { multisets: start..next - 1 });
                start = next - 1;
            }
        }
        all.push(RowBlocks { multisets: start..clusters.multisets().count() as u16 });
        all
    }

    /// The rows of the section.
    pub fn rows(&self, clusters: &Clusters) -> Range<u16> {
        let last = MultisetId(self.multisets.end - 1);
        let first = clusters.of_multiset(MultisetId(self.multisets.start)).start;
        first..clusters.of_multiset(last).end
    }

    /// The entries of the section, counted from the start of the table.
    pub fn cells(&self, clusters: &Clusters) -> Range<u64> {
        let index = CellIndex::new(clusters);
        let rows = self.rows(clusters);
        index.row_start(rows.start)..index.row_start(rows.end)
    }

    /// The section's name: its first and last ranks.
    pub fn name(&self, clusters: &Clusters) -> String {
        let ranks = |id| clusters.multisets().get(MultisetId(id));
        format!("{}-{}", ranks(self.multisets.start), ranks(self.multisets.end - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hands::Game;

    #[test]
    fn entries_and_cells_name_each_other() {
        let index = CellIndex::new(Clusters::get(Game::Omaha));
        assert_eq!(index.cells(), 135_013_528);
        let mut entries = (0..index.cells()).step_by(9973).collect::<Vec<_>>();
        for row in [1, 2, 3, 1000, 16_430, 16_431] {
            entries.extend([index.row_start(row) - 1, index.row_start(row)]);
        }
        for entry in entries {
            let cell = index.cell(entry).unwrap();
            assert!(cell.column <= cell.row);
            assert_eq!(index.entry(cell), entry);
        }
        assert_eq!(index.cell(index.cells()), None);
        assert_eq!(CellIndex::new(Clusters::get(Game::Holdem)).cells(), 14_365);
    }

    #[test]
    fn sections_are_whole_rows_side_by_side() {
        for game in [Game::Holdem, Game::Omaha] {
            let clusters = Clusters::get(game);
            let mut next = 0;
            for blocks in RowBlocks::all(clusters) {
                let cells = blocks.cells(clusters);
                assert_eq!(cells.start, next);
                assert!(cells.end > cells.start && cells.end - cells.start <= SECTION_CELLS);
                next = cells.end;
            }
            assert_eq!(next, CellIndex::new(clusters).cells());
        }
    }

    #[test]
    fn counts_that_contradict_each_other_are_refused() {
        assert_eq!(CellCounts::from_stored(5, 6, 1, 10), None);
        let cell = CellCounts::from_stored(3, 2, 1, 10).unwrap();
        assert_eq!((cell.loss, cell.equity()), (5, Some(0.4)));
        assert_eq!(cell.mirrored(4, 2).unwrap().win, 10);
        assert_eq!(cell.mirrored(1, 2), None);
        assert_eq!(CellCounts::default().equity(), None);
    }
}
