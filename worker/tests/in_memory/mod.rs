//! Whole small tables, solved in memory unit by unit.

use std::sync::{Arc, Mutex};

use retrotab_tablefmt::stack::{Cards, Ranking, Rule, Section, StackSpec, Stacks};
use retrotab_worker::InputError;
use retrotab_worker::stack::{
    Buffers, EntrySource, Isa, MemoryRows, RowSource, SectionContext, SolvedUnit, Solver,
};

pub fn ranking(stacks: u8, cards: u8, rule: Rule) -> Arc<Ranking> {
    let (stacks, cards) = (Stacks::try_from(stacks).unwrap(), Cards::try_from(cards).unwrap());
    Arc::new(Ranking::new(StackSpec { stacks, cards, rule }))
}

/// The values of the sections solved so far, as stored.
pub struct Solved<'a> {
    ranking: &'a Arc<Ranking>,
    sections: Mutex<Vec<Vec<u16>>>,
}

impl EntrySource for Solved<'_> {
    fn read(&self, section: Section, first: u64, out: &mut [u16]) -> Result<(), InputError> {
        let sections = self.sections.lock().unwrap();
        let values = &sections[self.ranking.section_number(section)];
        out.copy_from_slice(&values[first as usize..][..out.len()]);
        Ok(())
    }
}

/// All values of a table, its units having at most `unit` entries.
pub fn solve(ranking: &Arc<Ranking>, isa: Isa, unit: u64) -> Vec<u16> {
    let solved = Solved { ranking, sections: Mutex::new(Vec::new()) };
    for (_, layout) in ranking.sections() {
        let values = if layout.section().rows == 0 {
            SolvedUnit::won().values().to_vec()
        } else {
            solve_section(&solved, layout.section(), isa, unit)
        };
        assert_eq!(values.len() as u64, layout.entries());
        solved.sections.lock().unwrap().push(values);
    }
    solved.sections.into_inner().unwrap().concat()
}

fn solve_section(solved: &Solved, section: Section, isa: Isa, unit: u64) -> Vec<u16> {
    let context = SectionContext::new(solved.ranking, section);
    let load = |below: Section| {
        let rows = 0..solved.ranking.section(below).rows();
        MemoryRows::load(solved.ranking, below, rows, solved).unwrap()
    };
    let same = context.same_rows().map(load);
    let other = context.other_rows().map(load);
    let buffers = Buffers::default();
    let solver = Solver::new(&context, isa, &buffers);
    let mut values = Vec::new();
    let entries = context.layout().entries();
    for first in (0..entries).step_by(unit as usize) {
        let range = first..(first + unit).min(entries);
        let same = same.as_ref().map(|r| r as &dyn RowSource);
        let other = other.as_ref().map(|r| r as &dyn RowSource);
        let solved = solver.solve(range, same, other, &()).unwrap();
        values.extend_from_slice(solved.values());
        buffers.recycle(solved);
    }
    values
}
