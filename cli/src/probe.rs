//! `retrotab probe`: look up positions in a table.

mod hands;
mod stack;
mod sticks;

use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use retrotab_tablefmt::lookup::{Asked, Found, Lookup};
use retrotab_tablefmt::remote::{FrameCache, Patience, Remote, RemoteTable};
use retrotab_tablefmt::{ReadOptions, Table, TableError};

use crate::args::ProbeArgs;
use crate::{text, token};

/// Prints the values of one position, or of those on standard input.
pub fn probe(args: &ProbeArgs) -> anyhow::Result<()> {
    if !args.table.contains("://") {
        let table = Table::open(args.table.as_ref(), ReadOptions::default())?;
        return look_up(&table, args);
    }
    let bearer = token::bearer(args.token_file.as_deref())?;
    let remote = Remote::open_as(bearer, &args.table, Patience::default())?;
    let remote = RemoteTable::open(remote, cache(args))?;
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

/// Positions of standard input that are looked up together, in the order of their entries: in a
/// large table most of the time goes into decoding frames, each once for all of them. They take about
/// 100 MiB.
const TOGETHER: usize = 1 << 18;

fn look_up(table: &Table, args: &ProbeArgs) -> anyhow::Result<()> {
    let prober = Prober { table, lookup: Lookup::new(&table.manifest().table), args };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let asked = args.board.clone().unwrap_or_else(|| args.position.join(" "));
    if asked != "-" {
        out.write_all(prober.look_up(&asked)?.as_bytes())?;
        return Ok(out.flush()?);
    }
    let mut lines = std::io::stdin().lock().lines().zip(1..);
    loop {
        let (mut batch, mut is_over) = (Vec::new(), true);
        for (line, number) in lines.by_ref().take(TOGETHER) {
            is_over = false;
            let line = line.context("cannot read standard input")?;
            if !line.trim().is_empty() {
                let at = || format!("line {number}");
                batch.push((prober.entry(&line).with_context(at)?, number, line));
            }
        }
        if is_over {
            return Ok(out.flush()?);
        }
        for found in prober.look_up_all(&batch)? {
            out.write_all(found.as_bytes())?;
        }
    }
}

/// Looks up positions as the user wants them.
struct Prober<'a> {
    table: &'a Table,
    lookup: Lookup,
    args: &'a ProbeArgs,
}

impl Prober<'_> {
    fn asked<T>(&self, text: &str, then: impl FnOnce(Asked<'_>) -> T) -> T {
        let words: Vec<&str> = text.split_whitespace().collect();
        then(match self.args.board {
            Some(_) => Asked::Board(text),
            None => Asked::Words(&words),
        })
    }

    fn entry(&self, text: &str) -> Result<u64, TableError> {
        self.asked(text, |asked| self.lookup.entry(asked))
    }

    /// What is printed of a position, with the end of the line.
    fn look_up(&self, text: &str) -> Result<String, TableError> {
        let found = self.asked(text, |asked| self.lookup.find(self.table, asked))?;
        Ok(match self.args.json {
            true => format!("{}\n", found.json()),
            false => describe(&found),
        })
    }

    /// The same for many positions, each with its entry and the number of its line.
    fn look_up_all(&self, batch: &[(u64, usize, String)]) -> anyhow::Result<Vec<String>> {
        let mut order: Vec<usize> = (0..batch.len()).collect();
        order.sort_unstable_by_key(|&place| batch[place].0);
        let mut found = vec![String::new(); batch.len()];
        for place in order {
            let (_, number, text) = &batch[place];
            found[place] = self.look_up(text).with_context(|| format!("line {number}"))?;
        }
        Ok(found)
    }
}

/// What was found, for people: one line or more, each ended.
fn describe(found: &Found) -> String {
    match found {
        Found::Stack(found) => stack::describe(found),
        Found::Hands(found) => hands::describe(found),
        Found::Sticks(found) => sticks::describe(found),
    }
}
