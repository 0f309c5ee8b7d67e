//! Stick tables: one line for each position.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use arrow_array::{RecordBatch, StringArray, UInt8Array};
use arrow_schema::{DataType, Field, Schema};
use retrotab_tablefmt::Table;
use retrotab_tablefmt::sticks::{Ranking, Segments, SticksSpec, Value};

use super::progress::Progress;
use super::{BATCH, Each, Lines, TOGETHER};

/// The lines of a stick table.
pub struct SticksLines<'a> {
    table: &'a Table,
    ranking: Arc<Ranking>,
    progress: &'a Progress,
}

const COLUMNS: [&str; 4] = ["sticks", "segments", "outcome", "moves"];

impl<'a> SticksLines<'a> {
    pub fn new(table: &'a Table, spec: SticksSpec, progress: &'a Progress) -> Self {
        SticksLines { table, ranking: Ranking::of(spec), progress }
    }

    /// Calls `each` with runs of positions in order.
    fn each_run(
        &self,
        mut each: impl FnMut(&[(Segments, Value)]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let entries = self.ranking.entries();
        for first in (0..entries).step_by(TOGETHER as usize) {
            let range = first..entries.min(first + TOGETHER);
            let values = self.table.values(0, range.clone())?;
            self.progress.read(range.end - range.start)?;
            let line = |(entry, &value): (u64, &u32)| {
                let segments =
                    self.ranking.unrank(entry).context("bug: an entry is no position")?;
                let value = u8::try_from(value).context("bug: a byte is no byte")?;
                Ok((segments, Value(value)))
            };
            let lines: Vec<_> = range.zip(&values).map(line).collect::<anyhow::Result<_>>()?;
            lines.chunks(BATCH).try_for_each(&mut each)?;
        }
        Ok(())
    }
}

impl Lines for SticksLines<'_> {
    fn csv(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "{}", COLUMNS.join(","))?;
        self.each_run(|lines| {
            for (segments, value) in lines {
                let (outcome, moves) = (value.outcome().name(), value.moves());
                writeln!(out, "{},{segments},{outcome},{moves}", segments.sticks())?;
            }
            Ok(())
        })
    }

    fn schema(&self) -> Arc<Schema> {
        let field = |name: &str| match name {
            "sticks" | "moves" => Field::new(name, DataType::UInt8, false),
            _ => Field::new(name, DataType::Utf8, false),
        };
        Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
    }

    fn batches(&self, each: Each<'_>) -> anyhow::Result<()> {
        let schema = self.schema();
        self.each_run(|lines| {
            // There are at most 78 sticks.
            let sticks = lines.iter().map(|(segments, _)| segments.sticks() as u8);
            let texts = lines.iter().map(|(segments, _)| segments.to_string());
            let outcomes = lines.iter().map(|(_, value)| value.outcome().name());
            let moves = lines.iter().map(|(_, value)| value.moves());
            let batch = RecordBatch::try_new(
                Arc::clone(&schema),
                vec![
                    Arc::new(UInt8Array::from_iter_values(sticks)),
                    Arc::new(StringArray::from_iter_values(texts)),
                    Arc::new(StringArray::from_iter_values(outcomes)),
                    Arc::new(UInt8Array::from_iter_values(moves)),
                ],
            )?;
            each(&batch)
        })
    }
}
