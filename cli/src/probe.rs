//! `retrotab probe`: look up positions in a table.

mod hands;
mod stack;
mod sticks;

use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use retrotab_tablefmt::lookup::{Asked, Found, Lookup};
use retrotab_tablefmt::remote::{FrameCache, Patience, RemoteTable};
use retrotab_tablefmt::{ReadOptions, Table};

use crate::args::ProbeArgs;
use crate::text;

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    if !args.table.contains("://") {
        let table = Table::open(args.table.as_ref(), ReadOptions::default())?;
        return look_up(&table, args);
    }
    let remote = RemoteTable::open(&args.table, Patience::default(), cache(args))?;
    let looked_up = look_up(remote.table(), args);
    let meter = remote.remote().meter();
    let (requests, bytes) = (meter.requests(), text::bytes(meter.received()));
    eprintln!("{}: {bytes} in {requests} requests", remote.remote().url());
    looked_up
}

/// Where frames of published tables are kept; nowhere if the user has no place for it.
fn cache(args: &ProbeArgs) -> Option<FrameCache> {
    let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
    let variable = |name| std::env::var_os(name).map(PathBuf::from).and_then(absolute);
    let folder = args.cache.clone().or_else(|| {
        // As the XDG base directory specification has it.
        let users = variable("XDG_CACHE_HOME");
        users.or_else(|| Some(variable("HOME")?.join(".cache"))).map(|users| users.join("retrotab"))
    });
    let bytes = args.cache_bytes.as_u64();
    folder.filter(|_| bytes > 0).map(|folder| FrameCache::new(&folder.join("frames"), bytes))
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
