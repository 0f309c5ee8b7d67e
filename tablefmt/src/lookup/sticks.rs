//! Looking up positions of the stick game.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Asked;
use crate::error::{InputError, TableError};
use crate::reader::Table;
use crate::sticks::{Board, Move, Ranking, Segments, SticksSpec, Strike, Value};

pub(super) struct SticksLookup(Arc<Ranking>);

/// What a table says of a position of the stick game.
#[derive(Debug, Clone)]
pub struct FoundSticks {
    /// The segments.
    pub segments: Segments,
    /// Their entry.
    pub entry: u64,
    /// Outcome and number of moves.
    pub value: Value,
    /// What a best player does.
    pub best: BestMoves,
}

/// The moves of a best player, as the position was given.
#[derive(Debug, Clone)]
pub enum BestMoves {
    /// On segments.
    Segments(Vec<Move>),
    /// On a board.
    Board(OnBoard),
}

/// The moves of a best player on a board.
#[derive(Debug, Clone)]
pub struct OnBoard {
    /// The board.
    pub board: Board,
    /// Each move and the board after it.
    pub strikes: Vec<(Strike, Board)>,
}

/// What a table says of segments, without the moves.
struct SticksValue {
    entry: u64,
    value: Value,
}

impl SticksLookup {
    pub(super) fn new(spec: SticksSpec) -> SticksLookup {
        SticksLookup(Ranking::of(spec))
    }

    pub(super) fn find(&self, table: &Table, asked: Asked<'_>) -> Result<FoundSticks, TableError> {
        match asked {
            Asked::Words(words) => self.find_segments(table, self.segments(words)?),
            Asked::Board(text) => self.find_board(table, self.board(text)?),
        }
    }

    pub(super) fn entry(&self, asked: Asked<'_>) -> Result<u64, TableError> {
        let segments = match asked {
            Asked::Words(words) => self.segments(words)?,
            Asked::Board(text) => self.board(text)?.segments(),
        };
        self.rank(&segments)
    }

    fn segments(&self, words: &[&str]) -> Result<Segments, TableError> {
        Ok(Segments::parse(words, &self.0).map_err(InputError::Sticks)?)
    }

    fn board(&self, text: &str) -> Result<Board, TableError> {
        let words = text.split_whitespace().count();
        if words != 1 {
            let what = format!("a board is one word, like `|/||/|.|`, not {words}");
            return Err(InputError::Position(what).into());
        }
        Ok(Board::parse(text.trim(), self.0.spec().rows).map_err(InputError::Sticks)?)
    }

    fn rank(&self, segments: &Segments) -> Result<u64, TableError> {
        let no_rank = || TableError::Bug(format!("the position {segments} has no rank"));
        self.0.rank(segments).ok_or_else(no_rank)
    }

    fn value(&self, table: &Table, segments: &Segments) -> Result<SticksValue, TableError> {
        let entry = self.rank(segments)?;
        let no_byte = |_| TableError::Bug("a byte is no byte".to_owned());
        let value = u8::try_from(table.value(0, entry)?).map_err(no_byte)?;
        Ok(SticksValue { entry, value: Value(value) })
    }

    /// Those of the moves, each with the position after it, that a best player makes.
    fn best<M>(
        &self,
        table: &Table,
        before: Value,
        moves: impl IntoIterator<Item = (M, Segments)>,
    ) -> Result<Vec<M>, TableError> {
        let mut best = Vec::new();
        for (played, after) in moves {
            if self.value(table, &after)?.value.one_move_earlier() == before {
                best.push(played);
            }
        }
        Ok(best)
    }

    fn find_segments(&self, table: &Table, segments: Segments) -> Result<FoundSticks, TableError> {
        let SticksValue { entry, value } = self.value(table, &segments)?;
        let moves = segments.moves().map(|played| (played, segments.after(played)));
        let best = BestMoves::Segments(self.best(table, value, moves)?);
        Ok(FoundSticks { segments, entry, value, best })
    }

    fn find_board(&self, table: &Table, board: Board) -> Result<FoundSticks, TableError> {
        let segments = board.segments();
        let SticksValue { entry, value } = self.value(table, &segments)?;
        let mut moves = Vec::new();
        for strike in board.strikes() {
            let not_allowed =
                || TableError::Bug(format!("the listed move {strike} is not allowed"));
            let after = board.after(strike).map_err(|_| not_allowed())?;
            let segments = after.segments();
            moves.push(((strike, after), segments));
        }
        let strikes = self.best(table, value, moves)?;
        let best = BestMoves::Board(OnBoard { board, strikes });
        Ok(FoundSticks { segments, entry, value, best })
    }
}

impl FoundSticks {
    pub(super) fn json(&self) -> Json {
        let lengths: Vec<u8> = self.segments.lengths().collect();
        let mut found = json!({
            "position": lengths,
            "entry": self.entry,
            "outcome": self.value.outcome().name(),
            "moves": self.value.moves(),
        });
        match &self.best {
            BestMoves::Segments(moves) => {
                found["best"] = moves.iter().map(move_json).collect();
            }
            BestMoves::Board(OnBoard { board, strikes }) => {
                found["board"] = json!(board.to_string());
                found["best"] = strikes.iter().map(strike_json).collect();
            }
        }
        found
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
