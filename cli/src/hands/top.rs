//! `retrotab top`: the strongest clusters against a random hand.

use std::io::Write;

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::hands::{ClusterId, Clusters, Game, each_row};
use serde_json::json;

use crate::args::TopArgs;
use crate::run::pool;
use crate::text::count;

/// Pairs of concrete hands and boards, over all hands of a cluster against all others.
#[derive(Clone, Copy, Default)]
struct Totals {
    win: u64,
    tie: u64,
    loss: u64,
    /// Pairs of hands.
    pairs: u64,
}

impl Totals {
    fn equity(&self) -> f64 {
        let all = self.win + self.tie + self.loss;
        (self.win as f64 + self.tie as f64 / 2.0) / all as f64
    }
}

/// Prints the clusters that do best against a random hand, and the sums over the whole table.
pub fn top(args: &TopArgs) -> anyhow::Result<()> {
    let (table, spec) = super::open(&args.dir)?;
    pool::start(None)?;
    let clusters = Clusters::get(spec.game);
    let mut totals = vec![Totals::default(); clusters.count()];
    each_row(&table, spec, |row| {
        let hands = u64::from(clusters.cluster(row.cluster).hands());
        for cell in row.cells() {
            let (other, counts) = cell?;
            let (win, tie) = (counts.win * hands, counts.tie * hands);
            let (loss, pairs) = (counts.loss * hands, counts.placements * hands);
            add(&mut totals[usize::from(row.cluster.0)], Totals { win, tie, loss, pairs });
            if other != row.cluster {
                let turned = Totals { win: loss, tie, loss: win, pairs };
                add(&mut totals[usize::from(other.0)], turned);
            }
        }
        Ok::<_, TableError>(())
    })?;
    check(clusters, &totals)?;
    print(args, clusters, &totals)
}

fn add(to: &mut Totals, other: Totals) {
    to.win += other.win;
    to.tie += other.tie;
    to.loss += other.loss;
    to.pairs += other.pairs;
}

/// Every hand must have met every hand that is disjoint from it.
fn check(clusters: &Clusters, totals: &[Totals]) -> Result<(), TableError> {
    let others = match clusters.game() {
        Game::Holdem => 50 * 49 / 2,
        Game::Omaha => 48 * 47 * 46 * 45 / 24,
    };
    for ((_, cluster), totals) in clusters.iter().zip(totals) {
        let expected = u64::from(cluster.hands()) * others;
        if totals.pairs != expected {
            let what = format!("{} pairs of hands instead of {expected}", totals.pairs);
            return Err(TableError::corrupt("table".as_ref(), format!("cluster {cluster}"), what));
        }
    }
    Ok(())
}

fn print(args: &TopArgs, clusters: &Clusters, totals: &[Totals]) -> anyhow::Result<()> {
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by(|&a, &b| totals[b].equity().total_cmp(&totals[a].equity()));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (place, &i) in order.iter().take(args.n).enumerate() {
        let id = ClusterId(i as u16);
        let (cluster, class) = (clusters.cluster(id), clusters.class(id));
        let (equity, place) = (totals[i].equity(), place + 1);
        if args.json {
            let hand = cluster.to_string();
            let line = json!({"place": place, "hand": hand, "class": class, "equity": equity});
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{place:6}  {cluster}  {class:6}  {equity:.6}")?;
        }
    }
    if !args.json {
        let mut all = Totals::default();
        totals.iter().for_each(|&totals| add(&mut all, totals));
        writeln!(out, "over all ordered pairs of hands and boards:")?;
        for (name, boards) in [("wins", all.win), ("ties", all.tie), ("losses", all.loss)] {
            writeln!(out, "{name:7} {}", count(boards))?;
        }
    }
    out.flush()?;
    Ok(())
}
