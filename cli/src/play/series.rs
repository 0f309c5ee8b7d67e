//! Many games, counted.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use retrotab_player::score::{Interval, wilson};
use retrotab_player::{Outcome, play as play_deal};
use serde_json::json;

use super::deals::Deals;
use super::setup::Table;
use crate::args::PlayArgs;

/// Games that are played before their lines are printed, for each thread.
const AT_ONCE: usize = 8;

/// A game of the series.
struct Played {
    outcome: Outcome,
    seconds: f64,
}

/// Plays all deals and prints how many were won; with JSON, also each game, in order.
pub fn play(table: &Table, deals: &Deals, args: &PlayArgs) -> anyhow::Result<()> {
    let mut builder = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = args.threads {
        builder = builder.num_threads(threads.get());
    }
    let pool = builder.build()?;
    let bar = bar(deals.count());
    let begin = Instant::now();
    let out = &mut std::io::stdout().lock();
    let (mut wins, mut seconds) = (0, 0.0);
    let step = (pool.current_num_threads() * AT_ONCE) as u64;
    for first in (0..deals.count()).step_by(step as usize) {
        let last = deals.count().min(first + step);
        let one = |at| {
            let played = play_one(table, deals, at);
            bar.inc(1);
            played
        };
        let games = pool.install(|| {
            (first..last).into_par_iter().map(one).collect::<anyhow::Result<Vec<Played>>>()
        })?;
        for (at, game) in (first..).zip(games) {
            wins += u64::from(game.outcome.won);
            seconds += game.seconds;
            if args.json {
                let (deal, outcome) = (deals.first() + at, game.outcome);
                let line = json!({"deal": deal, "won": outcome.won, "built": outcome.built});
                writeln!(out, "{line}")?;
            }
        }
        bar.set_message(format!("{wins} won"));
    }
    bar.finish_and_clear();
    let count = deals.count();
    let interval = wilson(wins, count);
    let (each, wall) = (seconds / count as f64, begin.elapsed().as_secs_f64());
    if args.json {
        let Interval { low, high } = interval;
        let rate = wins as f64 / count as f64;
        let line = json!({"games": count, "wins": wins, "rate": rate, "low": low, "high": high,
            "seconds_per_game": each, "wall_seconds": wall});
        writeln!(out, "{line}")?;
    } else {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        writeln!(out, "{wins}/{count}")?;
        writeln!(
            out,
            "won {}, 95 % interval {} to {}; {each:.4} s a game and core",
            percent(wins as f64 / count as f64),
            percent(interval.low),
            percent(interval.high)
        )?;
    }
    Ok(())
}

fn play_one(table: &Table, deals: &Deals, at: u64) -> anyhow::Result<Played> {
    let deal = deals.get(at)?;
    let begin = Instant::now();
    let rules = (table.rules.game, table.rules.start);
    let outcome = play_deal(table.evaluator, table.settings, rules, &deal, |_| {})?;
    Ok(Played { outcome, seconds: begin.elapsed().as_secs_f64() })
}

/// A bar that counts games; invisible where there is no terminal.
fn bar(games: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "[{bar:40}] {pos}/{len} games, {msg}, ETA {eta}";
    let style = ProgressStyle::with_template(template).expect("a template that parses");
    ProgressBar::new(games).with_style(style)
}
