//! `retrotab evaluate`: what cards are worth.

use std::io::Write;

use retrotab_tablefmt::hands::{Evaluation, evaluate_best, evaluate_omaha, parse_cards};
use serde_json::json;

use super::users;
use crate::args::EvaluateArgs;

/// Prints rank, category and best five of some cards.
pub fn evaluate(args: &EvaluateArgs) -> anyhow::Result<()> {
    let cards = parse_cards(&args.cards).map_err(users)?;
    let board = args.board.as_ref().map(|text| parse_cards(text).map_err(users)).transpose()?;
    let found = match board {
        Some(board) if cards.len() == 2 => evaluate_best(&[cards, board].concat()),
        Some(board) => evaluate_omaha(&cards, &board),
        None => evaluate_best(&cards),
    };
    let Evaluation { rank, category, best } = found.map_err(users)?;
    let best: String = best.iter().map(ToString::to_string).collect();
    let mut out = std::io::stdout().lock();
    if args.json {
        let line = json!({"rank": rank.0, "category": category.name(), "best": best});
        writeln!(out, "{line}")?;
    } else {
        writeln!(out, "{category}  {best}  (rank {rank} of 7462)")?;
    }
    Ok(())
}
