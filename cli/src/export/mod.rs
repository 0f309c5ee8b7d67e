//! `retrotab export`: a table for other programs.
//!
//! Entries are written as they are read, so the memory does not depend on the size of the table.

mod hands;
mod npy;
mod parquet;
mod stack;
mod sticks;

use std::io::{BufWriter, Write};
use std::sync::Arc;

use anyhow::Context;
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use retrotab_tablefmt::durable::DurableFile;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{ReadOptions, Table, TableError};

use crate::args::{ExportArgs, ExportFormat};
use crate::run::pool;

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
    let table = Table::open(&args.dir, ReadOptions::default())?;
    pool::start(None)?;
    match &args.out {
        Some(path) => {
            let mut file = Durable { file: DurableFile::create(path)?, failed: None };
            let written = write(args.format, &table, &mut file);
            // The file knows better than its writers why it could not be written.
            if let Some(error) = file.failed.take() {
                return Err(error.into());
            }
            written?;
            Ok(file.file.commit()?)
        }
        None => write(args.format, &table, &mut std::io::stdout()),
    }
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

fn write(format: ExportFormat, table: &Table, out: &mut (impl Write + Send)) -> anyhow::Result<()> {
    let lines: Box<dyn Lines + '_> = match table.manifest().table {
        TableSpec::Stack(spec) => Box::new(stack::StackLines::new(table, spec)),
        TableSpec::Sticks(spec) => Box::new(sticks::SticksLines::new(table, spec)),
        TableSpec::Hands(spec) => Box::new(hands::HandsLines::new(table, spec)),
    };
    let mut out = BufWriter::with_capacity(1 << 20, out);
    match format {
        ExportFormat::Csv => lines.csv(&mut out)?,
        ExportFormat::Parquet => parquet::write(lines.as_ref(), &mut out)?,
        ExportFormat::Npy => npy::write(table, &mut out)?,
    }
    out.flush().context("cannot write the export")
}
