//! `retrotab advise`: a position in, ranked moves out, both as JSON.

use std::io::{Read, Write};

use anyhow::Context;
use retrotab_player::search::{Player, assignments};
use retrotab_player::{Board, Foundation, Game, Position, Rank, Step};
use serde::Deserialize;
use serde_json::{Value, json};

use super::picture;
use super::setup::{self, Judge, Table};
use crate::args::AdviseArgs;
use crate::failure::UserError;

/// A position as it is typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    /// Cards on each foundation.
    built: [usize; Game::FOUNDATIONS],
    /// The stacks as letters, the bottom card first.
    stacks: Vec<String>,
    /// The letter of the drawn card.
    drawn: char,
}

/// Reads a position from standard input and prints what can be done, the best first.
pub fn advise(args: &AdviseArgs) -> anyhow::Result<()> {
    let rules = setup::rules(&args.game)?;
    let settings = setup::settings(&args.thinking)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    let (position, drawn) = parse(rules.game, &text)?;
    let judge = Judge::new(&args.thinking, rules.game)?;
    let table = Table { rules, settings, evaluator: judge.evaluator.as_ref() };
    writeln!(std::io::stdout().lock(), "{}", ranked(&table, &position, drawn))?;
    judge.save(&args.thinking)
}

/// A position and the card that is drawn in it.
fn parse(game: Game, text: &str) -> anyhow::Result<(Position, Rank)> {
    let example = r#"{"built": [1, 0, 0, 0], "stacks": ["KQ", "J", ""], "drawn": "7"}"#;
    let typed: Typed = serde_json::from_str(text)
        .map_err(|error| UserError(format!("no position: {error}; one looks like {example}")))?;
    let rank = |letter| {
        let ranks: String = game.letters().collect();
        let text =
            || UserError(format!("`{letter}` is no rank of this game; its ranks are {ranks}"));
        game.rank_of_letter(letter).ok_or_else(text)
    };
    let stack = |letters: &String| letters.chars().map(rank).collect::<Result<Vec<_>, _>>();
    let stacks = typed.stacks.iter().map(stack).collect::<Result<Vec<_>, _>>()?;
    if stacks.len() != game.stacks() {
        let (found, stacks) = (stacks.len(), game.stacks());
        let text = format!("the position has {found} stacks, but the game has {stacks} (--stacks)");
        return Err(UserError(text).into());
    }
    let drawn = rank(typed.drawn)?;
    let position = Position::of(game, typed.built, stacks)
        .filter(|position| position.stock_of(drawn) > 0)
        .ok_or_else(|| UserError("the position has more cards of a rank than there are".into()))?;
    Ok((position, drawn))
}

/// What can be done, as JSON.
fn ranked(table: &Table, position: &Position, drawn: Rank) -> Value {
    let assigned = assignments(table.evaluator, table.settings, position);
    let player = Player::with_boards(table.evaluator, table.settings, assigned.boards);
    let choices = player.choices(drawn).into_iter().map(|choice| {
        let steps: Vec<Step> = assigned.steps.iter().chain(&choice.steps).copied().collect();
        json!({
            "steps": picture::steps_json(&steps),
            "text": picture::steps(&steps),
            "log_value": choice.value,
            "value": choice.value.exp(),
            "pairs": pairs(table, &choice.board),
            "after": picture::board_json(&choice.board),
        })
    });
    json!({"drawn": drawn.letter(), "moves": choices.collect::<Vec<_>>()})
}

/// The values of the pairs of foundations by name, as `"0-1": 0.93`.
fn pairs(table: &Table, board: &Board) -> Value {
    let Some(values) = table.evaluator.pairs(board) else { return Value::Null };
    let name = |(a, b): (Foundation, Foundation)| format!("{}-{}", a.0, b.0);
    let pairs = retrotab_player::PAIRS.into_iter().zip(values);
    pairs
        .map(|(pair, value)| (name(pair), json!(value.exp())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_cannot_be_are_named() {
        let game = Game::new(13, 3).unwrap();
        let why = |text: &str| parse(game, text).unwrap_err().to_string();
        assert!(why("{").contains("looks like"));
        let text = r#"{"built": [0, 0, 0, 0], "stacks": ["K", "1"], "drawn": "7"}"#;
        assert!(why(text).contains("`1` is no rank"));
        let text = r#"{"built": [0, 0, 0, 0], "stacks": ["K", "Q"], "drawn": "7"}"#;
        assert!(why(text).contains("2 stacks"));
        let text = r#"{"built": [1, 0, 0, 0], "stacks": ["KKKK", "AAAA", ""], "drawn": "7"}"#;
        assert!(why(text).contains("more cards"));
        let text = r#"{"built": [0, 0, 0, 0], "stacks": ["7777", "", ""], "drawn": "7"}"#;
        assert!(why(text).contains("more cards"));
        let text = r#"{"built": [14, 0, 0, 0], "stacks": ["", "", ""], "drawn": "7"}"#;
        assert!(why(text).contains("more cards"));
        let text = r#"{"built": [1, 0, 0, 0], "stacks": ["KQ", "J", ""], "drawn": "7"}"#;
        assert_eq!(parse(game, text).unwrap().0.stock(), 52 - 4);
    }
}
