//! Looking up positions of the stick game.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use retrotab_tablefmt::sticks::{
    Board, Move, NotationError, Ranking, Segments, SticksSpec, Strike, Value,
};
use retrotab_tablefmt::{InputError, Table, TableError};
use serde_json::{Value as Json, json};

use super::Prober;
use crate::failure::UserError;

/// How positions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// As lengths of segments.
    Lengths,
    /// As boards.
    Board,
}

/// Looks up positions in a stick table.
pub struct SticksProber<'a> {
    table: &'a Table,
    ranking: Arc<Ranking>,
    notation: Notation,
    json: bool,
}

impl<'a> SticksProber<'a> {
    pub fn new(table: &'a Table, spec: SticksSpec, notation: Notation, json: bool) -> Self {
        SticksProber { table, ranking: Ranking::of(spec), notation, json }
    }

    fn found(&self, segments: Segments) -> anyhow::Result<Found> {
        let entry = self.ranking.rank(&segments).context("bug: a parsed position has no rank")?;
        let value = u8::try_from(self.table.value(0, entry)?);
        Ok(Found { segments, entry, value: Value(value.context("bug: a byte is no byte")?) })
    }

    /// Those of the moves, each with the position after it, that a best player makes.
    fn best<M>(&self, before: Value, moves: Vec<(M, Segments)>) -> anyhow::Result<Vec<M>> {
        let mut best = Vec::new();
        for (played, after) in moves {
            if self.found(after)?.value.one_move_earlier() == before {
                best.push(played);
            }
        }
        Ok(best)
    }

    fn print_lengths(&self, words: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
        let segments = Segments::parse(words, &self.ranking).map_err(notation_error)?;
        let found = self.found(segments)?;
        let moves = segments.moves().map(|played| (played, segments.after(played)));
        let best = self.best(found.value, moves.collect())?;
        if self.json {
            let best: Vec<Json> = best.iter().map(move_json).collect();
            writeln!(out, "{}", found.json(json!({ "best": best })))?;
        } else {
            writeln!(out, "{segments}  {}", found.text())?;
            for played in &best {
                writeln!(out, "  {}", move_text(played))?;
            }
        }
        Ok(())
    }

    fn print_board(&self, words: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
        let &[text] = words else {
            let text = format!("a board is one word, like `|/||/|.|`, not {}", words.len());
            return Err(UserError(text).into());
        };
        let board = Board::parse(text, self.ranking.spec().rows).map_err(notation_error)?;
        let found = self.found(board.segments())?;
        let moves = board.strikes().into_iter().map(|strike| {
            let after = board.after(strike).context("bug: a listed move is not allowed")?;
            let segments = after.segments();
            Ok(((strike, after), segments))
        });
        let best = self.best(found.value, moves.collect::<anyhow::Result<_>>()?)?;
        if self.json {
            let best: Vec<Json> = best.iter().map(strike_json).collect();
            writeln!(out, "{}", found.json(json!({"board": board.to_string(), "best": best})))?;
        } else {
            writeln!(out, "{board}  {}", found.text())?;
            for (strike, after) in &best {
                writeln!(out, "  {strike}  {after}")?;
            }
        }
        Ok(())
    }
}

impl Prober for SticksProber<'_> {
    fn print(&self, words: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
        match self.notation {
            Notation::Lengths => self.print_lengths(words, out),
            Notation::Board => self.print_board(words, out),
        }
    }
}

/// A position that was looked up.
struct Found {
    segments: Segments,
    entry: u64,
    value: Value,
}

impl Found {
    fn text(&self) -> String {
        let (outcome, moves) = (self.value.outcome().name(), self.value.moves());
        format!("{outcome} in {moves}  (entry {})", self.entry)
    }

    /// What is known of the position, with `more`.
    fn json(&self, mut more: Json) -> Json {
        let lengths: Vec<u8> = self.segments.lengths().collect();
        more["position"] = json!(lengths);
        more["entry"] = json!(self.entry);
        more["outcome"] = json!(self.value.outcome().name());
        more["moves"] = json!(self.value.moves());
        more
    }
}

fn notation_error(error: NotationError) -> TableError {
    TableError::Input(InputError::Sticks(error))
}

fn move_text(played: &Move) -> String {
    let Move { length, longer, shorter } = *played;
    let struck = played.struck();
    match (longer, shorter) {
        (0, _) => format!("strike a whole segment of {length}"),
        (left, 0) => format!("strike {struck} of a segment of {length}, leaving {left}"),
        _ => format!("strike {struck} of a segment of {length}, leaving {shorter} and {longer}"),
    }
}

fn move_json(played: &Move) -> Json {
    let left: Vec<u8> =
        [played.shorter, played.longer].into_iter().filter(|&length| length > 0).collect();
    json!({"length": played.length, "struck": played.struck(), "left": left})
}

fn strike_json((strike, after): &(Strike, Board)) -> Json {
    let Strike { row, first, further } = *strike;
    json!({"row": row, "first": first, "further": further, "board": after.to_string()})
}
