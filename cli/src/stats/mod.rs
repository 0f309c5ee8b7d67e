//! `retrotab stats`: what the values of a table are like.

pub mod plot;
mod text;

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use retrotab_tablefmt::durable::write_durably;
use retrotab_tablefmt::stats::statistics;
use retrotab_tablefmt::{ReadOptions, Table};

use crate::args::StatsArgs;
use crate::failure::UserError;
use crate::run::{pool, report};
use plot::Picture;

/// Reads a whole table and prints its statistics; with `--plot` draws them too.
pub fn stats(args: &StatsArgs) -> anyhow::Result<()> {
    let plot = args.plot.as_deref().map(|path| Ok::<_, UserError>((path, picture_of(path)?)));
    let plot = plot.transpose()?;
    let table = Table::open(&args.dir, ReadOptions::default())?;
    pool::start(args.threads)?;
    let layout = table.manifest().table.layout();
    let bar = report::bar(layout.entries() * layout.entry_bytes(), "reading");
    let stats = statistics(&table, |entries| bar.inc(entries * layout.entry_bytes()))?;
    bar.finish_and_clear();
    if let Some((path, picture)) = plot {
        write_durably(path, &plot::draw(&stats, picture)?)?;
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let about = &table.manifest().table;
    if args.json {
        serde_json::to_writer(&mut out, &stats.json(about))?;
        writeln!(out)?;
    } else {
        let groups = if args.all { text::Groups::All } else { text::Groups::Few };
        text::write(about, &stats, groups, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// The kind of picture that a file's name asks for.
fn picture_of(path: &Path) -> Result<Picture, UserError> {
    match path.extension().and_then(OsStr::to_str) {
        Some("svg") => Ok(Picture::Svg),
        Some("png") => Ok(Picture::Png),
        _ => {
            let path = path.display();
            Err(UserError(format!("{path}: the name of a picture must end in .svg or .png")))
        }
    }
}
