//! Looking up two clusters of hands.

use std::io::Write;

use retrotab_tablefmt::Table;
use retrotab_tablefmt::hands::{CellCounts, ClusterId, HandsSpec};
use serde_json::json;

use super::Prober;
use crate::failure::UserError;
use crate::hands::cells::CellReader;
use crate::hands::users;
use crate::text::count;

/// Looks up cells in a hand table.
pub struct HandsProber<'a> {
    cells: CellReader<'a>,
    json: bool,
}

impl<'a> HandsProber<'a> {
    pub fn new(table: &'a Table, spec: HandsSpec, json: bool) -> Self {
        HandsProber { cells: CellReader::new(table, spec), json }
    }

    fn name(&self, id: ClusterId) -> String {
        let clusters = self.cells.clusters();
        let (class, cluster) = (clusters.class(id), clusters.cluster(id));
        format!("{cluster} ({class}, {} hands)", cluster.hands())
    }
}

impl Prober for HandsProber<'_> {
    fn print(&self, hands: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
        let &[first, second] = hands else {
            let text = format!(
                "a cell of a hand table is two hands, by their cards like `AsKs` or by their \
                 class like `AKs`, not {}",
                hands.len()
            );
            return Err(UserError(text).into());
        };
        let clusters = self.cells.clusters();
        let first = clusters.parse(first).map_err(users)?;
        let second = clusters.parse(second).map_err(users)?;
        let counts = self.cells.get(first, second)?;
        if self.json {
            writeln!(out, "{}", self.as_json(first, second, &counts))?;
            return Ok(());
        }
        writeln!(out, "{} against {}", self.name(first), self.name(second))?;
        let Some(equity) = counts.equity() else {
            let none = "no two hands of these are disjoint, so there is nothing to compare";
            writeln!(out, "placements 0: {none}")?;
            return Ok(());
        };
        let CellCounts { win, tie, loss, placements } = counts;
        writeln!(out, "placements {placements} (hands of the second that leave the first alone)")?;
        for (name, boards) in [("wins", win), ("ties", tie), ("losses", loss)] {
            writeln!(out, "{name:10} {}", count(boards))?;
        }
        writeln!(out, "equity     {equity:.6}")?;
        Ok(())
    }
}

impl HandsProber<'_> {
    fn as_json(
        &self,
        first: ClusterId,
        second: ClusterId,
        counts: &CellCounts,
    ) -> serde_json::Value {
        let clusters = self.cells.clusters();
        let name = |id| {
            let cluster = clusters.cluster(id);
            json!({
                "hand": cluster.to_string(),
                "class": clusters.class(id),
                "hands": cluster.hands(),
            })
        };
        json!({
            "first": name(first),
            "second": name(second),
            "placements": counts.placements,
            "wins": counts.win,
            "ties": counts.tie,
            "losses": counts.loss,
            "equity": counts.equity(),
        })
    }
}
