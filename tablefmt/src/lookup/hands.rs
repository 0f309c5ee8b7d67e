//! Looking up two clusters of hands, from either cluster's point of view.

use serde_json::{Value as Json, json};

use crate::error::{InputError, TableError};
use crate::hands::{
    Cell, CellCounts, CellIndex, ClusterId, Clusters, HandsSpec, PLACEMENTS, TIE, WIN,
    contradiction,
};
use crate::reader::Table;

/// Reads cells of a table one at a time.
pub struct CellReader<'a> {
    table: &'a Table,
    spec: HandsSpec,
    clusters: &'static Clusters,
}

impl<'a> CellReader<'a> {
    /// For a table of these parameters.
    pub fn new(table: &'a Table, spec: HandsSpec) -> Self {
        CellReader { table, spec, clusters: Clusters::get(spec.game) }
    }

    /// The counts with the first cluster's representative fixed.
    ///
    /// # Errors
    /// What reading values gives; [`TableError::Corrupt`] if they contradict each other.
    pub fn get(&self, first: ClusterId, second: ClusterId) -> Result<CellCounts, TableError> {
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
        stored.and_then(turned).ok_or_else(|| contradiction(entry))
    }
}

pub(super) struct HandsLookup(HandsSpec);

/// What a table says of two clusters of hands.
#[derive(Debug, Clone)]
pub struct FoundCell {
    /// All clusters of the game.
    pub clusters: &'static Clusters,
    /// The cluster whose representative is fixed.
    pub first: ClusterId,
    /// The other cluster.
    pub second: ClusterId,
    /// How the first fares against the second.
    pub counts: CellCounts,
}

impl HandsLookup {
    pub(super) fn new(spec: HandsSpec) -> HandsLookup {
        HandsLookup(spec)
    }

    fn clusters(&self, hands: &[&str]) -> Result<(ClusterId, ClusterId), TableError> {
        let &[first, second] = hands else {
            let what = format!(
                "a cell of a hand table is two hands, by their cards like `AsKs` or by their \
                 class like `AKs`, not {}",
                hands.len()
            );
            return Err(InputError::Position(what).into());
        };
        let clusters = Clusters::get(self.0.game);
        let parse = |hand| clusters.parse(hand).map_err(InputError::Hands);
        Ok((parse(first)?, parse(second)?))
    }

    pub(super) fn entry(&self, hands: &[&str]) -> Result<u64, TableError> {
        let (first, second) = self.clusters(hands)?;
        Ok(CellIndex::new(Clusters::get(self.0.game)).entry(Cell::of(first, second)))
    }

    pub(super) fn find(&self, table: &Table, hands: &[&str]) -> Result<FoundCell, TableError> {
        let (first, second) = self.clusters(hands)?;
        let clusters = Clusters::get(self.0.game);
        let counts = CellReader::new(table, self.0).get(first, second)?;
        Ok(FoundCell { clusters, first, second, counts })
    }
}

impl FoundCell {
    pub(super) fn json(&self) -> Json {
        let name = |id| {
            let cluster = self.clusters.cluster(id);
            json!({
                "hand": cluster.to_string(),
                "class": self.clusters.class(id),
                "hands": cluster.hands(),
            })
        };
        let counts = &self.counts;
        json!({
            "first": name(self.first),
            "second": name(self.second),
            "placements": counts.placements,
            "wins": counts.win,
            "ties": counts.tie,
            "losses": counts.loss,
            "equity": counts.equity(),
        })
    }
}
