//! What a table says of two clusters of hands, for people.

use retrotab_tablefmt::hands::{CellCounts, ClusterId};
use retrotab_tablefmt::lookup::FoundCell;

use crate::text::count;

pub fn describe(found: &FoundCell) -> String {
    let name = |id: ClusterId| {
        let (class, cluster) = (found.clusters.class(id), found.clusters.cluster(id));
        format!("{cluster} ({class}, {} hands)", cluster.hands())
    };
    let mut text = format!("{} against {}\n", name(found.first), name(found.second));
    let CellCounts { win, tie, loss, placements } = found.counts;
    let Some(equity) = found.counts.equity() else {
        text += "placements 0: every hand of the one shares a card with every hand of the \
                 other, so there is nothing to compare\n";
        return text;
    };
    text += &format!(
        "placements {placements}: so many hands of the second leave one of the first alone\n"
    );
    for (name, boards) in [("wins", win), ("ties", tie), ("losses", loss)] {
        text += &format!("{name:10} {}\n", count(boards));
    }
    text + &format!("equity     {equity:.6}\n")
}

#[cfg(test)]
mod tests {
    use retrotab_tablefmt::hands::{Clusters, Game};
    use retrotab_tablefmt::lookup::Found;

    use super::*;

    #[test]
    fn a_cell_without_placements_says_so() {
        let clusters = Clusters::get(Game::Omaha);
        let id = |text| clusters.parse(text).unwrap();
        let counts = CellCounts::default();
        let found = FoundCell { clusters, first: id("AAAA"), second: id("AAKKds"), counts };
        let text = describe(&found);
        assert!(text.contains("placements 0") && text.contains("nothing to compare"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("equity"), "{text}");
        assert_eq!(Found::Hands(found).json()["equity"], serde_json::Value::Null);
    }
}
