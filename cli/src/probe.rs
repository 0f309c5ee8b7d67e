//! `retrotab probe`: look up positions in a table.

mod hands;
mod stack;
mod sticks;

use std::io::{BufRead, Write};

use anyhow::Context;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{ReadOptions, Table};

use crate::args::ProbeArgs;
use crate::failure::UserError;
use hands::HandsProber;
use stack::StackProber;
use sticks::{Notation, SticksProber};

/// How the positions of one family are read and looked up.
trait Prober {
    /// Looks a position up and prints what the table says of it.
    fn print(&self, words: &[&str], out: &mut dyn Write) -> anyhow::Result<()>;
}

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    let table = Table::open(&args.dir, ReadOptions::default())?;
    let prober: Box<dyn Prober + '_> = match table.manifest().table {
        TableSpec::Stack(_) | TableSpec::Hands(_) if args.board.is_some() => {
            let text = format!("--board is for stick tables; this is a {}", table.manifest().table);
            return Err(UserError(text).into());
        }
        TableSpec::Stack(spec) => Box::new(StackProber::new(&table, spec, args.json)),
        TableSpec::Hands(spec) => Box::new(HandsProber::new(&table, spec, args.json)),
        TableSpec::Sticks(spec) => {
            let board = args.board.as_ref();
            let notation = board.map_or(Notation::Lengths, |_| Notation::Board);
            Box::new(SticksProber::new(&table, spec, notation, args.json))
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let asked = args.board.as_ref().map_or(args.position.as_slice(), std::slice::from_ref);
    if asked == ["-"] {
        for (i, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.context("cannot read standard input")?;
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                let number = i + 1;
                prober.print(&words, &mut out).with_context(|| format!("line {number}"))?;
            }
        }
    } else {
        let words: Vec<&str> = match asked {
            [quoted] => quoted.split_whitespace().collect(),
            words => words.iter().map(String::as_str).collect(),
        };
        prober.print(&words, &mut out)?;
    }
    out.flush()?;
    Ok(())
}
