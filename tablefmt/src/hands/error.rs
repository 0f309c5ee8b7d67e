//! What can be wrong with cards and hands that somebody typed.

use super::card::Card;

/// Longest part of a bad text that an error repeats.
const SHOWN: usize = 40;

/// The beginning of a text.
pub(super) fn shown(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain("...".chars()).collect()
}

/// Why a text is no hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandsError {
    /// No card at all.
    #[error("no cards were given; write cards like `AsKd`")]
    Empty,
    /// A character in the place of a rank.
    #[error("`{text}`: `{found}` at character {at} is no rank; ranks are 23456789TJQKA")]
    Rank {
        /// The text as given, shortened.
        text: String,
        /// The character.
        found: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A character in the place of a suit.
    #[error("`{text}`: `{found}` at character {at} is no suit; suits are s, h, d, c")]
    Suit {
        /// The text as given, shortened.
        text: String,
        /// The character.
        found: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A rank without a suit at the end.
    #[error("`{text}`: the last card has no suit; suits are s, h, d, c")]
    HalfCard {
        /// The text as given, shortened.
        text: String,
    },
    /// The same card twice.
    #[error("{card} is there twice; every card exists once")]
    Duplicate {
        /// The card.
        card: Card,
    },
    /// Too few or too many cards.
    #[error("{what} has {expected} cards, but {got} were given")]
    Count {
        /// What the cards are meant to be, as in "a hold'em hand".
        what: &'static str,
        /// Cards that it has.
        expected: &'static str,
        /// Cards given.
        got: usize,
    },
    /// A class of hands that does not exist.
    #[error("`{text}` is no class of {game} hands; {hint}")]
    Class {
        /// The text as given, shortened.
        text: String,
        /// The game.
        game: &'static str,
        /// How classes are written.
        hint: &'static str,
    },
    /// A class of several clusters where one is needed.
    #[error("`{text}` may be any of {}; name one by its cards", candidates.join(", "))]
    Ambiguous {
        /// The text as given.
        text: String,
        /// One hand of each cluster of the class.
        candidates: Vec<String>,
    },
}
