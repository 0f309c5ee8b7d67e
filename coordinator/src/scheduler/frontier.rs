//! Which units are waiting, running and done, and which of the waiting ones are ready.
//!
//! A section is *open* when all sections it needs are complete; its waiting units are then
//! *ready*. Every change touches one unit, or a section as it opens or closes.

use std::collections::BTreeSet;
use std::sync::Arc;

use retrotab_tablefmt::layout::SectionId;

use crate::ids::UnitId;
use crate::plan::Graph;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Done,
}

#[derive(Debug, Clone, Copy)]
struct Section {
    /// Needed sections that are not complete.
    unmet: u32,
    /// Units that are not done.
    left: u32,
    entries_done: u64,
    /// Entries of ready units.
    entries_ready: u64,
}

#[derive(Debug)]
pub(super) struct Frontier {
    graph: Arc<Graph>,
    phases: Vec<Phase>,
    sections: Vec<Section>,
    ready: BTreeSet<UnitId>,
    /// Sections that have ready units.
    ready_sections: BTreeSet<SectionId>,
    units_done: u32,
    units_running: u32,
}

impl Frontier {
    pub(super) fn new(graph: Arc<Graph>) -> Frontier {
        let sections = graph.sections().map(|s| Section {
            unmet: graph.section(s).needs.len() as u32,
            left: graph.units_of(s).len() as u32,
            entries_done: 0,
            entries_ready: 0,
        });
        let sections = sections.collect();
        let phases = vec![Phase::Waiting; graph.unit_count() as usize];
        let mut frontier = Frontier {
            graph,
            phases,
            sections,
            ready: BTreeSet::new(),
            ready_sections: BTreeSet::new(),
            units_done: 0,
            units_running: 0,
        };
        for section in frontier.graph.clone().sections() {
            if frontier.is_open(section) {
                frontier.open(section);
            }
        }
        frontier
    }

    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    #[cfg(test)]
    pub(super) fn ready(&self) -> impl Iterator<Item = UnitId> + '_ {
        self.ready.iter().copied()
    }

    /// Ready units of a section in the order of the plan.
    pub(super) fn ready_of(&self, section: SectionId) -> impl Iterator<Item = UnitId> + '_ {
        let first = self.graph.units_of(section).next();
        let from = first.into_iter().flat_map(|first| self.ready.range(first..));
        from.copied().take_while(move |unit| self.graph.range(*unit).section == section)
    }

    /// Sections that have ready units, in order.
    pub(super) fn ready_sections(&self) -> impl Iterator<Item = SectionId> + '_ {
        self.ready_sections.iter().copied()
    }

    /// Entries of a section's ready units.
    pub(super) fn entries_ready(&self, section: SectionId) -> u64 {
        self.sections[section.0 as usize].entries_ready
    }

    pub(super) fn ready_count(&self) -> u32 {
        self.ready.len() as u32
    }

    pub(super) fn is_ready(&self, unit: UnitId) -> bool {
        self.ready.contains(&unit)
    }

    pub(super) fn is_running(&self, unit: UnitId) -> bool {
        self.phases[unit.0 as usize] == Phase::Running
    }

    pub(super) fn is_done(&self, unit: UnitId) -> bool {
        self.phases[unit.0 as usize] == Phase::Done
    }

    pub(super) fn is_open(&self, section: SectionId) -> bool {
        self.sections[section.0 as usize].unmet == 0
    }

    pub(super) fn units_done(&self) -> u32 {
        self.units_done
    }

    pub(super) fn units_running(&self) -> u32 {
        self.units_running
    }

    pub(super) fn all_done(&self) -> bool {
        self.units_done == self.graph.unit_count()
    }

    /// Units of a section that are not done, and entries in those that are.
    pub(super) fn section(&self, section: SectionId) -> (u32, u64) {
        let section = self.sections[section.0 as usize];
        (section.left, section.entries_done)
    }

    /// A ready unit goes out.
    pub(super) fn start(&mut self, unit: UnitId) {
        debug_assert!(self.is_ready(unit));
        self.unready(unit);
        self.phases[unit.0 as usize] = Phase::Running;
        self.units_running += 1;
    }

    /// A running unit comes back without a result.
    pub(super) fn put_back(&mut self, unit: UnitId) {
        debug_assert!(self.is_running(unit));
        self.phases[unit.0 as usize] = Phase::Waiting;
        self.units_running -= 1;
        if self.is_open(self.graph.range(unit).section) {
            self.make_ready(unit);
        }
    }

    /// A unit that was not done is done; says whether its section is now complete.
    pub(super) fn finish(&mut self, unit: UnitId) -> SectionComplete {
        match self.phases[unit.0 as usize] {
            Phase::Waiting => self.unready(unit),
            Phase::Running => self.units_running -= 1,
            Phase::Done => return SectionComplete::No,
        }
        self.phases[unit.0 as usize] = Phase::Done;
        self.units_done += 1;
        let range = self.graph.range(unit);
        let section = &mut self.sections[range.section.0 as usize];
        section.left -= 1;
        section.entries_done += range.entries;
        if section.left > 0 {
            return SectionComplete::No;
        }
        for dependent in self.graph.clone().dependents(range.section) {
            self.sections[dependent.0 as usize].unmet -= 1;
            if self.is_open(*dependent) {
                self.open(*dependent);
            }
        }
        SectionComplete::Yes(range.section)
    }

    /// A done unit is waiting again. Sections that need its section close; their running
    /// units have their inputs already and go on.
    pub(super) fn reopen(&mut self, unit: UnitId) {
        debug_assert!(self.is_done(unit));
        self.phases[unit.0 as usize] = Phase::Waiting;
        self.units_done -= 1;
        let range = self.graph.range(unit);
        let section = &mut self.sections[range.section.0 as usize];
        section.entries_done -= range.entries;
        section.left += 1;
        let was_complete = section.left == 1;
        if self.is_open(range.section) {
            self.make_ready(unit);
        }
        if !was_complete {
            return;
        }
        for dependent in self.graph.clone().dependents(range.section) {
            self.sections[dependent.0 as usize].unmet += 1;
            for unit in self.graph.units_of(*dependent) {
                self.unready(unit);
            }
        }
    }

    fn open(&mut self, section: SectionId) {
        for unit in self.graph.units_of(section) {
            if self.phases[unit.0 as usize] == Phase::Waiting {
                self.make_ready(unit);
            }
        }
    }

    fn make_ready(&mut self, unit: UnitId) {
        let range = self.graph.range(unit);
        if self.ready.insert(unit) {
            self.sections[range.section.0 as usize].entries_ready += range.entries;
            self.ready_sections.insert(range.section);
        }
    }

    fn unready(&mut self, unit: UnitId) {
        if !self.ready.remove(&unit) {
            return;
        }
        let range = self.graph.range(unit);
        let section = &mut self.sections[range.section.0 as usize];
        section.entries_ready -= range.entries;
        if section.entries_ready == 0 {
            self.ready_sections.remove(&range.section);
        }
    }
}

/// Whether a unit was the last of its section.
pub(super) enum SectionComplete {
    No,
    Yes(SectionId),
}
