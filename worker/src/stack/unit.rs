//! Solving a unit: a range of entries of one section.

use std::ops::Range;

use rayon::prelude::*;
use retrotab_tablefmt::stack::{Kind, LaneId, SectionLayout};

use super::batch::{Batch, Interleaved};
use super::combine::WON;
use super::context::SectionContext;
use super::rectangle::{self, Rectangle};
use super::rows::RowSource;
use super::simd::{Isa, Kernel, Simd, dispatch};
use super::triangle::{self, GROUP, Side, Triangle, meet};
use crate::error::{InputError, SolveError};
use crate::pool::{Pool, Pooled};
use crate::progress::Progress;

/// Values of a unit.
#[derive(Debug)]
pub struct SolvedUnit {
    /// Values of the whole rows that the unit touches.
    values: Vec<u16>,
    /// Which of them belong to the unit.
    kept: Range<usize>,
}

impl SolvedUnit {
    /// The unit's values, in order of entry.
    pub fn values(&self) -> &[u16] {
        &self.values[self.kept.clone()]
    }

    /// The single value of section `(0, 0)`: the won position.
    pub fn won() -> Self {
        SolvedUnit { values: vec![WON], kept: 0..1 }
    }
}

/// Buffers that are used from unit to unit.
#[derive(Debug, Default)]
pub struct Buffers {
    values: Pool<Vec<u16>>,
    interleaved: Pool<Interleaved>,
    rectangle: Pool<rectangle::Scratch>,
    triangle: Pool<triangle::Scratch>,
}

impl Buffers {
    /// Takes back the memory of a solved unit.
    pub fn recycle(&self, unit: SolvedUnit) {
        self.values.put(unit.values);
    }
}

/// Solves units of one section.
#[derive(Debug)]
pub struct Solver<'a> {
    context: &'a SectionContext,
    isa: Isa,
    buffers: &'a Buffers,
}

impl<'a> Solver<'a> {
    /// A solver that uses the instructions `isa`.
    pub fn new(context: &'a SectionContext, isa: Isa, buffers: &'a Buffers) -> Self {
        Solver { context, isa, buffers }
    }

    /// First and last row that a unit touches; the unit needs these rows of
    /// [`SectionContext::same_rows`].
    pub fn rows(&self, unit: Range<u64>) -> (LaneId, LaneId) {
        let layout = self.context.layout();
        (layout.row_of_entry(unit.start).0, layout.row_of_entry(unit.end - 1).0)
    }

    /// The values of the entries `unit` of the section, computed on the threads of the rayon
    /// pool this is called in. `same` has rows of [`SectionContext::same_rows`], `other` those
    /// of [`SectionContext::other_rows`]; each must be given where the section exists.
    ///
    /// # Errors
    /// [`SolveError::Input`] if rows that the unit needs are not given, or cannot be read;
    /// [`SolveError::Stopped`] if `progress` says so.
    pub fn solve(
        &self,
        unit: Range<u64>,
        same: Option<&dyn RowSource>,
        other: Option<&dyn RowSource>,
        progress: &dyn Progress,
    ) -> Result<SolvedUnit, SolveError> {
        let layout = self.context.layout();
        let (first, last) = self.rows(unit.clone());
        let start = layout.row_start(first);
        let end = layout.row_start(last) + u64::from(layout.stored_width(last));
        let mut values = std::mem::take(&mut *self.buffers.values.take());
        values.clear();
        values.resize((end - start) as usize, 0);
        let batches = self.batches(first, last);
        let named = |source| SolveError::Input { section: layout.section().to_string(), source };
        let missing = || named(InputError::NotGiven);
        if layout.section().is_triangular() {
            let same = same.ok_or_else(missing)?;
            self.triangle(&batches, same, progress, &mut values, named)?;
        } else {
            if self.context.same_rows().is_some() && same.is_none() {
                return Err(missing());
            }
            self.rectangle(
                &batches,
                same,
                other.ok_or_else(missing)?,
                progress,
                &mut values,
                named,
            )?;
        }
        let kept = (unit.start - start) as usize..(unit.end - start) as usize;
        Ok(SolvedUnit { values, kept })
    }

    /// The rows from `first` to `last`, in batches.
    fn batches(&self, first: LaneId, last: LaneId) -> Vec<Batch> {
        let lanes = self.context.ranking.lanes(self.context.section().rows);
        let kinds = (first.kind.0..=last.kind.0).map(Kind);
        let places = |kind: Kind| {
            let from = if kind == first.kind { first.place } else { 0 };
            let all = lanes.of_kind(kind).len() as u32;
            from..if kind == last.kind { last.place + 1 } else { all }
        };
        kinds.flat_map(|kind| Batch::cut(lanes, kind, places(kind))).collect()
    }

    fn rectangle(
        &self,
        batches: &[Batch],
        same: Option<&dyn RowSource>,
        other: &dyn RowSource,
        progress: &dyn Progress,
        values: &mut [u16],
        named: impl Fn(InputError) -> SolveError + Sync,
    ) -> Result<(), SolveError> {
        let parts = split(self.context.layout(), batches, values);
        let parts: Vec<_> = batches.iter().zip(parts).collect();
        parts.into_par_iter().try_for_each(|part| {
            if progress.stopped() {
                return Err(SolveError::Stopped);
            }
            let (rows, out) = part;
            let positions = out.len() as u64;
            let scratch = &mut self.buffers.rectangle.take();
            let kernel = Rectangle { context: self.context, rows, same, other, scratch, out };
            dispatch(self.isa, kernel).map_err(&named)?;
            progress.advance(positions);
            Ok(())
        })
    }

    fn triangle(
        &self,
        batches: &[Batch],
        same: &dyn RowSource,
        progress: &dyn Progress,
        values: &mut [u16],
        named: impl Fn(InputError) -> SolveError + Sync,
    ) -> Result<(), SolveError> {
        let beside = |batch: &Batch| self.interleave(batch, same).map_err(&named);
        let rows: Vec<Pooled<'_, Interleaved>> =
            batches.par_iter().map(beside).collect::<Result<_, SolveError>>()?;
        let total = values.len() as u64;
        let mut parts: Vec<_> = batches
            .iter()
            .zip(&rows)
            .zip(split(self.context.layout(), batches, values))
            .map(|((batch, rows), out)| (Side { batch, rows }, out))
            .collect();
        let columns: Vec<&Batch> = self.context.columns.iter().flatten().collect();
        let columns: Vec<&Batch> =
            columns.into_iter().filter(|c| batches.iter().any(|r| meet(r, c))).collect();
        // Column batches pass by in groups, so that there is work for every thread between
        // two groups even when the unit has few rows.
        let mut done = 0;
        for group in columns.chunks(GROUP) {
            if progress.stopped() {
                return Err(SolveError::Stopped);
            }
            let beside = |&batch: &&Batch| self.interleave(batch, same).map_err(&named);
            let interleaved: Vec<Pooled<'_, Interleaved>> =
                group.par_iter().map(beside).collect::<Result<_, SolveError>>()?;
            parts.par_iter_mut().for_each(|(rows, out)| {
                let scratch = &mut self.buffers.triangle.take();
                for (&batch, columns) in group.iter().zip(&interleaved) {
                    if meet(rows.batch, batch) {
                        let columns = Side { batch, rows: columns };
                        let rows = Side { batch: rows.batch, rows: rows.rows };
                        let context = self.context;
                        dispatch(self.isa, Triangle { context, rows, columns, scratch, out });
                    }
                }
            });
            done += group.len() as u64;
            progress.advance(
                total * done / columns.len() as u64
                    - total * (done - group.len() as u64) / columns.len() as u64,
            );
        }
        Ok(())
    }

    fn interleave(
        &self,
        batch: &Batch,
        same: &dyn RowSource,
    ) -> Result<Pooled<'a, Interleaved>, InputError> {
        let lanes: Vec<LaneId> = batch.lanes().collect();
        let mut arena = Vec::new();
        let lent = same.lend(&lanes, &mut arena)?;
        let below = self.context.same_rows().expect("equal lanes have stock cards");
        let width = self.context.ranking.section(below).width(batch.kind) as usize;
        let mut to = self.buffers.interleaved.take();
        dispatch(self.isa, Interleave { rows: &lent, width, to: &mut to });
        Ok(to)
    }
}

struct Interleave<'a> {
    rows: &'a [&'a [u16]],
    width: usize,
    to: &'a mut Interleaved,
}

impl Kernel for Interleave<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        self.to.fill::<S>(self.rows, self.width);
    }
}

/// Cuts the values of consecutive rows into those of each batch.
fn split<'v>(
    layout: &SectionLayout,
    batches: &[Batch],
    mut values: &'v mut [u16],
) -> Vec<&'v mut [u16]> {
    let mut parts = Vec::with_capacity(batches.len());
    for batch in batches {
        let entries: u64 = batch.lanes().map(|row| u64::from(layout.stored_width(row))).sum();
        let (part, rest) = values.split_at_mut(entries as usize);
        parts.push(part);
        values = rest;
    }
    parts
}
