//! `retrotab probe`: look up positions in a table.

mod hands;
mod stack;
mod sticks;

use std::io::{BufRead, Write};

use anyhow::Context;
use retrotab_tablefmt::lookup::{Asked, Found, Lookup};
use retrotab_tablefmt::{ReadOptions, Table};

use crate::args::ProbeArgs;

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    let table = Table::open(&args.dir, ReadOptions::default())?;
    look_up(&table, args)
}

fn look_up(table: &Table, args: &ProbeArgs) -> anyhow::Result<()> {
    let lookup = Lookup::new(&table.manifest().table);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut print = |text: &str| -> anyhow::Result<()> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let asked = match args.board {
            Some(_) => Asked::Board(text),
            None => Asked::Words(&words),
        };
        let found = lookup.find(table, asked)?;
        match args.json {
            true => writeln!(out, "{}", found.json())?,
            false => out.write_all(describe(&found).as_bytes())?,
        }
        Ok(())
    };
    let asked = args.board.clone().unwrap_or_else(|| args.position.join(" "));
    if asked == "-" {
        for (i, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.context("cannot read standard input")?;
            if !line.trim().is_empty() {
                let number = i + 1;
                print(&line).with_context(|| format!("line {number}"))?;
            }
        }
    } else {
        print(&asked)?;
    }
    out.flush()?;
    Ok(())
}

/// What was found, for people: one line or more, each ended.
fn describe(found: &Found) -> String {
    match found {
        Found::Stack(found) => stack::describe(found),
        Found::Hands(found) => hands::describe(found),
        Found::Sticks(found) => sticks::describe(found),
    }
}
