//! One game, printed draw by draw.

use std::io::Write;

use retrotab_player::{Deal, Turn, play as play_deal};
use serde_json::json;

use super::picture;
use super::setup::Table;

/// The line after each draw.
const RULER: &str = "----+----+----+----+----+----+----+----+";

/// Plays a deal and prints it.
pub fn play(table: &Table, deal: &Deal, as_json: bool) -> anyhow::Result<()> {
    let out = &mut std::io::stdout().lock();
    let mut written = Ok(());
    let rules = (table.rules.game, table.rules.start);
    let outcome = play_deal(table.evaluator, table.settings, rules, deal, |turn| {
        if written.is_ok() {
            written = if as_json { print_json(turn, out) } else { print(turn, out) };
        }
    })?;
    written?;
    if as_json {
        let deal = deal.to_string();
        writeln!(out, "{}", json!({"deal": deal, "won": outcome.won, "built": outcome.built}))?;
    } else {
        let (mark, wins) = if outcome.won { ("O", 1) } else { ("X", 0) };
        writeln!(out, "{mark}\n{wins}/1")?;
    }
    Ok(())
}

fn print(turn: &Turn, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}: {}  ({})", turn.number, turn.drawn.letter(), picture::steps(turn.steps))?;
    for line in picture::lines(turn.board) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{RULER}")
}

fn print_json(turn: &Turn, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = picture::board_json(turn.board);
    line["draw"] = json!(turn.number);
    line["card"] = json!(turn.drawn.letter());
    line["steps"] = picture::steps_json(turn.steps);
    line["log_value"] = json!(turn.value);
    writeln!(out, "{line}")
}
