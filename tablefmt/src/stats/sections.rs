//! Statistics by sections, for tables whose entries stand for themselves.

use rayon::prelude::*;
use serde::Serialize;

use super::Group;
use super::tally::{SHARE_BINS, Seen, Tally, Verdict, share_bin};
use crate::error::TableError;
use crate::layout::{Frames, SectionSpec, TableLayout};
use crate::reader::Table;
use crate::stack::{Section, StackSpec};
use crate::sticks::{Outcome, SticksSpec, Value};

/// How large a section is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionSize {
    /// Its name.
    pub name: String,
    /// Its entries.
    pub entries: u64,
    /// Bytes of its values, of all columns.
    pub raw_bytes: u64,
    /// Bytes of its frames as stored.
    pub stored_bytes: u64,
}

/// The sizes of all sections in order.
pub(super) fn sizes(table: &Table) -> Result<Vec<SectionSize>, TableError> {
    let layout = table.manifest().table.layout();
    let mut sizes: Vec<SectionSize> = layout.sections.iter().map(empty).collect();
    for (number, column) in layout.columns.iter().enumerate() {
        let frames = Frames::new(&layout, column.entry);
        let section = Finder::new(&layout);
        for frame in 0..frames.count() {
            let size = &mut sizes[section.of(frames.first_entry(frame))];
            size.raw_bytes += u64::from(frames.raw_len(frame));
            size.stored_bytes += u64::from(table.stored_len(number, frame)?);
        }
    }
    Ok(sizes)
}

fn empty(section: &SectionSpec) -> SectionSize {
    let (name, entries) = (section.name.clone(), section.entries);
    SectionSize { name, entries, raw_bytes: 0, stored_bytes: 0 }
}

/// Finds the section of an entry.
struct Finder {
    /// First entries of the sections.
    starts: Vec<u64>,
}

impl Finder {
    fn new(layout: &TableLayout) -> Self {
        let mut next = 0;
        let starts = layout.sections.iter().map(|section| {
            let start = next;
            next += section.entries;
            start
        });
        Finder { starts: starts.collect() }
    }

    fn of(&self, entry: u64) -> usize {
        self.starts.partition_point(|&start| start <= entry) - 1
    }
}

/// 65535 stands for 1.
pub(super) const STACK_UNIT: u64 = 65_535;

/// The values of a stack table by the number of stock cards.
pub(super) fn stack_levels(
    table: &Table,
    spec: StackSpec,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Group>, TableError> {
    let see = |value: u32| {
        let verdict = match u64::from(value) {
            0 => Verdict::Lost,
            STACK_UNIT => Verdict::Won,
            _ => Verdict::Open,
        };
        let sum = u64::from(value);
        Some(Seen { times: 1, verdict, sum, bin: share_bin(sum, STACK_UNIT) })
    };
    let cards = spec.cards.get();
    let tallies = by_section(table, SHARE_BINS, |_, value| see(value), progress)?;
    let level = |level: u8| Group { name: level.to_string(), tally: Tally::new(SHARE_BINS) };
    let mut levels: Vec<Group> = (0..=2 * cards).map(level).collect();
    for (section, tally) in Section::all(cards).zip(&tallies) {
        levels[usize::from(section.level())].tally += tally;
    }
    Ok(levels)
}

/// The values of a stick table by the number of sticks.
pub(super) fn stick_counts(
    table: &Table,
    spec: SticksSpec,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Group>, TableError> {
    let see = |sticks: usize, value: u32| {
        let moves = u8::try_from(value).ok().filter(|&moves| usize::from(moves) <= sticks)?;
        let verdict = match Value(moves).outcome() {
            Outcome::Win => Verdict::Won,
            Outcome::Loss => Verdict::Lost,
        };
        Some(Seen { times: 1, verdict, sum: u64::from(moves), bin: usize::from(moves) })
    };
    let bins = usize::from(spec.rows.sticks()) + 1;
    let tallies = by_section(table, bins, see, progress)?;
    let group = |(sticks, tally): (usize, Tally)| Group { name: sticks.to_string(), tally };
    Ok(tallies.into_iter().enumerate().map(group).collect())
}

/// The values of the first column by section. `see` says what a value of a section is, or that
/// it cannot be.
fn by_section(
    table: &Table,
    bins: usize,
    see: impl Fn(usize, u32) -> Option<Seen> + Sync,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Tally>, TableError> {
    let layout = table.manifest().table.layout();
    let frames = Frames::new(&layout, layout.columns[0].entry);
    let section = Finder::new(&layout);
    let nothing = || vec![Tally::new(bins); layout.sections.len()];
    let count = |mut tallies: Vec<Tally>, frame: u64| {
        let entries = frames.first_entry(frame)..frames.first_entry(frame + 1);
        let values = table.values(0, entries.clone())?;
        let section = section.of(entries.start);
        for (entry, &value) in entries.clone().zip(&values) {
            let seen = see(section, value).ok_or_else(|| {
                let what = format!("the value {value} cannot be");
                TableError::corrupt("table".as_ref(), format!("entry {entry}"), what)
            })?;
            tallies[section].see(seen);
        }
        progress(entries.end - entries.start);
        Ok(tallies)
    };
    let add = |mut tallies: Vec<Tally>, more: Vec<Tally>| {
        tallies.iter_mut().zip(&more).for_each(|(tally, more)| *tally += more);
        Ok(tallies)
    };
    (0..frames.count()).into_par_iter().try_fold(nothing, count).try_reduce(nothing, add)
}
