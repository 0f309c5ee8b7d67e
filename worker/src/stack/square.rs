//! Rows of a section in square form, from its entries as they are stored.

use std::ops::Range;

use rayon::prelude::*;
use retrotab_tablefmt::stack::{Kind, LaneId, Ranking, Section, SectionLayout, Turn};

use crate::error::InputError;

/// Gives the stored entries of a section.
pub trait EntrySource: Sync {
    /// Fills `out` with the stored entries of `section` from `first` on, counted from the start of
    /// the section.
    ///
    /// # Errors
    /// [`InputError::Fetch`] if they cannot be had.
    fn read(&self, section: Section, first: u64, out: &mut [u16]) -> Result<(), InputError>;
}

/// Stored entries of a triangular section that are read at a time.
const CHUNK: u64 = 16 << 20;

/// The rows numbered `wanted` of a section in square form, with room for `spare` more entries.
pub(super) fn square_rows(
    ranking: &Ranking,
    section: Section,
    wanted: Range<u32>,
    spare: usize,
    source: &dyn EntrySource,
) -> Result<Vec<u16>, InputError> {
    let layout = ranking.section(section);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let last = layout.row(wanted.end - 1);
    let start = layout.square_row_start(layout.row(wanted.start));
    let end = layout.square_row_start(last) + u64::from(layout.width(last.kind));
    let entries = (end - start) as usize;
    let mut square = vec![0; entries + spare];
    square.truncate(entries);
    if section.is_triangular() {
        Mirror { ranking, layout, wanted, start }.fill(&mut square, source)?;
    } else {
        source.read(section, start, &mut square)?;
    }
    Ok(square)
}

/// Fills square rows from triangular ones: from the row's own part, and from the columns of
/// the rows after it.
struct Mirror<'a> {
    ranking: &'a Ranking,
    layout: &'a SectionLayout,
    wanted: Range<u32>,
    /// Entry of the square form at which the wanted rows start.
    start: u64,
}

/// Neighbouring rows of one kind.
type Rows = (Kind, Range<u32>);

/// Rows that are mirrored together: what one of them needs lies side by side in the others.
const TOGETHER: u32 = 16;

impl Mirror<'_> {
    fn fill(&self, square: &mut [u16], source: &dyn EntrySource) -> Result<(), InputError> {
        let mut targets = Vec::new();
        let mut rest = square;
        for (kind, places) in self.groups(self.wanted.clone()) {
            let size = places.len() * self.layout.width(kind) as usize;
            let (part, after) = rest.split_at_mut(size);
            targets.push(((kind, places), part));
            rest = after;
        }
        // Rows before the wanted ones have no column for them.
        let mut next = self.wanted.start;
        let mut stored = Vec::new();
        while next < self.layout.rows() {
            let rows = next..self.chunk_end(next);
            let from = self.layout.row_start(self.layout.row(rows.start));
            let last = self.layout.row(rows.end - 1);
            let to = self.layout.row_start(last) + u64::from(self.layout.stored_width(last));
            stored.clear();
            stored.resize((to - from) as usize, 0);
            source.read(self.layout.section(), from, &mut stored)?;
            let groups = self.groups(rows.clone());
            targets.par_iter_mut().for_each(|(target, square)| {
                for group in &groups {
                    self.copy(target, square, group, &stored, from);
                }
            });
            next = rows.end;
        }
        debug_assert_eq!(
            targets.first().map(|((kind, places), _)| {
                self.layout.square_row_start(LaneId { kind: *kind, place: places.start })
            }),
            Some(self.start)
        );
        Ok(())
    }

    /// The row after the last one of a chunk that starts with row `first`.
    fn chunk_end(&self, first: u32) -> u32 {
        let mut entries = 0;
        let mut end = first;
        while end < self.layout.rows() && (end == first || entries < CHUNK) {
            entries += u64::from(self.layout.stored_width(self.layout.row(end)));
            end += 1;
        }
        end
    }

    fn groups(&self, rows: Range<u32>) -> Vec<Rows> {
        let mut groups = Vec::new();
        let mut next = rows.start;
        while next < rows.end {
            let LaneId { kind, place } = self.layout.row(next);
            let kind_end = self.ranking.lanes(self.layout.section().rows).of_kind(kind).len();
            let len = TOGETHER.min(rows.end - next).min(kind_end as u32 - place);
            groups.push((kind, place..place + len));
            next += len;
        }
        groups
    }

    /// Copies what the rows `stored` have for the rows `target`.
    fn copy(&self, target: &Rows, square: &mut [u16], stored: &Rows, values: &[u16], from: u64) {
        let (y, x) = (target.0, stored.0);
        let symmetry = self.ranking.symmetry();
        let width = self.layout.width(y) as usize;
        for place in stored.1.clone() {
            let row = LaneId { kind: x, place };
            let row_values = &values[(self.layout.row_start(row) - from) as usize..];
            if x == y && target.1.contains(&place) {
                let at = (place - target.1.start) as usize * width;
                self.copy_own(row, row_values, &mut square[at..at + width]);
            }
            // Columns of this row that are wanted and come before it.
            let before = if x == y {
                place
            } else if x > y {
                u32::MAX
            } else {
                0
            };
            let columns = target.1.start..target.1.end.min(before);
            for turn in (0..symmetry.turn_count(x, y)).map(|t| Turn(t as u8)) {
                let mirrored = symmetry.swapped(x, y, turn);
                let to = (self.layout.block(y, x, mirrored) + place) as usize;
                let block = self.layout.stored_block(row, y, turn);
                for column in columns.clone() {
                    let at = (column - target.1.start) as usize * width + to;
                    square[at] = row_values[(block + column) as usize];
                }
            }
        }
    }

    /// Copies a row's own columns.
    fn copy_own(&self, row: LaneId, stored: &[u16], square: &mut [u16]) {
        let symmetry = self.ranking.symmetry();
        for column in (0..=row.kind.0).map(Kind) {
            let width = self.layout.stored_block_width(row, column) as usize;
            for turn in (0..symmetry.turn_count(row.kind, column)).map(|t| Turn(t as u8)) {
                let from = self.layout.stored_block(row, column, turn) as usize;
                let to = self.layout.block(row.kind, column, turn) as usize;
                square[to..to + width].copy_from_slice(&stored[from..from + width]);
            }
        }
    }
}
