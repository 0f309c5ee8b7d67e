//! Hand tables: one line for each cell, with the representative of `hand1` fixed.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::UInt16Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt8Array, UInt16Array,
    UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use retrotab_tablefmt::Table;
use retrotab_tablefmt::hands::{CellCounts, ClusterId, Clusters, HandsSpec, Row, each_row};

use super::progress::Progress;
use super::{BATCH, Each, Lines};

/// The lines of a hand table.
pub struct HandsLines<'a> {
    table: &'a Table,
    spec: HandsSpec,
    names: Names,
    progress: &'a Progress,
}

impl<'a> HandsLines<'a> {
    pub fn new(table: &'a Table, spec: HandsSpec, progress: &'a Progress) -> Self {
        HandsLines { table, spec, names: Names::new(Clusters::get(spec.game)), progress }
    }

    /// Calls `each` with all rows in order.
    fn each_row(&self, mut each: impl FnMut(&Row<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        each_row(self.table, self.spec, |row| {
            each(&row)?;
            // A row has a cell for each cluster up to its own.
            Ok(self.progress.read(u64::from(row.cluster.0) + 1)?)
        })
    }
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

impl Lines for HandsLines<'_> {
    fn csv(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "{}", COLUMNS.join(","))?;
        self.each_row(|row| {
            let (class1, hand1) = self.names.of(row.cluster);
            for cell in row.cells() {
                let (other, counts) = cell?;
                let (class2, hand2) = self.names.of(other);
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

    fn schema(&self) -> Arc<Schema> {
        let text = DataType::Dictionary(DataType::UInt16.into(), DataType::Utf8.into());
        let field = |name: &str| match name {
            "placements" => Field::new(name, DataType::UInt8, false),
            "win" | "tie" | "loss" => Field::new(name, DataType::UInt32, false),
            "equity1" => Field::new(name, DataType::Float64, true),
            _ => Field::new(name, text.clone(), false),
        };
        Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
    }

    fn batches(&self, each: Each<'_>) -> anyhow::Result<()> {
        let schema = self.schema();
        let text =
            |texts: &[String]| -> ArrayRef { Arc::new(StringArray::from_iter_values(texts)) };
        let (classes, hands) = (text(&self.names.classes), text(&self.names.hands));
        let mut batch = Batch::default();
        self.each_row(|row| {
            batch.push(row)?;
            if batch.first.len() >= BATCH {
                each(&batch.take(&schema, &classes, &hands)?)?;
            }
            Ok(())
        })?;
        each(&batch.take(&schema, &classes, &hands)?)
    }
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

    fn take(
        &mut self,
        schema: &Arc<Schema>,
        classes: &ArrayRef,
        hands: &ArrayRef,
    ) -> anyhow::Result<RecordBatch> {
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
        Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
    }
}
