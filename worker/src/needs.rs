//! What units need of the sections before them, for tables of every family.

use std::ops::Range;

use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::Ranking;
use retrotab_tablefmt::sticks::SticksSpec;

use crate::stack::needs;

/// Says which entries a unit reads, so that they can be fetched before it is solved.
#[derive(Debug)]
pub struct UnitNeeds {
    family: Family,
}

#[derive(Debug)]
enum Family {
    Stack(Box<Ranking>),
    Sticks(SticksSpec, TableLayout),
    /// Rows of hand tables need nothing.
    Hands,
}

impl UnitNeeds {
    /// For the units of a table.
    pub fn new(spec: &TableSpec) -> Self {
        let family = match *spec {
            TableSpec::Stack(spec) => Family::Stack(Box::new(Ranking::new(spec))),
            TableSpec::Sticks(spec) => Family::Sticks(spec, spec.layout()),
            TableSpec::Hands(_) => Family::Hands,
        };
        UnitNeeds { family }
    }

    /// The entries that a unit reads, by section, when it is solved after one of section
    /// `before`: what a [`UnitSolver`](crate::UnitSolver) keeps from unit to unit is not read
    /// again.
    ///
    /// # Panics
    /// If the unit is not of the table.
    pub fn of(&self, unit: UnitRange, before: Option<SectionId>) -> Vec<(SectionId, Range<u64>)> {
        let ranking = match &self.family {
            Family::Stack(ranking) => ranking,
            Family::Sticks(spec, layout) => return sticks(*spec, layout, unit),
            Family::Hands => return Vec::new(),
        };
        let found = ranking.sections().nth(unit.section.0 as usize);
        let section = found.expect("a section of the table").1.section();
        let kept = if before == Some(unit.section) { None } else { needs::kept(ranking, section) };
        let needs = kept.into_iter().chain(needs::own(ranking, section, unit.range()));
        let number = |section| SectionId(ranking.section_number(section) as u32);
        needs.map(|(section, entries)| (number(section), entries)).collect()
    }
}

/// Levels below, all of each: a move may lead anywhere in them.
fn sticks(spec: SticksSpec, layout: &TableLayout, unit: UnitRange) -> Vec<(SectionId, Range<u64>)> {
    let level = u8::try_from(unit.section.0).expect("a section of the table");
    let below = spec.sticks_after_a_move(level).map(|sticks| SectionId(sticks.into()));
    below.map(|section| (section, 0..layout.sections[section.0 as usize].entries)).collect()
}
