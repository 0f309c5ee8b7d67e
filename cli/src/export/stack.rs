//! Stack tables: one line for each entry, in the table's order.
//!
//! A few positions have two entries, and so two lines. The first lane is canonical; the second
//! is written with its stacks renamed as they lie against those of the first.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, RecordBatch, StringArray, UInt16Array, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use retrotab_tablefmt::Table;
use retrotab_tablefmt::stack::{Kind, LaneId, PermId, Ranking, SectionLayout, StackSpec, Turn};

use super::progress::Progress;
use super::{BATCH, Each, Lines, TOGETHER};

/// The lines of a stack table.
pub struct StackLines<'a> {
    table: &'a Table,
    ranking: Ranking,
    progress: &'a Progress,
}

const COLUMNS: [&str; 4] = ["lane1", "lane2", "value", "share"];

fn share(value: u16) -> f64 {
    f64::from(value) / 65_535.0
}

/// The lanes of a section as text.
struct Texts {
    /// By number of the row.
    rows: Vec<String>,
    /// Of the columns, block after block.
    columns: Vec<String>,
    /// By kind and renaming: where the texts of the lanes of the kind start, so renamed.
    starts: BTreeMap<(Kind, PermId), usize>,
}

/// Entries side by side whose second lanes are those of a kind in order.
struct Run<'a> {
    row: u32,
    /// Which texts of the columns.
    columns: Range<usize>,
    values: &'a [u32],
}

/// The kinds of lanes.
fn kinds(ranking: &Ranking) -> impl Iterator<Item = Kind> + use<> {
    (0..ranking.symmetry().kinds() as u8).map(Kind)
}

/// How lanes of a kind are turned against those of another, each as a renaming.
fn turns(ranking: &Ranking, row: Kind, column: Kind) -> impl Iterator<Item = PermId> {
    let symmetry = ranking.symmetry();
    let turns = 0..symmetry.turn_count(row, column) as u8;
    turns.map(move |turn| symmetry.representative(row, column, Turn(turn)))
}

impl Texts {
    fn new(ranking: &Ranking, layout: &SectionLayout) -> Self {
        let section = layout.section();
        let (rows, lanes) = (ranking.lanes(section.rows), ranking.lanes(section.columns));
        let row = |number| rows.lane(layout.row(number)).to_string();
        let rows = (0..layout.rows()).map(row).collect();
        let (mut columns, mut starts) = (Vec::new(), BTreeMap::new());
        for (row, column) in kinds(ranking).flat_map(|x| kinds(ranking).map(move |y| (x, y))) {
            for turn in turns(ranking, row, column) {
                starts.entry((column, turn)).or_insert_with(|| {
                    let start = columns.len();
                    let perm = ranking.symmetry().perm(turn);
                    let texts = lanes.of_kind(column).iter().map(|y| y.renamed(perm).to_string());
                    columns.extend(texts);
                    start
                });
            }
        }
        Texts { rows, columns, starts }
    }
}

impl<'a> StackLines<'a> {
    pub fn new(table: &'a Table, spec: StackSpec, progress: &'a Progress) -> Self {
        StackLines { table, ranking: Ranking::new(spec), progress }
    }

    /// Calls `each` with runs of a section's entries in order.
    fn each_run(
        &self,
        (first, layout): (u64, &SectionLayout),
        texts: &Texts,
        each: &mut dyn FnMut(Run<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let start = |row| match row < layout.rows() {
            true => layout.row_start(layout.row(row)),
            false => layout.entries(),
        };
        let mut from = 0;
        while from < layout.rows() {
            let mut to = from + 1;
            while to < layout.rows() && start(to + 1) - start(from) <= TOGETHER {
                to += 1;
            }
            let values = self.table.values(0, first + start(from)..first + start(to))?;
            self.progress.read(start(to) - start(from))?;
            let mut left = values.as_slice();
            for row in from..to {
                self.each_run_of_row(layout, row, texts, &mut left, each)?;
            }
            from = to;
        }
        Ok(())
    }

    /// Calls `each` with the runs of a row, whose values come first in `left`, and takes them
    /// from there.
    fn each_run_of_row(
        &self,
        layout: &SectionLayout,
        row: u32,
        texts: &Texts,
        left: &mut &[u32],
        each: &mut dyn FnMut(Run<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let lane: LaneId = layout.row(row);
        for column in kinds(&self.ranking) {
            let width = layout.stored_block_width(lane, column) as usize;
            if width == 0 {
                continue;
            }
            for turn in turns(&self.ranking, lane.kind, column) {
                let start = texts.starts[&(column, turn)];
                let (values, rest) = left.split_at(width);
                *left = rest;
                each(Run { row, columns: start..start + width, values })?;
            }
        }
        Ok(())
    }
}

impl Lines for StackLines<'_> {
    fn csv(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "{}", COLUMNS.join(","))?;
        // There are fewer values than entries.
        let end = |value| format!(",{value},{:.6}\n", share(value));
        let ends: Vec<String> = (0..=u16::MAX).map(end).collect();
        for section in self.ranking.sections() {
            let texts = Texts::new(&self.ranking, section.1);
            self.each_run(section, &texts, &mut |run| {
                let row = &texts.rows[run.row as usize];
                for (column, &value) in texts.columns[run.columns].iter().zip(run.values) {
                    out.write_all(row.as_bytes())?;
                    out.write_all(b",")?;
                    out.write_all(column.as_bytes())?;
                    out.write_all(ends[value as usize].as_bytes())?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn schema(&self) -> Arc<Schema> {
        let text = DataType::Dictionary(DataType::UInt32.into(), DataType::Utf8.into());
        let field = |name: &str| match name {
            "value" => Field::new(name, DataType::UInt16, false),
            "share" => Field::new(name, DataType::Float64, false),
            _ => Field::new(name, text.clone(), false),
        };
        Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
    }

    fn batches(&self, each: Each<'_>) -> anyhow::Result<()> {
        let schema = self.schema();
        for section in self.ranking.sections() {
            let texts = Texts::new(&self.ranking, section.1);
            let array =
                |texts: &[String]| -> ArrayRef { Arc::new(StringArray::from_iter_values(texts)) };
            let names = Names { rows: array(&texts.rows), columns: array(&texts.columns) };
            let mut batch = Batch::default();
            self.each_run(section, &texts, &mut |run| {
                batch.push(&run);
                if batch.values.len() >= BATCH {
                    each(&batch.take(&schema, &names)?)?;
                }
                Ok(())
            })?;
            each(&batch.take(&schema, &names)?)?;
        }
        Ok(())
    }
}

/// The texts that the numbers of a batch stand for.
struct Names {
    rows: ArrayRef,
    columns: ArrayRef,
}

/// Entries on their way into a Parquet file.
#[derive(Default)]
struct Batch {
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<u16>,
}

impl Batch {
    fn push(&mut self, run: &Run<'_>) {
        self.rows.extend(std::iter::repeat_n(run.row, run.values.len()));
        self.columns.extend(run.columns.clone().map(|column| column as u32));
        self.values.extend(run.values.iter().map(|&value| value as u16));
    }

    fn take(&mut self, schema: &Arc<Schema>, names: &Names) -> anyhow::Result<RecordBatch> {
        let Batch { rows, columns, values } = std::mem::take(self);
        let text = |keys: Vec<u32>, texts: &ArrayRef| -> anyhow::Result<ArrayRef> {
            let keys = UInt32Array::from(keys);
            Ok(Arc::new(DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(texts))?))
        };
        let shares = Float64Array::from_iter_values(values.iter().map(|&value| share(value)));
        let columns = vec![
            text(rows, &names.rows)?,
            text(columns, &names.columns)?,
            Arc::new(UInt16Array::from(values)),
            Arc::new(shares),
        ];
        Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
    }
}
