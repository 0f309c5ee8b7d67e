//! `retrotab equity`: hands against each other, without a table.

use std::io::Write;

use retrotab_tablefmt::hands::{Card, CardSet, Game, parse_cards};
use retrotab_worker::hands::{Equity, equity};
use serde_json::json;

use super::users;
use crate::args::EquityArgs;
use crate::failure::UserError;
use crate::run::pool;
use crate::text::count;

/// Prints how each of some hands does over all boards.
pub fn print(args: &EquityArgs) -> anyhow::Result<()> {
    let parse = |text: &String| parse_cards(text).map_err(users);
    let hands = args.hands.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let cards = |text: &Option<String>| text.as_ref().map_or(Ok(Vec::new()), parse);
    let (board, dead) = (cards(&args.board)?, cards(&args.dead)?);
    let game = match args.game {
        Some(game) => game.into(),
        None => game_of(&hands)?,
    };
    pool::start(None)?;
    let found = equity(game, &hands, &board, &dead)?;
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", as_json(&hands, &found))?,
        false => write!(out, "{}", as_text(&hands, &found))?,
    }
    Ok(())
}

/// The game whose hands have as many cards.
fn game_of(hands: &[Vec<Card>]) -> Result<Game, UserError> {
    let found = [Game::Holdem, Game::Omaha];
    let found = found.into_iter().find(|game| hands[0].len() == game.hole_cards());
    found.ok_or_else(|| {
        let got = hands[0].len();
        UserError(format!("a hold'em hand has 2 cards and an Omaha hand 4, but {got} were given"))
    })
}

fn name(hand: &[Card]) -> String {
    CardSet::of(hand).map_or_else(|_| String::new(), |set| set.to_string())
}

fn as_text(hands: &[Vec<Card>], found: &Equity) -> String {
    let mut text = format!("boards {}\n", count(found.boards));
    for (hand, share) in hands.iter().zip(&found.shares) {
        let (wins, ties) = (count(share.wins()), count(share.ties()));
        let equity = share.pots() / found.boards as f64;
        let hand = name(hand);
        text += &format!("{hand}  equity {equity:.6}  wins {wins}  ties {ties}\n");
    }
    text
}

fn as_json(hands: &[Vec<Card>], found: &Equity) -> serde_json::Value {
    let shares = hands.iter().zip(&found.shares).map(|(hand, share)| {
        json!({
            "hand": name(hand),
            "wins": share.wins(),
            "ties": share.ties(),
            "by_winners": share.by_winners,
            "equity": share.pots() / found.boards as f64,
        })
    });
    json!({"boards": found.boards, "hands": shares.collect::<Vec<_>>()})
}
