//! The rules against an independent simulator.

mod simulator;

use proptest::prelude::*;
use retrotab_player::search::winning_steps;
use retrotab_player::{Foundation, Game, Position, Rank, Start, Step};
use simulator::Simulator;

/// All that can be tried.
fn all_commands(stacks: usize) -> Vec<String> {
    let mut all: Vec<String> = (0..4).map(|f| format!("b{f}")).collect();
    for stack in 0..stacks {
        all.push(format!("p{stack}"));
        all.extend((0..4).map(|f| format!("m{stack}{f}")));
    }
    all
}

fn step(command: &str) -> Step {
    let digit = |at: usize| command[at..=at].parse::<u8>().unwrap();
    match &command[..1] {
        "b" => Step::Build(Foundation(digit(1))),
        "p" => Step::Put(usize::from(digit(1))),
        _ => Step::Move(usize::from(digit(1)), Foundation(digit(2))),
    }
}

/// Whether both say that the same lies on the table.
fn alike(position: &Position, simulator: &Simulator) -> bool {
    let stacks = position.stacks().iter().zip(&simulator.stacks).all(|(ranks, letters)| {
        ranks.iter().map(|rank| rank.letter()).collect::<String>() == *letters
    });
    let built = Foundation::ALL.iter().zip(&simulator.built);
    stacks
        && position.drawn().map(Rank::letter) == simulator.hand
        && position.is_won() == simulator.is_won()
        && built.clone().all(|(&foundation, built)| position.built(foundation) == built.len())
}

proptest! {
    /// At every point of a random game each step is allowed by both or by neither, and one that
    /// is not allowed changes nothing.
    #[test]
    fn an_illegal_step_is_impossible(
        seed in any::<u64>(),
        stacks in 3usize..=4,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 160),
    ) {
        let game = Game::new(13, stacks as u8).unwrap();
        let deal = retrotab_player::Deal::shuffled(game, Start::Stock, seed, 0);
        let mut position = Position::start(game, Start::Stock);
        let mut simulator = Simulator::new(stacks);
        let mut cards = deal.cards().iter();
        for choice in choices {
            if position.drawn().is_none() {
                let Some(&rank) = cards.next() else { break };
                position.draw(rank).unwrap();
                simulator.hand = Some(rank.letter());
            }
            let mut allowed = Vec::new();
            for command in all_commands(stacks) {
                let (mut next, mut next_simulator) = (position.clone(), simulator.clone());
                let made = next.make(step(&command)).is_ok();
                prop_assert_eq!(made, next_simulator.obey(&command), "{}", command);
                prop_assert!(alike(&next, &next_simulator));
                prop_assert!(made || next == position);
                if made {
                    allowed.push(command);
                }
            }
            let listed = position.steps();
            prop_assert_eq!(listed.len(), allowed.len());
            prop_assert!(allowed.iter().all(|command| listed.contains(&step(command))));
            let command = choice.get(&allowed);
            position.make(step(command)).unwrap();
            simulator.obey(command);
        }
    }
}

#[test]
fn the_base_variant_has_a_2_3_4_laid_out() {
    let game = Game::new(13, 3).unwrap();
    let position = Position::start(game, Start::Base);
    assert_eq!(position.stock(), 48);
    for (foundation, (laid, next)) in
        Foundation::ALL.into_iter().zip([(0, 1), (1, 3), (2, 5), (3, 7)])
    {
        assert_eq!(position.built(foundation), 1);
        assert_eq!(position.stock_of(Rank(laid)), 3);
        assert_eq!(position.next(foundation), Some(Rank(next)));
    }
}

#[test]
fn cards_are_drawn_one_at_a_time_and_only_those_there_are() {
    let game = Game::new(5, 1).unwrap();
    let mut position = Position::start(game, Start::Stock);
    for _ in 0..4 {
        position.draw(Rank(4)).unwrap();
        assert!(position.draw(Rank(3)).unwrap_err().to_string().contains("must be played"));
        position.make(Step::Put(0)).unwrap();
    }
    assert!(position.draw(Rank(4)).unwrap_err().to_string().contains("no 5 is left"));
    assert!(position.make(Step::Put(0)).unwrap_err().to_string().contains("no card"));
}

/// Whether some order of moves wins, by trying them all.
fn is_winnable(simulator: &Simulator, commands: &[String]) -> bool {
    let wins = |command: &String| {
        let mut next = simulator.clone();
        next.obey(command) && is_winnable(&next, commands)
    };
    simulator.is_won() || commands.iter().any(wins)
}

#[test]
fn ends_of_games_are_won_when_the_simulator_can() {
    let game = Game::new(13, 3).unwrap();
    let commands = all_commands(3);
    let mut random = fastrand::Rng::with_seed(1);
    let mut won = 0;
    for number in 0..600 {
        let missing = [0; 4].map(|_| random.usize(0..=3));
        let built = missing.map(|missing| 13 - missing);
        let mut simulator = Simulator::new(3);
        let mut cards = Vec::new();
        for (foundation, letters) in simulator::FOUNDATIONS.iter().enumerate() {
            let (there, left) = letters.split_at(built[foundation]);
            there.clone_into(&mut simulator.built[foundation]);
            cards.extend(left.chars());
        }
        random.shuffle(&mut cards);
        // Half of the time the last card is still in the hand.
        let hand = if number % 2 == 0 { cards.pop() } else { None };
        for card in cards {
            simulator.stacks[random.usize(0..3)].push(card);
        }
        simulator.hand = hand;
        let ranks = |letters: &String| letters.chars().filter_map(Rank::from_letter).collect();
        let stacks = simulator.stacks.iter().map(ranks).collect();
        let mut position = Position::of(game, built, stacks).unwrap();
        if let Some(card) = hand {
            position.draw(Rank::from_letter(card).unwrap()).unwrap();
        }
        let steps = winning_steps(&position);
        assert_eq!(steps.is_some(), is_winnable(&simulator, &commands), "{simulator:?}");
        if let Some(steps) = steps {
            steps.into_iter().for_each(|step| position.make(step).unwrap());
            assert!(position.is_won());
            won += 1;
        }
    }
    assert!((100..500).contains(&won), "{won}");
}
