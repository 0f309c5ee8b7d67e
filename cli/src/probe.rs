//! `retrotab probe`: look up positions in a table.

use std::io::{BufRead, Write};

use anyhow::Context;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Position, Ranking};
use retrotab_tablefmt::{InputError, ReadOptions, Table, TableError};
use serde_json::json;

use crate::args::ProbeArgs;
use crate::failure::UserError;

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    let table = Table::open(&args.dir, ReadOptions::default())?;
    let TableSpec::Stack(spec) = table.manifest().table;
    let ranking = Ranking::new(spec);
    let prober = Prober { table: &table, ranking: &ranking, json: args.json };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if args.position == ["-"] {
        for (i, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.context("cannot read standard input")?;
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                let number = i + 1;
                prober.print(&words, &mut out).with_context(|| format!("line {number}"))?;
            }
        }
    } else {
        let words: Vec<&str> = match args.position.as_slice() {
            [quoted] => quoted.split_whitespace().collect(),
            words => words.iter().map(String::as_str).collect(),
        };
        prober.print(&words, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

struct Prober<'a> {
    table: &'a Table,
    ranking: &'a Ranking,
    json: bool,
}

impl Prober<'_> {
    fn print(&self, lanes: &[&str], out: &mut impl Write) -> anyhow::Result<()> {
        let &[a, b] = lanes else {
            let found = lanes.len();
            let text = format!("a stack position is two lanes, like `..1.0 .2.`, not {found}");
            return Err(UserError(text).into());
        };
        let spec = self.ranking.spec();
        let notation = |e| TableError::Input(InputError::Notation(e));
        let position = Position::parse(a, b, spec.stacks, spec.cards).map_err(notation)?;
        let entry = self.ranking.rank(&position).context("bug: a parsed position has no rank")?;
        let value = self.table.value(0, entry)?;
        let share = f64::from(value) / 65535.0;
        if self.json {
            let normal = json!([position.a.to_string(), position.b.to_string()]);
            let line = json!({"position": normal, "entry": entry, "value": value, "share": share});
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{position}  {share:.6}  ({value}/65535, entry {entry})")?;
        }
        Ok(())
    }
}
