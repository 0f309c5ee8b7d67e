//! Statistics as JSON.

use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stats::{Group, TableStats, Tally};
use serde_json::{Value, json};

/// Everything that is known, with the meaning of the numbers beside them. Sums are in units of
/// `1 / unit`.
pub fn of(table: &TableSpec, stats: &TableStats) -> Value {
    let measure = stats.measure;
    let [lost, won] = measure.sure();
    let group = |group: &Group| {
        let mut found = tally(stats, &group.tally);
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
        "unit": stats.unit,
        "all": tally(stats, &stats.all),
        "groups": stats.groups.iter().map(group).collect::<Vec<_>>(),
        "sections": stats.sections,
    })
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
