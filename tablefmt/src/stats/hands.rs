//! Statistics of hand tables.
//!
//! What is counted are ordered pairs of concrete hands that have no card in common, each with
//! the equity of its cell. The cell of clusters c1 and c2 stands for `hands(c1) * placements`
//! pairs with a hand of c1 first, and as many turned round.

use rayon::prelude::*;

use super::Group;
use super::tally::{SHARE_BINS, Seen, Tally, Verdict, share_bin};
use crate::error::TableError;
use crate::hands::{CellCounts, Clusters, HandsSpec, Row, Rows, each_rows};
use crate::reader::Table;

/// What an equity of 1 counts: a won board is two halves.
pub(super) fn unit(spec: HandsSpec) -> u64 {
    2 * u64::from(spec.game.boards())
}

/// Histograms of all clusters take 8 MiB in Omaha, so not every thread of a large machine gets
/// its own.
const MOST_TOGETHER: usize = 8;

/// The equities of each cluster against all hands.
pub(super) fn clusters(
    table: &Table,
    spec: HandsSpec,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Group>, TableError> {
    let clusters = Clusters::get(spec.game);
    let together = rayon::current_num_threads().clamp(1, MOST_TOGETHER);
    let nothing = || vec![Tally::new(SHARE_BINS); clusters.count()];
    let mut parts: Vec<Vec<Tally>> = (0..together).map(|_| nothing()).collect();
    each_rows(table, spec, |rows: &Rows| {
        parts.par_iter_mut().enumerate().try_for_each(|(part, tallies)| {
            rows.iter().skip(part).step_by(together).try_for_each(|row| see(clusters, row, tallies))
        })?;
        progress(rows.cells() as u64);
        Ok::<_, TableError>(())
    })?;
    let mut tallies = nothing();
    for part in &parts {
        tallies.iter_mut().zip(part).for_each(|(tally, more)| *tally += more);
    }
    let named = clusters.iter().zip(tallies);
    Ok(named.map(|((_, cluster), tally)| Group { name: cluster.to_string(), tally }).collect())
}

/// Counts the cells of a row for its own cluster and for the others.
fn see(clusters: &Clusters, row: Row<'_>, tallies: &mut [Tally]) -> Result<(), TableError> {
    let hands = u64::from(clusters.cluster(row.cluster).hands());
    for cell in row.cells() {
        let (other, counts) = cell?;
        if counts.placements == 0 {
            continue;
        }
        tallies[usize::from(row.cluster.0)].see(seen(&counts, hands));
        if other != row.cluster {
            let CellCounts { win, tie, loss, placements } = counts;
            let turned = CellCounts { win: loss, tie, loss: win, placements };
            tallies[usize::from(other.0)].see(seen(&turned, hands));
        }
    }
    Ok(())
}

/// A cell that has placements, once for each of so many hands.
fn seen(counts: &CellCounts, hands: u64) -> Seen {
    let halves = 2 * counts.win + counts.tie;
    let all = 2 * (counts.win + counts.tie + counts.loss);
    let verdict = match halves {
        0 => Verdict::Lost,
        halves if halves == all => Verdict::Won,
        _ => Verdict::Open,
    };
    let bin = share_bin(halves, all);
    Seen { times: counts.placements * hands, verdict, sum: halves * hands, bin }
}
