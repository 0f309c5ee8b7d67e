//! What a unit reads of the sections below, so that it can be fetched beforehand.

use std::ops::Range;

use retrotab_tablefmt::stack::{Ranking, Section};

/// A run of entries of a section.
pub(crate) type Entries = (Section, Range<u64>);

/// All that a unit reads besides the section that is [kept](kept) from unit to unit: the rows
/// of the section below with the same rows.
pub(crate) fn own(ranking: &Ranking, section: Section, unit: Range<u64>) -> Option<Entries> {
    if section.is_triangular() {
        return None;
    }
    let below = Section { rows: section.rows, columns: section.columns.checked_sub(1)? };
    let layout = ranking.section(section);
    let row = |entry| layout.row_number(layout.row_of_entry(entry).0);
    let (first, last) = (row(unit.start), row(unit.end - 1));
    let from = ranking.section(below);
    let start = from.row_start(from.row(first));
    if below.is_triangular() {
        // The columns of a row are in the rows after it.
        return Some((below, start..from.entries()));
    }
    let last = from.row(last);
    Some((below, start..from.row_start(last) + u64::from(from.stored_width(last))))
}

/// The section that all units of a section need, whole.
pub(crate) fn kept(ranking: &Ranking, section: Section) -> Option<Entries> {
    let below = if section.is_triangular() {
        Section { rows: section.rows, columns: section.columns.checked_sub(1)? }
    } else {
        Section { rows: section.rows - 1, columns: section.columns }
    };
    Some((below, 0..ranking.section(below).entries()))
}
