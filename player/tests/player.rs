//! Whole games of the player.

mod simulator;
mod small_table;

use std::sync::Arc;

use retrotab_player::fitted::{FittedEvaluator, Network, PLAIN_FEATURES, Sources};
use retrotab_player::rollout::RolloutEvaluator;
use retrotab_player::search::{Player, Settings, assignments};
use retrotab_player::staged::StagedEvaluator;
use retrotab_player::sum::SumEvaluator;
use retrotab_player::{
    Board, Deal, Evaluator, Foundation, Game, Outcome, Position, Rank, Start, Step, play,
};
use simulator::Simulator;

fn settings(level: usize, kept: usize) -> Settings {
    Settings::new(level, kept).unwrap()
}

fn command(step: Step) -> String {
    match step {
        Step::Build(foundation) => format!("b{}", foundation.0),
        Step::Put(stack) => format!("p{stack}"),
        Step::Move(stack, foundation) => format!("m{stack}{}", foundation.0),
    }
}

/// Plays a deal, and again in the simulator what was done.
fn play_both(evaluator: &dyn Evaluator, game: Game, number: u64) -> (Outcome, Simulator) {
    let deal = Deal::shuffled(game, Start::Stock, 1, number);
    let mut simulator = Simulator::new(game.stacks());
    let rules = (game, Start::Stock);
    let outcome = play(evaluator, settings(0, 20), rules, &deal, |turn| {
        assert_eq!(deal.cards()[turn.number - 1], turn.drawn);
        assert_eq!(simulator.hand, None);
        simulator.hand = Some(turn.drawn.letter());
        for &step in turn.steps {
            assert!(simulator.obey(&command(step)), "deal {number}, {step:?}");
        }
        let shown = turn.board.position();
        let built = Foundation::ALL.map(|f| shown.built(f));
        assert_eq!(built, simulator.built.clone().map(|built| built.len()));
        assert_eq!(turn.board.stuck(), 0);
    });
    (outcome.unwrap(), simulator)
}

#[test]
fn every_step_of_whole_games_is_one_of_the_simulator() {
    for stacks in [3, 4] {
        let game = Game::new(13, stacks).unwrap();
        let evaluator = small_table::evaluator(game, if stacks == 3 { 6 } else { 5 });
        let mut wins = 0;
        for number in 0..30 {
            let (outcome, simulator) = play_both(&evaluator, game, number);
            assert_eq!(outcome.won, simulator.is_won());
            let built: usize = simulator.built.iter().map(String::len).sum();
            assert_eq!(outcome.built, built);
            wins += usize::from(outcome.won);
        }
        assert!(wins > 0 && (stacks == 4 || wins < 30), "{stacks} stacks: {wins}");
    }
}

#[test]
fn the_base_variant_is_played_to_the_end() {
    let game = Game::new(13, 4).unwrap();
    let evaluator = small_table::evaluator(game, 5);
    let won = |number| {
        let deal = Deal::shuffled(game, Start::Base, 3, number);
        let rules = (game, Start::Base);
        let mut draws = 0;
        let outcome = play(&evaluator, settings(0, 10), rules, &deal, |_| draws += 1).unwrap();
        assert!(!outcome.won || (draws == 48 && outcome.built == 52));
        outcome.won
    };
    assert!((0..20).any(won));
}

#[test]
fn looking_ahead_sees_the_end() {
    // With one card left the look-ahead is exact: 1 when it can be built.
    let game = Game::new(7, 2).unwrap();
    let evaluator = small_table::evaluator(game, 7);
    for number in 0..20 {
        let deal = Deal::shuffled(game, Start::Stock, 5, number);
        for level in 1..=2 {
            let rules = (game, Start::Stock);
            let mut last = None;
            let outcome = play(&evaluator, settings(level, 10), rules, &deal, |turn| {
                last = Some((turn.number, turn.board.is_won()));
            });
            let (number, won) = last.unwrap();
            assert_eq!(outcome.unwrap().won, won && number == 28);
        }
    }
}

#[test]
fn rollouts_give_equal_boards_equal_values() {
    let game = Game::new(7, 2).unwrap();
    let evaluator = RolloutEvaluator::new(Arc::new(small_table::evaluator(game, 5)), 20);
    let mut board = Board::start(game, Start::Stock);
    let slots: Vec<_> = board.stock().iter().filter(|&slot| !board.is_next(slot)).collect();
    board.put(slots[3], 0);
    let (mut one, mut other) = ([0.0; 2], [0.0; 2]);
    evaluator.evaluate(&[board, board], &mut one);
    evaluator.evaluate(&[board, board], &mut other);
    assert_eq!(one, other);
    assert_eq!(one[0], one[1]);
    assert!(one[0] < 0.0 && one[0] > f32::NEG_INFINITY);
}

#[test]
fn a_position_gets_assignments_that_are_not_deadlocked() {
    let game = Game::new(13, 3).unwrap();
    let evaluator = small_table::evaluator(game, 6);
    let mut seen = 0;
    for number in 0..10 {
        let deal = Deal::shuffled(game, Start::Stock, 2, number);
        let mut position = Position::start(game, Start::Stock);
        let mut player = Player::new(&evaluator, settings(0, 20), Board::start(game, Start::Stock));
        for &rank in &deal.cards()[..25] {
            position.draw(rank).unwrap();
            let Some(steps) = player.draw(rank) else { break };
            steps.into_iter().for_each(|step| position.make(step).unwrap());
            let assigned = assignments(&evaluator, settings(0, 20), &position);
            assert!(!assigned.boards.is_empty());
            let mut moved = position.clone();
            assigned.steps.iter().for_each(|&step| moved.make(step).unwrap());
            for board in &assigned.boards {
                assert_eq!(board.stuck(), 0);
                assert_eq!(board.position(), moved);
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn a_card_that_must_not_be_buried_is_not() {
    // Kings end every foundation: on an empty table a drawn king goes to a stack of its own and
    // a queen does not go under one.
    let game = Game::new(13, 3).unwrap();
    let evaluator = small_table::evaluator(game, 7);
    let king = Rank::from_letter('K').unwrap();
    let stacks = vec![vec![king], vec![], vec![Rank::from_letter('2').unwrap()]];
    let position = Position::of(game, [1, 0, 0, 0], stacks).unwrap();
    let assigned = assignments(&evaluator, settings(0, 20), &position);
    let player = Player::with_boards(&evaluator, settings(0, 20), assigned.boards);
    let choices = player.choices(king);
    let onto_two = choices.iter().position(|c| c.steps[0] == Step::Put(2)).unwrap_or(usize::MAX);
    let onto_king = choices.iter().position(|c| c.steps[0] == Step::Put(0)).unwrap();
    assert!(onto_king < onto_two, "{choices:?}");
}

#[test]
fn sums_weigh_and_stages_judge_only_the_best() {
    let game = Game::new(7, 2).unwrap();
    let table: Arc<dyn Evaluator> = Arc::new(small_table::evaluator(game, 7));
    let short: Arc<dyn Evaluator> = Arc::new(small_table::evaluator(game, 4));
    let boards: Vec<Board> = Board::start(game, Start::Stock)
        .stock()
        .iter()
        .map(|slot| {
            let mut board = Board::start(game, Start::Stock);
            if board.is_next(slot) {
                board.build(slot)
            } else {
                board.put(slot, 0)
            }
            board
        })
        .collect();
    let values = |evaluator: &dyn Evaluator| {
        let mut values = vec![0.0; boards.len()];
        evaluator.evaluate(&boards, &mut values);
        values
    };
    let (long_values, short_values) = (values(table.as_ref()), values(short.as_ref()));
    let sum = values(&SumEvaluator::new(vec![(0.25, table.clone()), (0.75, short.clone())]));
    for ((&long, &short), sum) in long_values.iter().zip(&short_values).zip(sum) {
        assert!((0.25 * long + 0.75 * short - sum).abs() < 1e-5);
    }
    let staged = values(&StagedEvaluator::new(table, short, 5));
    let mut sorted = long_values.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    for ((&long, &short), staged) in long_values.iter().zip(&short_values).zip(&staged) {
        // Boards as good as the fifth one may be on either side.
        match long.total_cmp(&sorted[4]) {
            std::cmp::Ordering::Greater => assert_eq!(*staged, short),
            std::cmp::Ordering::Less => assert!(*staged < -50.0),
            std::cmp::Ordering::Equal => {}
        }
    }
    assert_eq!(staged.iter().filter(|&&value| value > -50.0).count(), 5);
}

#[test]
fn fitted_weights_must_be_of_the_right_size() {
    let game = Game::new(13, 3).unwrap();
    let sources = Sources { table: Arc::new(small_table::evaluator(game, 5)), subgames: None };
    let bytes = vec![0; Network::bytes(PLAIN_FEATURES)];
    assert!(FittedEvaluator::new(sources.clone(), &bytes[4..]).is_none());
    assert!(FittedEvaluator::new(sources.clone(), &[&bytes[..], &[0; 4]].concat()).is_none());
    let mut infinite = bytes.clone();
    infinite[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(FittedEvaluator::new(sources.clone(), &infinite).is_none());
    // All weights are 0 but the last bias: the chance is 1 / (1 + exp(1)) everywhere.
    let mut biased = bytes;
    let end = biased.len();
    biased[end - 4..].copy_from_slice(&(-1f32).to_le_bytes());
    let evaluator = FittedEvaluator::new(sources, &biased).unwrap();
    let mut value = [0.0];
    evaluator.evaluate(&[Board::start(game, Start::Stock)], &mut value);
    assert!((value[0].exp() - 1.0 / (1.0 + 1f32.exp())).abs() < 1e-6, "{value:?}");
}
