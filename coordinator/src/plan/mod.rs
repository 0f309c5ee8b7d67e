//! From a job to its graph of units.
//!
//! A job is a table and a unit size. Its [`Plan`] lists the sections, what each needs, and
//! the units, numbered in the order of the entries; that order is also the order in which
//! units go out. Families differ only in what their sections need: one module each.

mod describe;
mod graph;
mod hands;
mod size;
mod stack;
mod sticks;
#[cfg(test)]
pub(crate) mod test_layouts;

use std::sync::Arc;

use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::shard::JobDigest;
use retrotab_tablefmt::spec::TableSpec;

pub use crate::ids::UnitId;
pub use describe::BadDescription;
pub use graph::{Graph, MAX_UNITS, SectionNode};
pub use retrotab_tablefmt::identity::{Difference, JobIdentity};
pub use size::UnitSize;

/// A job that cannot be planned. All but [`TooManyUnits`](PlanError::TooManyUnits) mean that
/// a family describes its table wrongly, which is a bug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A section needs one that does not exist.
    #[error("section {} needs section {}, which does not exist", section.0, need.0)]
    NoSuchSection {
        /// The section.
        section: SectionId,
        /// What it needs.
        need: SectionId,
    },
    /// A section lists a need twice.
    #[error("section {} lists section {} twice among its needs", section.0, need.0)]
    NeededTwice {
        /// The section.
        section: SectionId,
        /// What it needs.
        need: SectionId,
    },
    /// Sections need each other in a circle.
    #[error("section {} needs itself, directly or through others", section.0)]
    Cycle {
        /// A section on the circle or behind it.
        section: SectionId,
    },
    /// The units do not cover a section exactly once, in order.
    #[error("the units do not cover section {} exactly once: see entry {entry}", section.0)]
    NotCovered {
        /// The section.
        section: SectionId,
        /// Where the cover breaks, counted from the start of the section.
        entry: u64,
    },
    /// A section's name does not say what it holds.
    #[error("section {} is named `{name}`, which does not fit its family", section.0)]
    BadName {
        /// The section.
        section: SectionId,
        /// Its name.
        name: String,
    },
    /// A section needs one that the layout does not have.
    #[error("section {} needs a section named `{need}`, which the layout lacks", section.0)]
    NeedMissing {
        /// The section.
        section: SectionId,
        /// The name of what it needs.
        need: String,
    },
    /// The unit size asked for is too small.
    #[error(
        "units of {unit_entries} entries would make {units} units, more than {MAX_UNITS}; \
         choose larger units"
    )]
    TooManyUnits {
        /// Units the job would have.
        units: u64,
        /// Entries of a full unit.
        unit_entries: u64,
    },
}

/// A job, worked out: what to compute, in which pieces, and what each piece waits for.
#[derive(Debug, Clone)]
pub struct Plan {
    spec: TableSpec,
    layout: TableLayout,
    unit_entries: u64,
    identity: JobIdentity,
    graph: Arc<Graph>,
}

impl Plan {
    /// Plans the job of computing a table in units of a size.
    ///
    /// # Errors
    /// [`PlanError::TooManyUnits`] if the units are too small.
    pub fn new(spec: TableSpec, size: UnitSize) -> Result<Plan, PlanError> {
        let layout = spec.layout();
        Plan::with_layout(spec, layout, size)
    }

    /// Plans the job of computing a table whose layout is already known.
    ///
    /// # Errors
    /// As [`new`](Self::new); others only if the layout does not fit the family.
    pub fn with_layout(
        spec: TableSpec,
        layout: TableLayout,
        size: UnitSize,
    ) -> Result<Plan, PlanError> {
        let needs = match &spec {
            TableSpec::Stack(_) => stack::needs(&layout)?,
            TableSpec::Sticks(spec) => sticks::needs(*spec, &layout)?,
            TableSpec::Hands(_) => hands::needs(&layout),
        };
        let entries = layout.sections.iter().map(|s| s.entries);
        let sections = needs.into_iter().zip(entries);
        let sections = sections.map(|(needs, entries)| SectionNode { needs, entries }).collect();
        let unit_entries = size.entries(&layout);
        let units = graph::cut(&layout, unit_entries)?;
        let graph = Arc::new(Graph::new(sections, units)?);
        let identity = JobIdentity::new(&spec, &layout, unit_entries);
        Ok(Plan { spec, layout, unit_entries, identity, graph })
    }

    /// The table.
    pub fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// The table's layout.
    pub fn layout(&self) -> &TableLayout {
        &self.layout
    }

    /// Entries of a full unit.
    pub fn unit_entries(&self) -> u64 {
        self.unit_entries
    }

    /// Sections, needs and units.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// What fixes the bytes of the job's shards.
    pub fn identity(&self) -> &JobIdentity {
        &self.identity
    }

    /// The digest that every shard of the job carries.
    pub fn digest(&self) -> JobDigest {
        self.identity.job_digest()
    }

    /// The entries of a unit, or `None` if there is no such unit.
    pub fn unit(&self, unit: UnitId) -> Option<UnitRange> {
        self.graph.unit(unit)
    }

    /// The unit that holds an entry of a section, or `None` if there is no such entry. Where
    /// a worker finds the values it needs.
    pub fn unit_of_entry(&self, section: SectionId, entry: u64) -> Option<UnitId> {
        let spec = self.layout.sections.get(section.0 as usize)?;
        let index = (entry < spec.entries).then(|| entry / self.unit_entries)?;
        self.graph.units_of(section).nth(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::test_layouts::{stack_layout, stack_spec};
    use super::*;

    fn plan(cards: u8, size: UnitSize, entries: impl Fn(u8, u8) -> u64) -> Plan {
        Plan::with_layout(stack_spec(3, cards), stack_layout(cards, entries), size).unwrap()
    }

    #[test]
    fn units_are_aligned_and_numbered_in_order_of_entries() {
        let plan = plan(2, UnitSize::Entries(1), |k, l| 1 + 200_000 * u64::from(k + l));
        assert_eq!(plan.unit_entries(), 131_072);
        let firsts: Vec<_> = plan
            .graph()
            .units()
            .map(|u| (plan.graph().range(u).section.0, plan.graph().range(u).first / 131_072))
            .collect();
        let expected = [
            (0, 0),
            (1, 0),
            (1, 1),
            (2, 0),
            (2, 1),
            (2, 2),
            (2, 3),
            (3, 0),
            (3, 1),
            (3, 2),
            (3, 3),
            (4, 0),
            (4, 1),
            (4, 2),
            (4, 3),
            (4, 4),
            (5, 0),
            (5, 1),
            (5, 2),
            (5, 3),
            (5, 4),
            (5, 5),
            (5, 6),
        ];
        assert_eq!(firsts, expected);
    }

    #[test]
    fn the_unit_of_an_entry_is_found() {
        let plan = plan(2, UnitSize::Entries(1), |k, l| 1 + 200_000 * u64::from(k + l));
        for unit in plan.graph().units() {
            let range = plan.graph().range(unit);
            for entry in [range.first, range.first + range.entries - 1] {
                assert_eq!(plan.unit_of_entry(range.section, entry), Some(unit));
            }
        }
        assert_eq!(plan.unit_of_entry(SectionId(0), 1), None);
        assert_eq!(plan.unit_of_entry(SectionId(99), 0), None);
    }

    #[test]
    fn everything_that_fixes_the_bytes_is_in_the_identity() {
        let base = || plan(3, UnitSize::Entries(1), |_, _| 5);
        let digest = |plan: &Plan| plan.identity().digest();
        assert_eq!(digest(&base()), digest(&base()));
        let larger = plan(3, UnitSize::Entries(200_000), |_, _| 5);
        assert_ne!(digest(&base()), digest(&larger));
        let other =
            Plan::with_layout(stack_spec(4, 3), base().layout().clone(), UnitSize::Entries(1));
        let other = other.unwrap();
        assert_ne!(digest(&base()), digest(&other));
        let keys: Vec<_> = base()
            .identity()
            .differences(other.identity().text())
            .into_iter()
            .map(|difference| difference.key)
            .collect();
        assert_eq!(keys, ["table", "rules"]);
        let sections = plan(3, UnitSize::Entries(1), |_, _| 6);
        assert_ne!(digest(&base()), digest(&sections));
    }

    #[test]
    fn real_tables_can_be_planned() {
        let plan = Plan::new(stack_spec(3, 5), UnitSize::Automatic).unwrap();
        assert_eq!(plan.graph().section_count(), 21);
        assert_eq!(plan.graph().entries(), plan.spec().layout().entries());
        let last = SectionId(20);
        assert_eq!(plan.graph().section(last).needs, [SectionId(19)]);
    }

    #[test]
    fn too_small_units_are_refused() {
        let layout = stack_layout(1, |_, _| 1 << 50);
        let result = Plan::with_layout(stack_spec(3, 1), layout, UnitSize::Entries(1));
        assert!(matches!(result, Err(PlanError::TooManyUnits { .. })));
    }

    proptest! {
        #[test]
        fn units_cover_every_entry_once(
            sizes in prop::collection::vec(1_u64..2_000_000, 15),
            unit in 1_u64..3_000_000,
        ) {
            let entries = |k: u8, l: u8| sizes[usize::from(k * 4 + l) % 15];
            let plan = plan(4, UnitSize::Entries(unit), entries);
            let alignment = plan.layout().unit_alignment();
            let mut covered: Vec<u64> = vec![0; plan.layout().sections.len()];
            for unit in plan.graph().units() {
                let range = plan.graph().range(unit);
                let covered = &mut covered[range.section.0 as usize];
                prop_assert_eq!(range.first, *covered);
                prop_assert_eq!(range.first % alignment, 0);
                prop_assert!(range.entries >= 1 && range.entries <= plan.unit_entries());
                *covered += range.entries;
            }
            let expected: Vec<u64> = plan.layout().sections.iter().map(|s| s.entries).collect();
            prop_assert_eq!(covered, expected);
        }
    }
}
