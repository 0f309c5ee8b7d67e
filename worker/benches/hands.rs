//! Cells per second of the hand solver alone, one Omaha pair, and the whole hold'em table, by
//! instruction set.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use retrotab_tablefmt::hands::{CardSet, CellIndex, Clusters, Game, RowBlocks, parse_cards};
use retrotab_worker::hands::{HandsUnits, hand_against_hand};
use retrotab_worker::stack::Isa;

fn omaha(c: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let mut group = c.benchmark_group("omaha, one core");
    let clusters = Clusters::get(Game::Omaha);
    let section = RowBlocks::all(clusters).len() / 2;
    let cells = RowBlocks::all(clusters)[section].cells(clusters);
    let cells = cells.end - cells.start;
    group.throughput(Throughput::Elements(cells)).sample_size(10);
    for isa in [Isa::detect(), Isa::Portable] {
        let mut units = HandsUnits::new(Game::Omaha, isa);
        group.bench_function(format!("a section of cells, {isa:?}"), |b| {
            b.iter(|| pool.install(|| units.solve(section, 0..cells, &())).expect("not stopped"));
        });
    }
    group.finish();
}

fn pair(c: &mut Criterion) {
    let hand = |text| CardSet::of(&parse_cards(text).expect("cards")).expect("no card twice");
    let hands = [hand("AsAhKsKh"), hand("8d7d6c5c")];
    for isa in [Isa::detect(), Isa::Portable] {
        c.bench_function(&format!("one Omaha pair, {isa:?}"), |b| {
            b.iter(|| hand_against_hand(Game::Omaha, hands, isa).expect("two hands"));
        });
    }
}

fn holdem(c: &mut Criterion) {
    let cells = CellIndex::new(Clusters::get(Game::Holdem)).cells();
    let mut group = c.benchmark_group("hold'em, all cores");
    group.sample_size(10);
    group.bench_function("the whole table with its tables", |b| {
        b.iter(|| HandsUnits::new(Game::Holdem, Isa::detect()).solve(0, 0..cells, &()));
    });
    group.finish();
}

criterion_group!(benches, omaha, pair, holdem);
criterion_main!(benches);
