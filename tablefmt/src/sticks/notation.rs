//! Positions as text.
//!
//! The lengths of the segments, as in `1 2 3`, or `-` if no stick is left; or a board, row by
//! row, as in `|/||/|.|`: `|` is a stick, `.` a struck one.

use std::fmt;

use super::board::Board;
use super::ranking::Ranking;
use super::segments::Segments;
use super::spec::Rows;

/// Why a text is no position of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Nothing was given.
    #[error("no segments; give their lengths, as in `1 2 3`, or `-` if no stick is left")]
    Empty,
    /// A word that is no length.
    #[error("`{word}` is no length of a segment; lengths are whole numbers from 1 on")]
    NoLength {
        /// The word, shortened.
        word: String,
    },
    /// A segment longer than every row.
    #[error("a segment of {length} sticks; the longest row of the table has {longest}")]
    TooLong {
        /// Its length.
        length: u64,
        /// The longest row.
        longest: u8,
    },
    /// More sticks than all rows.
    #[error("more than {most} sticks, which is all that the rows of the table have")]
    TooManySticks {
        /// Sticks of the table.
        most: u8,
    },
    /// Segments that have no place on the rows.
    #[error(
        "the segments {segments} cannot come up: they do not fit on rows of 1 to {rows} sticks \
         with a struck stick between each two in a row"
    )]
    DoesNotFit {
        /// The segments.
        segments: Segments,
        /// Number of rows.
        rows: u8,
    },
    /// A board with another number of rows.
    #[error("a board of {got} rows; the table's has {rows}, written like `{example}`")]
    RowCount {
        /// Its rows.
        got: usize,
        /// Rows of the table.
        rows: u8,
        /// The table's board at the start.
        example: Board,
    },
    /// A row of another length.
    #[error("row {row} of the board has {got} places instead of {row}")]
    RowLength {
        /// The row.
        row: u8,
        /// Its places.
        got: usize,
    },
    /// A character that means nothing here.
    #[error(
        "`{found}` at place {place} of row {row} of the board; use `|` for a stick, `.` for a \
         struck one, and `/` between rows"
    )]
    Character {
        /// The character.
        found: char,
        /// The row.
        row: u8,
        /// Its place, from 1.
        place: usize,
    },
}

/// Longest part of a bad text that an error repeats.
const SHOWN: usize = 40;

fn shown(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain("...".chars()).collect()
}

impl Segments {
    /// Reads the lengths of segments, in any order, and checks that the table has the position.
    ///
    /// # Errors
    /// [`NotationError::Empty`], [`NotationError::NoLength`], [`NotationError::TooLong`],
    /// [`NotationError::TooManySticks`], [`NotationError::DoesNotFit`].
    pub fn parse(words: &[&str], ranking: &Ranking) -> Result<Self, NotationError> {
        let rows = ranking.spec().rows;
        match words {
            [] => return Err(NotationError::Empty),
            ["-"] => return Ok(Segments::NONE),
            _ => {}
        }
        let mut segments = Segments::NONE;
        let mut sticks = 0;
        for &word in words {
            let length = length(word)?;
            let fits = u8::try_from(length).ok().filter(|&length| length <= rows.get());
            let short = fits.ok_or(NotationError::TooLong { length, longest: rows.get() })?;
            sticks += length;
            if sticks > rows.sticks().into() {
                return Err(NotationError::TooManySticks { most: rows.sticks() });
            }
            segments = segments.with(short);
        }
        match ranking.rank(&segments) {
            Some(_) => Ok(segments),
            None => Err(NotationError::DoesNotFit { segments, rows: rows.get() }),
        }
    }
}

/// A whole number from 1 on; one too large for the type is as good as the largest.
fn length(word: &str) -> Result<u64, NotationError> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let length = if digits { word.parse().unwrap_or(u64::MAX) } else { 0 };
    if length == 0 { Err(NotationError::NoLength { word: shown(word) }) } else { Ok(length) }
}

impl Board {
    /// Reads a board of so many rows.
    ///
    /// # Errors
    /// [`NotationError::RowCount`], [`NotationError::RowLength`], [`NotationError::Character`].
    pub fn parse(text: &str, rows: Rows) -> Result<Self, NotationError> {
        let lines: Vec<&str> = text.split('/').collect();
        if lines.len() != usize::from(rows.get()) {
            let (got, example) = (lines.len(), Board::start(rows));
            return Err(NotationError::RowCount { got, rows: rows.get(), example });
        }
        for (row, line) in (1..).zip(&lines) {
            for (place, found) in (1..).zip(line.chars()) {
                if !matches!(found, '|' | '.') {
                    return Err(NotationError::Character { found, row, place });
                }
            }
            if line.len() != usize::from(row) {
                return Err(NotationError::RowLength { row, got: line.len() });
            }
        }
        let at =
            |row: u8, place: u8| lines[usize::from(row) - 1].as_bytes()[usize::from(place) - 1];
        Ok(Board::of(rows, |row, place| at(row, place) == b'|'))
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 1..=self.rows() {
            if row > 1 {
                f.write_str("/")?;
            }
            for place in 1..=row {
                f.write_str(if self.stands(row, place) { "|" } else { "." })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sticks::SticksSpec;

    fn segments(text: &str) -> Result<Segments, NotationError> {
        let ranking = Ranking::of(SticksSpec { rows: Rows::try_from(3).unwrap() });
        Segments::parse(&text.split(' ').collect::<Vec<_>>(), &ranking)
    }

    #[test]
    fn segments_in_any_order() {
        for (text, normal) in [("3 1 2", "1 2 3"), ("01 1", "1 1"), ("-", "-"), ("3", "3")] {
            assert_eq!(segments(text).unwrap().to_string(), normal, "{text}");
        }
    }

    #[test]
    fn bad_segments_are_named() {
        for word in ["0", "-1", "", "x", "1.5", "+1", "00", "\u{ff11}", "1,2"] {
            let error = NotationError::NoLength { word: word.to_owned() };
            assert_eq!(segments(&format!("1 {word}")), Err(error), "{word}");
        }
        assert_eq!(segments("4"), Err(NotationError::TooLong { length: 4, longest: 3 }));
        let large = "9".repeat(1_000);
        assert!(matches!(segments(&large), Err(NotationError::TooLong { .. })));
        assert_eq!(segments("3 2 2"), Err(NotationError::TooManySticks { most: 6 }));
        let ones = vec!["1"; 100_000].join(" ");
        assert_eq!(segments(&ones), Err(NotationError::TooManySticks { most: 6 }));
        assert!(matches!(segments("3 3"), Err(NotationError::DoesNotFit { .. })));
        assert!(matches!(segments("1 1 1 1 1"), Err(NotationError::DoesNotFit { .. })));
        let long = "x".repeat(1_000_000);
        assert!(segments(&long).unwrap_err().to_string().len() < 400);
    }

    #[test]
    fn boards_are_read_and_written() {
        let parse = |text: &str| Board::parse(text, Rows::try_from(3).unwrap());
        for text in ["|/||/|.|", "|/||/|||", "./../..."] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        for text in ["", "|", "|/||", "|/||/|||/||||", "|/||/|.|/"] {
            assert!(matches!(parse(text), Err(NotationError::RowCount { .. })), "{text}");
        }
        for (text, row) in [("||/||/|||", 1), ("|/|/|||", 2), ("|/||/||", 3), ("/||/|||", 1)] {
            let result = parse(text);
            assert!(
                matches!(result, Err(NotationError::RowLength { row: found, .. }) if found == row)
            );
        }
        let odd = NotationError::Character { found: '\u{2502}', row: 2, place: 2 };
        assert_eq!(parse("|/|\u{2502}/|||"), Err(odd));
    }
}
