//! `retrotab export`: a hand table as Parquet or CSV.
//!
//! One line for each cell, with the representative of `hand1` fixed. Rows are written as they
//! are read, so the memory does not depend on the size of the table.

use std::io::{BufWriter, Write};
use std::sync::Arc;

use anyhow::Context;
use arrow_array::types::UInt16Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt8Array, UInt16Array,
    UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use retrotab_tablefmt::Table;
use retrotab_tablefmt::durable::DurableFile;
use retrotab_tablefmt::hands::{CellCounts, ClusterId, Clusters, HandsSpec};

use super::rows::{Row, each_row};
use crate::args::{ExportArgs, ExportFormat};
use crate::run::pool;

/// Writes the table to a file, or to standard output.
pub fn export(args: &ExportArgs) -> anyhow::Result<()> {
    let (table, spec) = super::open(&args.dir)?;
    pool::start(None)?;
    match &args.out {
        Some(path) => {
            let mut file = Durable { file: DurableFile::create(path)?, failed: None };
            let written = write(args.format, &table, spec, &mut file);
            // The file knows better than its writers why it could not be written.
            if let Some(error) = file.failed.take() {
                return Err(error.into());
            }
            written?;
            Ok(file.file.commit()?)
        }
        None => write(args.format, &table, spec, &mut std::io::stdout()),
    }
}

/// A file that appears when it is complete.
struct Durable {
    file: DurableFile,
    failed: Option<retrotab_tablefmt::TableError>,
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
    spec: HandsSpec,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, out);
    match format {
        ExportFormat::Csv => csv(table, spec, &mut out)?,
        ExportFormat::Parquet => parquet(table, spec, &mut out)?,
    }
    out.flush().context("cannot write the export")
}

/// Names of the columns.
const COLUMNS: [&str; 9] =
    ["class1", "hand1", "class2", "hand2", "placements", "win", "tie", "loss", "equity1"];

/// Class and representative of each cluster.
struct Names {
    classes: Vec<String>,
    hands: Vec<String>,
}

impl Names {
    fn new(clusters: &Clusters) -> Self {
        Names {
            classes: clusters.iter().map(|(id, _)| clusters.class(id)).collect(),
            hands: clusters.iter().map(|(_, cluster)| cluster.to_string()).collect(),
        }
    }

    fn of(&self, id: ClusterId) -> (&str, &str) {
        (&self.classes[usize::from(id.0)], &self.hands[usize::from(id.0)])
    }
}

fn csv(table: &Table, spec: HandsSpec, out: &mut impl Write) -> anyhow::Result<()> {
    let names = Names::new(Clusters::get(spec.game));
    writeln!(out, "{}", COLUMNS.join(","))?;
    each_row(table, spec, |row| {
        let (class1, hand1) = names.of(row.cluster);
        for cell in row.cells() {
            let (other, counts) = cell?;
            let (class2, hand2) = names.of(other);
            let CellCounts { win, tie, loss, placements } = counts;
            write!(out, "{class1},{hand1},{class2},{hand2},{placements},{win},{tie},{loss},")?;
            match counts.equity() {
                Some(equity) => writeln!(out, "{equity:.6}")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    })
}

/// Cells in a batch at the most, and in a row group.
const BATCH: usize = 1 << 16;
const ROW_GROUP: usize = 1 << 20;

fn schema() -> Arc<Schema> {
    let text = DataType::Dictionary(DataType::UInt16.into(), DataType::Utf8.into());
    let field = |name: &str| match name {
        "placements" => Field::new(name, DataType::UInt8, false),
        "win" | "tie" | "loss" => Field::new(name, DataType::UInt32, false),
        "equity1" => Field::new(name, DataType::Float64, true),
        _ => Field::new(name, text.clone(), false),
    };
    Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
}

fn parquet(table: &Table, spec: HandsSpec, out: &mut (impl Write + Send)) -> anyhow::Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    let mut writer = ArrowWriter::try_new(out, schema(), Some(properties))?;
    let names = Names::new(Clusters::get(spec.game));
    let text = |texts: &[String]| -> ArrayRef { Arc::new(StringArray::from_iter_values(texts)) };
    let (classes, hands) = (text(&names.classes), text(&names.hands));
    let mut batch = Batch::default();
    each_row(table, spec, |row| {
        batch.push(&row)?;
        if batch.first.len() >= BATCH {
            writer.write(&batch.take(&classes, &hands)?)?;
        }
        Ok(())
    })?;
    writer.write(&batch.take(&classes, &hands)?)?;
    writer.close()?;
    Ok(())
}

/// Cells on their way into a Parquet file.
#[derive(Default)]
struct Batch {
    first: Vec<u16>,
    second: Vec<u16>,
    counts: Vec<CellCounts>,
}

impl Batch {
    fn push(&mut self, row: &Row<'_>) -> anyhow::Result<()> {
        for cell in row.cells() {
            let (other, counts) = cell?;
            self.first.push(row.cluster.0);
            self.second.push(other.0);
            self.counts.push(counts);
        }
        Ok(())
    }

    fn take(&mut self, classes: &ArrayRef, hands: &ArrayRef) -> anyhow::Result<RecordBatch> {
        let Batch { first, second, counts } = std::mem::take(self);
        let (first, second) = (UInt16Array::from(first), UInt16Array::from(second));
        let text = |keys: &UInt16Array, texts: &ArrayRef| -> anyhow::Result<ArrayRef> {
            let array = DictionaryArray::<UInt16Type>::try_new(keys.clone(), Arc::clone(texts));
            Ok(Arc::new(array?))
        };
        // A cell's counts fit 32 bits: at most 24 placements of 1,712,304 boards.
        let numbers = |count: fn(&CellCounts) -> u64| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(counts.iter().map(|c| count(c) as u32)))
        };
        let placements = counts.iter().map(|c| c.placements as u8);
        let columns = vec![
            text(&first, classes)?,
            text(&first, hands)?,
            text(&second, classes)?,
            text(&second, hands)?,
            Arc::new(UInt8Array::from_iter_values(placements)),
            numbers(|c| c.win),
            numbers(|c| c.tie),
            numbers(|c| c.loss),
            Arc::new(Float64Array::from_iter(counts.iter().map(CellCounts::equity))),
        ];
        Ok(RecordBatch::try_new(schema(), columns)?)
    }
}
