//! Statistics as a table for people.

use std::io::{self, Write};

use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stats::{Measure, SectionSize, TableStats, Tally};

use crate::text::{bytes, count};

/// Which groups are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// None if they are very many.
    Few,
    /// All.
    All,
}

/// Groups that are listed without being asked for.
const FEW: usize = 200;

/// Writes the statistics of a table.
pub fn write(
    table: &TableSpec,
    stats: &TableStats,
    groups: Groups,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (measure, all) = (stats.measure, &stats.all);
    let [lost, won] = measure.sure();
    let counted = measure.counted();
    writeln!(out, "{table}")?;
    writeln!(out, "value      {}", measure.name())?;
    writeln!(out, "counted    {} {counted}", count(all.counted))?;
    writeln!(out, "mean       {}", mean(stats, all))?;
    writeln!(out, "lost       {} of the {counted} ({lost})", percent(all.share(all.lost)))?;
    writeln!(out, "won        {} of the {counted} ({won})", percent(all.share(all.won)))?;
    writeln!(out, "\nhistogram of the values, {}", scale(stats))?;
    histogram(stats, out)?;
    if groups == Groups::All || stats.groups.len() <= FEW {
        writeln!(out)?;
        listing(stats, out)?;
    } else {
        let (number, what) = (count(stats.groups.len() as u64), measure.groups());
        writeln!(out, "\n{number} rows, one for each {what}, are listed with --all")?;
    }
    writeln!(out)?;
    sizes(&stats.sections, out)
}

fn scale(stats: &TableStats) -> &'static str {
    match stats.measure {
        Measure::Moves => "by number of moves",
        _ => "each line from there on up to the next",
    }
}

fn mean(stats: &TableStats, tally: &Tally) -> String {
    stats.mean(tally).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.6}"))
}

fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// Characters of the longest bar.
const BAR: f64 = 40.0;

fn histogram(stats: &TableStats, out: &mut dyn Write) -> io::Result<()> {
    let bins = &stats.all.bins;
    let most = bins.iter().copied().max().unwrap_or(0).max(1);
    let last = bins.iter().rposition(|&bin| bin > 0).map_or(0, |last| last + 1);
    for (i, &bin) in bins.iter().enumerate().take(last) {
        let from = match stats.measure {
            Measure::Moves => format!("{i:4}"),
            _ => format!("{:.2}", i as f64 / bins.len() as f64),
        };
        let bar = "#".repeat((BAR * bin as f64 / most as f64).round() as usize);
        let line = format!("{from}  {:>10}  {bar}", percent(stats.all.share(bin)));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn listing(stats: &TableStats, out: &mut dyn Write) -> io::Result<()> {
    let (group, counted) = (stats.measure.groups(), stats.measure.counted());
    writeln!(
        out,
        "{group:>11}  {counted:>22}  {:>10}  {:>10}  {:>10}  values",
        "mean", "lost", "won"
    )?;
    for group in &stats.groups {
        let tally = &group.tally;
        writeln!(
            out,
            "{:>11}  {:>22}  {:>10}  {:>10}  {:>10}  {}",
            group.name,
            count(tally.counted),
            mean(stats, tally),
            percent(tally.share(tally.lost)),
            percent(tally.share(tally.won)),
            sparkline(&tally.bins),
        )?;
    }
    Ok(())
}

/// Characters of a histogram in a line.
const SPARKS: usize = 25;

/// A histogram in a line, the lowest values first; a space is none.
fn sparkline(bins: &[u64]) -> String {
    let heights =
        ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}'];
    let together = bins.len().div_ceil(SPARKS).max(1);
    let joined: Vec<u64> = bins.chunks(together).map(|bins| bins.iter().sum()).collect();
    let most = joined.iter().copied().max().unwrap_or(0).max(1);
    let spark = |&bin: &u64| match bin {
        0 => ' ',
        bin => heights[(bin as f64 / most as f64 * (heights.len() - 1) as f64) as usize],
    };
    let line: String = joined.iter().map(spark).collect();
    format!("|{line}|")
}

fn sizes(sections: &[SectionSize], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:>11}  {:>14}  {:>11}  {:>11}  {:>10}",
        "section", "entries", "raw", "stored", "stored/raw"
    )?;
    let mut all = SectionSize { name: "all".to_owned(), entries: 0, raw_bytes: 0, stored_bytes: 0 };
    for section in sections {
        all.entries += section.entries;
        all.raw_bytes += section.raw_bytes;
        all.stored_bytes += section.stored_bytes;
        size(section, out)?;
    }
    size(&all, out)
}

fn size(section: &SectionSize, out: &mut dyn Write) -> io::Result<()> {
    let SectionSize { name, entries, raw_bytes, stored_bytes } = section;
    let share = *stored_bytes as f64 / (*raw_bytes).max(1) as f64;
    let (entries, raw, stored) = (count(*entries), bytes(*raw_bytes), bytes(*stored_bytes));
    writeln!(out, "{name:>11}  {entries:>14}  {raw:>11}  {stored:>11}  {share:>10.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_where_the_values_are() {
        assert_eq!(sparkline(&[0, 7, 1]), "| \u{2587}\u{2581}|");
        assert_eq!(sparkline(&[0, 0]), "|  |");
        let fifty = sparkline(&[1; 50]);
        assert_eq!(fifty, format!("|{}|", "\u{2587}".repeat(25)));
    }
}
