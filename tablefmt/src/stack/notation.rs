//! Lanes as text: the remaining cards in order of need.
//!
//! `.` is a card in the stock, a digit a card on that stack (from 0); an empty lane is `-`.

use std::fmt;

use super::lane::{Lane, MAX_STACKS, Pattern};
use super::ranking::Position;
use super::spec::{Cards, Stacks};

/// Why a text is no lane of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Nothing was given.
    #[error("a lane is empty text; write an empty lane as `-`")]
    Empty,
    /// A character that means nothing here.
    #[error(
        "lane `{lane}`: `{found}` at character {at}; \
         use `.` for a card in the stock and a digit for a card on that stack"
    )]
    Character {
        /// The lane as given.
        lane: String,
        /// The character.
        found: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A stack that the table does not have.
    #[error("lane `{lane}`: stack {stack} at character {at}, but the table has stacks 0 to {last}")]
    Stack {
        /// The lane as given.
        lane: String,
        /// The stack asked for.
        stack: u32,
        /// The place, from 1.
        at: usize,
        /// The last stack of the table.
        last: u8,
    },
    /// More cards than the table's lanes have.
    #[error("lane `{lane}` has {got} cards, but the table's lanes have at most {most}")]
    TooLong {
        /// The lane, shortened.
        lane: String,
        /// Its cards.
        got: usize,
        /// Cards of a lane of the table.
        most: u8,
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

/// Reads a lane and brings it to normal form. Cards on a stack with no stock card before them
/// have been played, and count only towards the length.
///
/// # Errors
/// [`NotationError`]: no text, more characters than `cards`, a character that means nothing, or a
/// stack that is not there.
pub fn parse_lane(text: &str, stacks: Stacks, cards: Cards) -> Result<Lane, NotationError> {
    if text.is_empty() {
        return Err(NotationError::Empty);
    }
    if text == "-" {
        return Ok(Lane::in_stock(0));
    }
    let length = text.chars().count();
    if length > usize::from(cards.get()) {
        return Err(NotationError::TooLong { lane: shown(text), got: length, most: cards.get() });
    }
    let mut stock = 0;
    let mut patterns = [Pattern::default(); MAX_STACKS];
    for (i, found) in text.chars().enumerate() {
        let at = i + 1;
        match found.to_digit(10) {
            None if found == '.' => stock += 1,
            None => return Err(NotationError::Character { lane: shown(text), found, at }),
            Some(stack) if stack >= u32::from(stacks.get()) => {
                let last = stacks.get() - 1;
                return Err(NotationError::Stack { lane: shown(text), stack, at, last });
            }
            Some(_) if stock == 0 => {}
            Some(stack) => {
                let pattern = &mut patterns[stack as usize];
                *pattern = pattern.with(stock);
            }
        }
    }
    Ok(Lane::new(stock, patterns))
}

impl Position {
    /// Reads a position from its two lanes.
    ///
    /// # Errors
    /// As [`parse_lane`], of the first lane that is none.
    pub fn parse(a: &str, b: &str, stacks: Stacks, cards: Cards) -> Result<Self, NotationError> {
        Ok(Position { a: parse_lane(a, stacks, cards)?, b: parse_lane(b, stacks, cards)? })
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stock() == 0 {
            return f.write_str("-");
        }
        for gap in 1..=self.stock() {
            f.write_str(".")?;
            for (stack, _) in self.patterns().iter().enumerate().filter(|(_, p)| p.contains(gap)) {
                write!(f, "{stack}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.a, self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(text: &str) -> Result<Lane, NotationError> {
        parse_lane(text, Stacks::try_from(3).unwrap(), Cards::try_from(7).unwrap())
    }

    #[test]
    fn texts_are_normalised() {
        for (text, normal) in
            [("..1.0", "..1.0"), ("12.", "."), ("00", "-"), ("-", "-"), (".2112.", ".12.")]
        {
            assert_eq!(lane(text).unwrap().to_string(), normal, "{text}");
        }
    }

    #[test]
    fn bad_texts_are_named() {
        assert_eq!(lane(""), Err(NotationError::Empty));
        assert!(matches!(lane("..5"), Err(NotationError::Stack { stack: 5, at: 3, last: 2, .. })));
        assert!(matches!(lane(".x"), Err(NotationError::Character { found: 'x', at: 2, .. })));
        assert!(matches!(lane(".-"), Err(NotationError::Character { found: '-', at: 2, .. })));
        assert!(matches!(lane("........"), Err(NotationError::TooLong { got: 8, most: 7, .. })));
        let long = "\u{1F0A1}".repeat(1_000_000);
        assert!(lane(&long).unwrap_err().to_string().len() < 400);
    }
}
