//! Statistics as JSON.

use serde_json::{Value, json};

use super::{Group, TableStats, Tally};
use crate::spec::TableSpec;

impl TableStats {
    /// Everything that is known, with the meaning of the numbers beside them. Sums are in units of
    /// `1 / unit`.
    pub fn json(&self, table: &TableSpec) -> Value {
        let measure = self.measure;
        let [lost, won] = measure.sure();
        let group = |group: &Group| {
            let mut found = tally(self, &group.tally);
            found["name"] = json!(group.name);
            found
        };
        json!({
            "table": table,
            "title": table.to_string(),
            "measure": measure,
            "value": measure.name(),
            "counted": measure.counted(),
            "grouped_by": measure.groups(),
            "lost_means": lost,
            "won_means": won,
            "unit": self.unit,
            "all": tally(self, &self.all),
            "groups": self.groups.iter().map(group).collect::<Vec<_>>(),
            "sections": self.sections,
        })
    }
}

fn tally(stats: &TableStats, tally: &Tally) -> Value {
    let Tally { counted, lost, won, sum, bins } = tally;
    json!({
        "counted": counted,
        "mean": stats.mean(tally),
        "lost": lost,
        "won": won,
        "lost_share": tally.share(*lost),
        "won_share": tally.share(*won),
        "sum": sum,
        "histogram": bins,
    })
}
