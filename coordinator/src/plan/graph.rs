//! The graph of a job: sections, what each needs, and the units each is cut into.

use std::ops::Range;

use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};

use super::{PlanError, UnitId};

/// Most units a job may have: the coordinator keeps a record of each in memory.
pub const MAX_UNITS: u64 = 10_000_000;

/// A section as the scheduler sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionNode {
    /// Sections that must be complete before any unit of this one can be computed.
    pub needs: Vec<SectionId>,
    /// Number of entries.
    pub entries: u64,
}

/// Sections and units of a job, checked: every need exists, there is no cycle, and the units
/// cover every entry exactly once, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    sections: Vec<SectionNode>,
    dependents: Vec<Vec<SectionId>>,
    units: Vec<UnitRange>,
    units_of: Vec<Range<u32>>,
}

impl Graph {
    /// Checks sections and units and puts them together.
    ///
    /// # Errors
    /// [`PlanError`] if a need is no section, sections need each other in a circle, or the
    /// units do not cover the sections exactly once in order.
    pub fn new(sections: Vec<SectionNode>, units: Vec<UnitRange>) -> Result<Graph, PlanError> {
        let dependents = dependents(&sections)?;
        check_acyclic(&sections, &dependents)?;
        let units_of = check_cover(&sections, &units)?;
        Ok(Graph { sections, dependents, units, units_of })
    }

    /// Number of sections.
    pub fn section_count(&self) -> u32 {
        self.sections.len() as u32
    }

    /// Number of units.
    pub fn unit_count(&self) -> u32 {
        self.units.len() as u32
    }

    /// All sections, in order.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionId> + use<> {
        (0..self.section_count()).map(SectionId)
    }

    /// All units, in the order of the plan, which is the order of the entries.
    pub fn units(&self) -> impl ExactSizeIterator<Item = UnitId> + use<> {
        (0..self.unit_count()).map(UnitId)
    }

    /// A section's node.
    ///
    /// # Panics
    /// If the section is not of this graph.
    pub fn section(&self, section: SectionId) -> &SectionNode {
        &self.sections[section.0 as usize]
    }

    /// The sections that need this one.
    ///
    /// # Panics
    /// If the section is not of this graph.
    pub fn dependents(&self, section: SectionId) -> &[SectionId] {
        &self.dependents[section.0 as usize]
    }

    /// Entries of the largest section that this one needs: what a worker has to fetch before
    /// its first unit of the section, and keeps for the others.
    ///
    /// # Panics
    /// If the section is not of this graph.
    pub fn largest_need(&self, section: SectionId) -> u64 {
        let needs = self.section(section).needs.iter();
        needs.map(|need| self.section(*need).entries).max().unwrap_or(0)
    }

    /// Entries of all sections that this one needs.
    ///
    /// # Panics
    /// If the section is not of this graph.
    pub fn needed_entries(&self, section: SectionId) -> u64 {
        let needs = self.section(section).needs.iter();
        needs.map(|need| self.section(*need).entries).sum()
    }

    /// The units of a section, in order.
    ///
    /// # Panics
    /// If the section is not of this graph.
    pub fn units_of(&self, section: SectionId) -> impl ExactSizeIterator<Item = UnitId> + use<> {
        self.units_of[section.0 as usize].clone().map(UnitId)
    }

    /// The entries of a unit, or `None` if there is no such unit.
    pub fn unit(&self, unit: UnitId) -> Option<UnitRange> {
        self.units.get(unit.0 as usize).copied()
    }

    /// The entries of a unit.
    ///
    /// # Panics
    /// If the unit is not of this graph.
    pub fn range(&self, unit: UnitId) -> UnitRange {
        self.units[unit.0 as usize]
    }

    /// Entries of the whole job.
    pub fn entries(&self) -> u64 {
        self.sections.iter().map(|s| s.entries).sum()
    }
}

/// Cuts every section into units of `unit_entries` entries; a section's last unit may have
/// fewer.
///
/// # Errors
/// [`PlanError::TooManyUnits`] if that makes more than [`MAX_UNITS`].
pub fn cut(layout: &TableLayout, unit_entries: u64) -> Result<Vec<UnitRange>, PlanError> {
    let count = layout.sections.iter().map(|s| s.entries.div_ceil(unit_entries)).sum();
    if count > MAX_UNITS {
        return Err(PlanError::TooManyUnits { units: count, unit_entries });
    }
    let mut units = Vec::with_capacity(count as usize);
    for (section, spec) in (0..).map(SectionId).zip(&layout.sections) {
        let mut first = 0;
        while first < spec.entries {
            let entries = unit_entries.min(spec.entries - first);
            units.push(UnitRange { section, first, entries });
            first += entries;
        }
    }
    Ok(units)
}

fn dependents(sections: &[SectionNode]) -> Result<Vec<Vec<SectionId>>, PlanError> {
    let mut dependents = vec![Vec::new(); sections.len()];
    for (section, node) in (0..).map(SectionId).zip(sections) {
        for &need in &node.needs {
            let list = dependents.get_mut(need.0 as usize);
            let list: &mut Vec<_> = list.ok_or(PlanError::NoSuchSection { section, need })?;
            if list.last() == Some(&section) {
                return Err(PlanError::NeededTwice { section, need });
            }
            list.push(section);
        }
    }
    Ok(dependents)
}

/// Kahn's algorithm: take away sections whose needs are all taken away; a rest is a cycle.
fn check_acyclic(sections: &[SectionNode], dependents: &[Vec<SectionId>]) -> Result<(), PlanError> {
    let mut unmet: Vec<usize> = sections.iter().map(|s| s.needs.len()).collect();
    let mut free: Vec<usize> = (0..sections.len()).filter(|&s| unmet[s] == 0).collect();
    while let Some(section) = free.pop() {
        for dependent in &dependents[section] {
            let left = &mut unmet[dependent.0 as usize];
            *left -= 1;
            if *left == 0 {
                free.push(dependent.0 as usize);
            }
        }
    }
    match unmet.iter().position(|&left| left > 0) {
        Some(section) => Err(PlanError::Cycle { section: SectionId(section as u32) }),
        None => Ok(()),
    }
}

/// Checks that the units lie side by side and end where the sections end.
fn check_cover(
    sections: &[SectionNode],
    units: &[UnitRange],
) -> Result<Vec<Range<u32>>, PlanError> {
    let mut units_of = Vec::with_capacity(sections.len());
    let mut next = 0;
    for (section, node) in (0..).map(SectionId).zip(sections) {
        let start = next;
        let mut covered = 0;
        while let Some(unit) = units.get(next).filter(|u| u.section == section) {
            if unit.first != covered || unit.entries == 0 {
                return Err(PlanError::NotCovered { section, entry: covered });
            }
            covered = covered.saturating_add(unit.entries);
            next += 1;
        }
        if covered != node.entries || covered == 0 {
            return Err(PlanError::NotCovered { section, entry: covered.min(node.entries) });
        }
        units_of.push(start as u32..next as u32);
    }
    match units.get(next) {
        Some(unit) => Err(PlanError::NotCovered { section: unit.section, entry: unit.first }),
        None => Ok(units_of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(needs: &[u32], entries: u64) -> SectionNode {
        SectionNode { needs: needs.iter().copied().map(SectionId).collect(), entries }
    }

    fn unit(section: u32, first: u64, entries: u64) -> UnitRange {
        UnitRange { section: SectionId(section), first, entries }
    }

    #[test]
    fn a_graph_knows_units_needs_and_dependents() {
        let sections = vec![node(&[], 5), node(&[0], 3), node(&[0, 1], 1)];
        let units = vec![unit(0, 0, 4), unit(0, 4, 1), unit(1, 0, 3), unit(2, 0, 1)];
        let graph = Graph::new(sections, units).unwrap();
        assert_eq!((graph.section_count(), graph.unit_count(), graph.entries()), (3, 4, 9));
        assert_eq!(graph.dependents(SectionId(0)), [SectionId(1), SectionId(2)]);
        assert_eq!(graph.units_of(SectionId(0)).collect::<Vec<_>>(), [UnitId(0), UnitId(1)]);
        assert_eq!(graph.unit(UnitId(3)), Some(unit(2, 0, 1)));
        assert_eq!(graph.unit(UnitId(4)), None);
        assert_eq!([0, 1, 2].map(|s| graph.largest_need(SectionId(s))), [0, 5, 5]);
        assert_eq!([0, 1, 2].map(|s| graph.needed_entries(SectionId(s))), [0, 5, 8]);
    }

    #[test]
    fn cycles_and_unknown_needs_are_refused() {
        let units = vec![unit(0, 0, 1), unit(1, 0, 1)];
        let circle = Graph::new(vec![node(&[1], 1), node(&[0], 1)], units.clone());
        assert_eq!(circle, Err(PlanError::Cycle { section: SectionId(0) }));
        let own = Graph::new(vec![node(&[], 1), node(&[1], 1)], units.clone());
        assert_eq!(own, Err(PlanError::Cycle { section: SectionId(1) }));
        let unknown = Graph::new(vec![node(&[], 1), node(&[7], 1)], units.clone());
        let (section, need) = (SectionId(1), SectionId(7));
        assert_eq!(unknown, Err(PlanError::NoSuchSection { section, need }));
        let twice = Graph::new(vec![node(&[], 1), node(&[0, 0], 1)], units);
        assert!(matches!(twice, Err(PlanError::NeededTwice { .. })));
    }

    #[test]
    fn gaps_overlaps_and_leftovers_are_refused() {
        let sections = || vec![node(&[], 5), node(&[], 3)];
        let bad = [
            vec![unit(0, 0, 5)],
            vec![unit(0, 0, 4), unit(1, 0, 3)],
            vec![unit(0, 0, 5), unit(0, 4, 1), unit(1, 0, 3)],
            vec![unit(0, 1, 4), unit(1, 0, 3)],
            vec![unit(0, 0, 5), unit(1, 0, 3), unit(1, 3, 1)],
            vec![unit(1, 0, 3), unit(0, 0, 5)],
            vec![unit(0, 0, 5), unit(1, 0, 3), unit(2, 0, 1)],
            vec![unit(0, 0, 5), unit(1, 0, 0), unit(1, 0, 3)],
            vec![],
        ];
        for units in bad {
            let result = Graph::new(sections(), units.clone());
            assert!(matches!(result, Err(PlanError::NotCovered { .. })), "{units:?}: {result:?}");
        }
        let empty = Graph::new(vec![node(&[], 0)], vec![]);
        assert!(matches!(empty, Err(PlanError::NotCovered { .. })));
    }
}
