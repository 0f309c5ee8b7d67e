//! Solving the two-foundation game from nothing, and judging boards when all is known.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use retrotab_player::subgames::{Position, Rules, Solver, SubgameEvaluator, SubgameOptions};
use retrotab_player::{Board, Evaluator, Foundation, Game, Moves, Rank, Start};

const MEMORY: u64 = 1 << 30;

fn rules(stacks: usize, chain: usize) -> Rules {
    Rules::new(stacks, chain).expect("a game that exists")
}

fn solver(rules: Rules) -> Solver {
    Solver::new(rules, MEMORY).expect("enough memory")
}

/// Positions a second.
fn solve(c: &mut Criterion) {
    let mut group = c.benchmark_group("solve");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (stacks, chain) in [(2, 6), (3, 5), (4, 5)] {
        let rules = rules(stacks, chain);
        let start = Position::start(rules);
        let known = solver(rules);
        known.value(&start);
        group.throughput(Throughput::Elements(known.state().positions as u64));
        group.bench_function(format!("{stacks} stacks, {chain} cards"), |b| {
            let setup = || solver(rules);
            b.iter_batched(setup, |solver| solver.value(&start), BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// A board after some draws: every card goes on its first foundation that has room, the drawn
/// card on one of the stacks in turn.
fn boards(game: Game, draws: usize) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(5);
    let mut cards: Vec<Rank> = (0..game.cards()).map(|card| Rank((card / 4) as u8)).collect();
    random.shuffle(&mut cards);
    let mut board = Board::start(game, Start::Stock);
    let mut boards = Vec::new();
    for (turn, &rank) in cards[..draws].iter().enumerate() {
        let slots = Foundation::ALL.map(|foundation| game.slot(foundation, rank));
        let open = slots.into_iter().filter(|&slot| board.stock().contains(slot));
        let slot = open.max_by_key(|&slot| slot.index()).expect("a card of the stock has a slot");
        if board.is_next(slot) {
            board.build(slot);
        } else {
            board.put(slot, turn % game.stacks());
        }
        board.settle(&mut Moves::default());
        boards.push(board);
    }
    boards
}

/// Boards a second, when all positions are known and no pair value is.
fn judge(c: &mut Criterion) {
    let game = Game::new(13, 3).expect("a game that exists");
    let boards = boards(game, 8);
    let options = SubgameOptions::default();
    let evaluator = || SubgameEvaluator::new(game, solver(rules(3, 5)), options).expect("options");
    let mut values = vec![0.0; boards.len()];
    let known = evaluator();
    known.evaluate(&boards, &mut values);
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    known.solver().save(&cache).expect("a cache");
    let load = || Solver::load(rules(3, 5), MEMORY, &cache).expect("a cache");
    let mut group = c.benchmark_group("judge");
    group.sample_size(10).throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("3 stacks, 5 cards", |b| {
        let setup = || SubgameEvaluator::new(game, load(), options).expect("options");
        let judge = |evaluator: SubgameEvaluator| {
            evaluator.evaluate(black_box(&boards), &mut values);
            evaluator
        };
        b.iter_batched(setup, judge, BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, solve, judge);
criterion_main!(benches);
