//! What units are said to need, against what the solver reads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

use retrotab_tablefmt::layout::{SectionId, UnitRange};
use retrotab_tablefmt::shard::{JobDigest, UnitId};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_worker::stack::{Isa, Resources};
use retrotab_worker::{UnitNeeds, UnitSolver, ValueSource};

/// Gives zeros, and remembers what was read.
#[derive(Default)]
struct Remembers(Mutex<BTreeMap<u32, Range<u64>>>);

impl ValueSource for Remembers {
    fn read(
        &self,
        section: SectionId,
        _column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        out.fill(0);
        let read = from / 2..(from + out.len() as u64) / 2;
        let mut all = self.0.lock().unwrap();
        let known = all.entry(section.0).or_insert(read.clone());
        *known = known.start.min(read.start)..known.end.max(read.end);
        Ok(())
    }
}

#[test]
fn exactly_what_is_needed_is_read() {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(9).unwrap());
    let spec = TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted });
    let layout = spec.layout();
    let needs = UnitNeeds::new(&spec);
    let scratch = std::env::temp_dir();
    let resources = Resources { memory: 1 << 30, scratch, isa: Isa::detect() };
    let mut solver = UnitSolver::new(&spec, JobDigest([0; 32]), resources);
    let (mut before, mut several) = (None, 0);
    for (section, of) in (0..).map(SectionId).zip(&layout.sections) {
        let unit = layout.unit_alignment();
        for first in (0..of.entries).step_by(unit as usize) {
            let range = UnitRange { section, first, entries: unit.min(of.entries - first) };
            let read = Remembers::default();
            solver.solve(UnitId(0), range, &read, &()).unwrap();
            let mut said = BTreeMap::new();
            for (section, entries) in needs.of(range, before) {
                said.insert(section.0, entries);
            }
            assert_eq!(said, read.0.into_inner().unwrap(), "{range:?} of section {}", of.name);
            several += u32::from(before == Some(section));
            before = Some(section);
        }
    }
    assert!(several > 3, "{several} units were not the first of their section");
}
