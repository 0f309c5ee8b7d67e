//! Reading a whole hand table, some rows at a time.

use retrotab_tablefmt::Table;
use retrotab_tablefmt::hands::{CellCounts, CellIndex, ClusterId, Clusters, HandsSpec};
use retrotab_tablefmt::lookup::{PLACEMENTS, TIE, WIN, contradiction};

/// Cells that are decoded together, about.
const TOGETHER: u64 = 1 << 20;

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

impl Row<'_> {
    /// The cells in order of the other cluster, up to the row's own.
    pub fn cells(&self) -> impl Iterator<Item = anyhow::Result<(ClusterId, CellCounts)>> {
        (0..self.win.len()).map(move |i| {
            let placements = self.placements[i] as u8;
            let counts = CellCounts::from_stored(self.win[i], self.tie[i], placements, self.boards);
            let counts = counts.ok_or_else(|| contradiction(self.first_entry + i as u64))?;
            Ok((ClusterId(i as u16), counts))
        })
    }
}

/// Calls `each` with every row of a table in order. Values are decoded on the threads of the
/// rayon pool this is called in.
pub fn each_row(
    table: &Table,
    spec: HandsSpec,
    mut each: impl FnMut(Row<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
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
        let entries = first..index.row_start(to);
        let read = |column| table.values(column, entries.clone());
        let (win, tie, placements) = (read(WIN)?, read(TIE)?, read(PLACEMENTS)?);
        for row in from..to {
            let first_entry = index.row_start(row);
            let range = (first_entry - first) as usize..(index.row_start(row + 1) - first) as usize;
            each(Row {
                cluster: ClusterId(row),
                first_entry,
                boards: spec.game.boards(),
                win: &win[range.clone()],
                tie: &tie[range.clone()],
                placements: &placements[range],
            })?;
        }
        from = to;
    }
    Ok(())
}
