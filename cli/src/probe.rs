//! `retrotab probe`: look up positions in a table.

mod hands;
mod stack;

use std::io::{BufRead, Write};

use anyhow::Context;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{ReadOptions, Table};

use crate::args::ProbeArgs;
use hands::HandsProber;
use stack::StackProber;

/// How the positions of one family are read and looked up.
trait Prober {
    /// Looks a position up and prints what the table says of it.
    fn print(&self, words: &[&str], out: &mut dyn Write) -> anyhow::Result<()>;
}

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    let table = Table::open(&args.dir, ReadOptions::default())?;
    let prober: Box<dyn Prober + '_> = match table.manifest().table {
        TableSpec::Stack(spec) => Box::new(StackProber::new(&table, spec, args.json)),
        TableSpec::Hands(spec) => Box::new(HandsProber::new(&table, spec, args.json)),
    };
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
