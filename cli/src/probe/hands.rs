//! Looking up two clusters of hands.

use std::io::Write;

use retrotab_tablefmt::Table;
use retrotab_tablefmt::hands::{CellCounts, ClusterId, Clusters, HandsSpec};
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
        let found = Found { clusters, first, second, counts: self.cells.get(first, second)? };
        match self.json {
            true => writeln!(out, "{}", found.json())?,
            false => write!(out, "{}", found.text())?,
        }
        Ok(())
    }
}

/// A cell that was looked up.
struct Found {
    clusters: &'static Clusters,
    first: ClusterId,
    second: ClusterId,
    counts: CellCounts,
}

impl Found {
    fn name(&self, id: ClusterId) -> String {
        let (class, cluster) = (self.clusters.class(id), self.clusters.cluster(id));
        format!("{cluster} ({class}, {} hands)", cluster.hands())
    }

    fn text(&self) -> String {
        let mut text = format!("{} against {}\n", self.name(self.first), self.name(self.second));
        let CellCounts { win, tie, loss, placements } = self.counts;
        let Some(equity) = self.counts.equity() else {
            text += "placements 0: every hand of the one shares a card with every hand of the \
                     other, so there is nothing to compare\n";
            return text;
        };
        text += &format!(
            "placements {placements}: so many hands of the second leave one of the \
                          first alone\n"
        );
        for (name, boards) in [("wins", win), ("ties", tie), ("losses", loss)] {
            text += &format!("{name:10} {}\n", count(boards));
        }
        text + &format!("equity     {equity:.6}\n")
    }

    fn json(&self) -> serde_json::Value {
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

#[cfg(test)]
mod tests {
    use retrotab_tablefmt::hands::Game;

    use super::*;

    #[test]
    fn a_cell_without_placements_says_so() {
        let clusters = Clusters::get(Game::Omaha);
        let id = |text| clusters.parse(text).unwrap();
        let counts = CellCounts::default();
        let found = Found { clusters, first: id("AAAA"), second: id("AAKKds"), counts };
        let text = found.text();
        assert!(text.contains("placements 0") && text.contains("nothing to compare"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("equity"), "{text}");
        assert_eq!(found.json()["equity"], serde_json::Value::Null);
    }
}
