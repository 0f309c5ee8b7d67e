//! `retrotab export`: a table for other programs.
//!
//! Entries are written as they are read, so the memory does not depend on the size of the table.

mod hands;
mod npy;
mod parquet;
mod progress;
mod stack;
mod sticks;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use retrotab_tablefmt::durable::DurableFile;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{ReadOptions, Table, TableError};

use crate::args::{ExportArgs, ExportFormat};
use crate::failure::UserError;
use crate::run::{interrupt, pool};
use progress::Progress;

/// Entries that are decoded together, about.
const TOGETHER: u64 = 1 << 20;
/// Lines in a batch, about.
const BATCH: usize = 1 << 16;

/// The entries of a table as lines of named columns.
trait Lines {
    /// Writes them as comma-separated values with a heading.
    fn csv(&self, out: &mut dyn Write) -> anyhow::Result<()>;

    /// The columns.
    fn schema(&self) -> Arc<Schema>;

    /// Calls `each` with all of them in order, about [`BATCH`] at a time.
    fn batches(&self, each: Each<'_>) -> anyhow::Result<()>;
}

/// What is done with a batch of lines.
type Each<'a> = &'a mut dyn FnMut(&RecordBatch) -> anyhow::Result<()>;

/// Writes the table to a file, or to standard output.
pub fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let stop = interrupt::catch()?;
    args.out.as_deref().map_or(Ok(()), check_place)?;
    let table = Table::open(&args.dir, ReadOptions::default())?;
    pool::start(None)?;
    let progress = Progress::new(args, &table, stop);
    match &args.out {
        Some(path) => {
            let mut file = Durable { file: DurableFile::create(path)?, failed: None };
            let written = write(args.format, &table, &progress, &mut file);
            // The file knows better than its writers why it could not be written.
            if let Some(error) = file.failed.take() {
                return Err(error.into());
            }
            written?;
            file.file.commit()?;
        }
        None => write(args.format, &table, &progress, &mut std::io::stdout())?,
    }
    progress.finish();
    Ok(())
}

/// Refuses what a file cannot be put in place of, before all the work is done.
fn check_place(path: &Path) -> Result<(), UserError> {
    // A name like `new/` can only be that of a folder.
    let ends_as_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let what = match fs::metadata(path) {
        Ok(about) if about.is_dir() => "a folder",
        Ok(about) if !about.is_file() => "no plain file",
        Err(_) if ends_as_folder => "the name of a folder",
        _ => return Ok(()),
    };
    let path = path.display();
    Err(UserError(format!(
        "{path}: this is {what}; --out names a file, and without it the export goes to standard \
         output"
    )))
}

/// A file that appears when it is complete.
struct Durable {
    file: DurableFile,
    failed: Option<TableError>,
}

impl Write for Durable {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes).map_err(|error| {
            let text = error.to_string();
            self.failed.get_or_insert(error);
            std::io::Error::other(text)
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write(
    format: ExportFormat,
    table: &Table,
    progress: &Progress,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let lines: Box<dyn Lines + '_> = match table.manifest().table {
        TableSpec::Stack(spec) => Box::new(stack::StackLines::new(table, spec, progress)),
        TableSpec::Sticks(spec) => Box::new(sticks::SticksLines::new(table, spec, progress)),
        TableSpec::Hands(spec) => Box::new(hands::HandsLines::new(table, spec, progress)),
    };
    let mut out = BufWriter::with_capacity(1 << 20, out);
    match format {
        ExportFormat::Csv => lines.csv(&mut out)?,
        ExportFormat::Parquet => parquet::write(lines.as_ref(), &mut out)?,
        ExportFormat::Npy => npy::write(table, progress, &mut out)?,
    }
    out.flush().context("cannot write the export")
}
