//! Positions per second of the solver alone, by instruction set, rule and shape of section.
//! The values it reads are made up; speed does not depend on them.

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use retrotab_tablefmt::stack::{Cards, Ranking, Rule, Section, StackSpec, Stacks};
use retrotab_worker::InputError;
use retrotab_worker::stack::{
    Buffers, EntrySource, Isa, MemoryRows, RowSource, SectionContext, Solver,
};

struct MadeUp;

impl EntrySource for MadeUp {
    fn read(&self, _: Section, first: u64, out: &mut [u16]) -> Result<(), InputError> {
        for (entry, value) in (first..).zip(out) {
            *value = (entry.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16;
        }
        Ok(())
    }
}

/// Entries solved in one round.
const ENTRIES: u64 = 2 << 20;

fn solve(c: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let mut group = c.benchmark_group("one core");
    group.throughput(Throughput::Elements(ENTRIES)).sample_size(10);
    let sections = [
        ("rectangle 7,5", Section { rows: 7, columns: 5 }),
        ("triangle 6,6", Section { rows: 6, columns: 6 }),
    ];
    for (shape, section) in sections {
        for (rule, isa) in [
            (Rule::Sorted, Isa::detect()),
            (Rule::Sorted, Isa::Portable),
            (Rule::Choice, Isa::detect()),
            (Rule::Choice, Isa::Portable),
        ] {
            let (stacks, cards) = (Stacks::try_from(3), Cards::try_from(12));
            let (stacks, cards) = (stacks.expect("in range"), cards.expect("in range"));
            let ranking = Arc::new(Ranking::new(StackSpec { stacks, cards, rule }));
            let context = SectionContext::new(&ranking, section);
            let load = |below: Section| {
                let rows = 0..ranking.section(below).rows();
                MemoryRows::load(&ranking, below, rows, &MadeUp).expect("made-up rows")
            };
            let (same, other) = (context.same_rows().map(load), context.other_rows().map(load));
            let buffers = Buffers::default();
            let solver = Solver::new(&context, isa, &buffers);
            let unit = context.layout().entries() / 2;
            group.bench_function(format!("{shape}, {}, {isa:?}", rule.name()), |b| {
                b.iter(|| {
                    let same = same.as_ref().map(|rows| rows as &dyn RowSource);
                    let other = other.as_ref().map(|rows| rows as &dyn RowSource);
                    let range = unit..unit + ENTRIES;
                    let solved = pool.install(|| solver.solve(range, same, other, &()));
                    buffers.recycle(solved.expect("it is not stopped"));
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, solve);
criterion_main!(benches);
