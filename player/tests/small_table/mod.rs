//! Small stack tables, solved position by position from the rules of the stack game.

use retrotab_player::Game;
use retrotab_player::table::TableEvaluator;
use retrotab_tablefmt::stack::{Lane, Position, Ranking, Rule, StackSpec};

/// A small table of the rule `sorted-1` for a game's stacks.
pub fn evaluator(game: Game, cards: u8) -> TableEvaluator {
    let spec = StackSpec {
        stacks: (game.stacks() as u8).try_into().unwrap(),
        cards: cards.try_into().unwrap(),
        rule: Rule::Sorted,
    };
    TableEvaluator::from_values(spec, game, solve(spec)).unwrap()
}

/// The values of all entries, in order.
pub fn solve(spec: StackSpec) -> Vec<u16> {
    let ranking = Ranking::new(spec);
    let mut values: Vec<u16> = Vec::new();
    for entry in 0..ranking.entries() {
        let position = ranking.unrank(entry).unwrap();
        let value = value(&ranking, &values, &position);
        values.push(value);
    }
    values
}

fn value(ranking: &Ranking, values: &[u16], position: &Position) -> u16 {
    let Position { a, b } = position;
    let draws = u64::from(a.stock() + b.stock());
    if draws == 0 {
        return u16::MAX;
    }
    let of =
        |a: Lane, b: Lane| u64::from(values[ranking.rank(&Position { a, b }).unwrap() as usize]);
    let mut sum = 0;
    for (own, other) in [(a, b), (b, a)] {
        for draw in 1..=own.stock() {
            let stacks = 0..ranking.spec().stacks.get();
            sum += match draw {
                1 => of(own.play(), *other),
                _ => stacks
                    .filter(|&stack| own.allows(other, draw, stack))
                    .map(|stack| of(own.place(draw, stack), *other))
                    .max()
                    .unwrap_or(0),
            };
        }
    }
    ((sum + draws / 2) / draws) as u16
}
