//! Sampled subgames against the solver itself, and what an evaluator promises.

use retrotab_player::subgames::{
    Arrangement, Card, Rules, Solver, SubgameError, SubgameEvaluator, SubgameOptions,
};
use retrotab_player::{Board, Evaluator, Foundation, Game, Moves, PAIRS, Start};

fn solver(stacks: usize, chain: usize) -> Solver {
    Solver::new(Rules::new(stacks, chain).unwrap(), 1 << 30).unwrap()
}

fn evaluator(game: Game, chain: usize, options: SubgameOptions) -> SubgameEvaluator {
    SubgameEvaluator::new(game, solver(game.stacks(), chain), options).unwrap()
}

/// Boards that random play meets before it is deadlocked.
fn boards(game: Game, games: usize) -> Vec<Board> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut boards = Vec::new();
    for _ in 0..games {
        let mut board = Board::start(game, Start::Stock);
        while !board.stock().is_empty() {
            let stock: Vec<_> = board.stock().iter().collect();
            let slot = stock[random.usize(..stock.len())];
            if board.is_next(slot) {
                board.build(slot);
            } else {
                board.put(slot, random.usize(..game.stacks()));
            }
            board.settle(&mut Moves::default());
            if board.stuck() > 0 {
                break;
            }
            boards.push(board);
        }
    }
    boards
}

/// The cards of two foundations as they lie.
fn arrangement(board: &Board, pair: (Foundation, Foundation)) -> Arrangement {
    let lanes = [pair.0, pair.1];
    let left = lanes.map(|foundation| board.game().ranks() - board.built(foundation));
    let mut cards = Arrangement::new(left);
    for (number, stack) in board.stacks().iter().enumerate() {
        for slot in stack.cards() {
            if let Some(lane) = lanes.iter().position(|&lane| lane == slot.foundation()) {
                let index = slot.index() - board.built(lanes[lane]);
                cards.put(number, Card::new(lane, index));
            }
        }
    }
    cards
}

#[test]
fn whole_pairs_are_exact() {
    let game = Game::new(7, 2).unwrap();
    let boards = boards(game, 60);
    let solver = solver(2, 7);
    let options = SubgameOptions { floor: 1e-7, ..SubgameOptions::default() };
    let evaluator = evaluator(game, 7, options);
    let mut pairs = 0;
    for board in &boards {
        let values = evaluator.pairs(board).unwrap();
        for (pair, value) in PAIRS.into_iter().zip(values) {
            let position = arrangement(board, pair).position(solver.rules()).unwrap();
            let chance = solver.value(&position.expect("a live board has live pairs"));
            assert!((chance.max(1e-7).ln() as f32 - value).abs() < 1e-4, "{board:?} {pair:?}");
            pairs += usize::from(chance < 1.0);
        }
    }
    assert!(pairs > 500, "{pairs}");
}

#[test]
fn boards_get_the_same_values_in_any_company() {
    let game = Game::new(11, 3).unwrap();
    let boards = boards(game, 6);
    let options = SubgameOptions { samples: 24, ..SubgameOptions::default() };
    let evaluator_of = || evaluator(game, 4, options);
    let one = evaluator_of();
    let mut together = vec![0.0; boards.len()];
    one.evaluate(&boards, &mut together);
    let other = evaluator_of();
    let alone = std::thread::scope(|scope| {
        let judge = |board: &Board| {
            let mut value = [0.0];
            other.evaluate(std::slice::from_ref(board), &mut value);
            value[0]
        };
        let (front, back) = boards.split_at(boards.len() / 2);
        let back = scope.spawn(move || back.iter().rev().map(judge).collect::<Vec<f32>>());
        let mut values: Vec<f32> = front.iter().map(judge).collect();
        values.extend(back.join().unwrap().into_iter().rev());
        values
    });
    assert_eq!(together, alone);
    assert!(together.iter().all(|value| value.is_finite() && *value <= 0.0));
    assert!(together.iter().any(|&value| value < -1.0));
}

#[test]
fn another_seed_samples_other_subgames() {
    let game = Game::new(13, 3).unwrap();
    let boards = boards(game, 2);
    let values = |seed| {
        let options = SubgameOptions { samples: 8, seed, ..SubgameOptions::default() };
        let mut values = vec![0.0; boards.len()];
        evaluator(game, 4, options).evaluate(&boards, &mut values);
        values
    };
    assert_eq!(values(1), values(1));
    assert_ne!(values(1), values(2));
}

#[test]
fn a_won_board_is_certain() {
    let game = Game::new(5, 1).unwrap();
    let mut board = Board::start(game, Start::Stock);
    for foundation in Foundation::ALL {
        for slot in board.stock().iter().filter(|slot| slot.foundation() == foundation) {
            board.build(slot);
        }
    }
    assert!(board.is_won());
    let mut value = [-1.0];
    evaluator(game, 3, SubgameOptions::default()).evaluate(&[board], &mut value);
    assert_eq!(value, [0.0]);
}

#[test]
fn senseless_options_are_refused() {
    let game = Game::new(13, 3).unwrap();
    let refusal = |stacks, options| {
        SubgameEvaluator::new(game, solver(stacks, 4), options).unwrap_err().to_string()
    };
    let good = SubgameOptions::default();
    let bad = [
        (SubgameOptions { samples: 0, ..good }, "0 subgames"),
        (SubgameOptions { samples: 1 << 20, ..good }, "subgames a pair"),
        (SubgameOptions { floor: 0.0, ..good }, "floor"),
        (SubgameOptions { floor: f32::NAN, ..good }, "floor"),
        (SubgameOptions { exponent: -1.0, ..good }, "exponent"),
        (SubgameOptions { exponent: f32::NAN, ..good }, "exponent"),
    ];
    for (options, expected) in bad {
        let message = refusal(3, options);
        assert!(message.contains(expected), "{message}");
    }
    assert!(matches!(
        SubgameEvaluator::new(game, solver(2, 4), good).unwrap_err(),
        SubgameError::OtherStacks(3, 2)
    ));
}
