//! Where a solver reads the rows of the sections below from.

use std::ops::Range;

use retrotab_tablefmt::stack::{LaneId, SectionLayout};

use super::simd::LANES;
use crate::error::InputError;

/// Entries that can be read after the end of every row, whatever their values, so that the
/// last columns can be read sixteen at a time too.
pub const PADDING: usize = LANES - 1;

/// The rows of one section in square form (see [`SectionLayout`]).
pub trait RowSource: Sync {
    /// The rows asked for, each followed by [`PADDING`] entries. `arena` is where sources that
    /// have no rows in memory put them.
    fn lend<'a>(
        &'a self,
        rows: &[LaneId],
        arena: &'a mut Vec<u16>,
    ) -> Result<Vec<&'a [u16]>, InputError>;
}

/// Consecutive rows of a section in memory.
#[derive(Debug)]
pub struct MemoryRows<'a> {
    layout: &'a SectionLayout,
    /// Entries of the square form, [`PADDING`] apart.
    held: Range<u64>,
    values: Vec<u16>,
}

impl<'a> MemoryRows<'a> {
    /// `values` are the entries `held` of the square form of a section, whole rows of it.
    ///
    /// # Panics
    /// When the numbers of entries differ.
    pub fn new(layout: &'a SectionLayout, held: Range<u64>, mut values: Vec<u16>) -> Self {
        assert_eq!(values.len() as u64, held.end - held.start, "entries of {}", layout.section());
        values.reserve_exact(PADDING);
        values.resize(values.len() + PADDING, 0);
        MemoryRows { layout, held, values }
    }
}

impl RowSource for MemoryRows<'_> {
    fn lend<'a>(
        &'a self,
        rows: &[LaneId],
        _arena: &'a mut Vec<u16>,
    ) -> Result<Vec<&'a [u16]>, InputError> {
        let lend = |&row: &LaneId| {
            let start = self.layout.square_row_start(row);
            let width = self.layout.width(row.kind) as usize;
            if start < self.held.start || start + width as u64 > self.held.end {
                let section = self.layout.section().to_string();
                return Err(InputError::RowNotHeld { section, row: self.layout.row_number(row) });
            }
            let at = (start - self.held.start) as usize;
            Ok(&self.values[at..at + width + PADDING])
        };
        rows.iter().map(lend).collect()
    }
}
