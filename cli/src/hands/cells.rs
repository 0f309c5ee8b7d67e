//! Cells of a hand table, from either cluster's point of view.

use retrotab_tablefmt::Table;
use retrotab_tablefmt::hands::{
    Cell, CellCounts, CellIndex, ClusterId, Clusters, HandsSpec, PLACEMENTS, TIE, WIN,
    contradiction,
};

/// Reads cells of a table one at a time.
pub struct CellReader<'a> {
    table: &'a Table,
    spec: HandsSpec,
    clusters: &'static Clusters,
}

impl<'a> CellReader<'a> {
    pub fn new(table: &'a Table, spec: HandsSpec) -> Self {
        CellReader { table, spec, clusters: Clusters::get(spec.game) }
    }

    pub fn clusters(&self) -> &'static Clusters {
        self.clusters
    }

    /// The counts with the first cluster's representative fixed.
    pub fn get(&self, first: ClusterId, second: ClusterId) -> anyhow::Result<CellCounts> {
        let cell = Cell::of(first, second);
        let entry = CellIndex::new(self.clusters).entry(cell);
        let value = |column| self.table.value(column, entry);
        let placements = value(PLACEMENTS)? as u8;
        let boards = self.spec.game.boards();
        let stored = CellCounts::from_stored(value(WIN)?, value(TIE)?, placements, boards);
        let hands = |id| self.clusters.cluster(id).hands();
        let turned = |stored: CellCounts| match first == cell.row {
            true => Some(stored),
            false => stored.mirrored(hands(cell.row), hands(cell.column)),
        };
        Ok(stored.and_then(turned).ok_or_else(|| contradiction(entry))?)
    }
}
