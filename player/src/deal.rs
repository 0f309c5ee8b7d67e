//! Deals: the order in which the cards of a stock are drawn.

use thiserror::Error;

use crate::game::{Game, Rank};
use crate::rules::{Position, Start};

/// The order of the stock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal(Vec<Rank>);

/// A line that is no deal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DealError {
    /// A letter that is no rank of the game.
    #[error("`{letter}` (card {place}) is no rank of this game; its ranks are {ranks}")]
    Letter {
        /// The letter.
        letter: char,
        /// Which card, from 1.
        place: usize,
        /// The letters of the game.
        ranks: String,
    },
    /// Too few or too many cards.
    #[error("a deal has {expected} cards, this one has {found}")]
    Length {
        /// Cards of the stock.
        expected: usize,
        /// Cards of the line.
        found: usize,
    },
    /// A rank too often or not often enough.
    #[error("a deal has {expected} times {letter}, this one has it {found} times")]
    Count {
        /// The rank.
        letter: char,
        /// How often the stock has it.
        expected: usize,
        /// How often the line has it.
        found: usize,
    },
}

impl Deal {
    /// Deal number `number` of the series `seed`: every order of the stock equally likely, and
    /// the same on every machine.
    pub fn shuffled(game: Game, start: Start, seed: u64, number: u64) -> Self {
        let position = Position::start(game, start);
        let mut cards: Vec<Rank> = (0..game.ranks() as u8)
            .map(Rank)
            .flat_map(|rank| std::iter::repeat_n(rank, position.stock_of(rank)))
            .collect();
        let mut random = fastrand::Rng::with_seed(mixed(seed).wrapping_add(number));
        // The generator's first words of neighbouring seeds must not be alike.
        let mut random = fastrand::Rng::with_seed(mixed(random.u64(..)));
        random.shuffle(&mut cards);
        Self(cards)
    }

    /// A deal written as letters of `A23456789TJQK`; white space between them does not matter.
    ///
    /// # Errors
    /// [`DealError`]: a letter that is no rank of the game, or not every card of the stock just
    /// once.
    pub fn parse(game: Game, start: Start, line: &str) -> Result<Self, DealError> {
        let letters = line.chars().filter(|letter| !letter.is_whitespace()).enumerate();
        let cards = letters.map(|(place, letter)| {
            game.rank_of_letter(letter).ok_or_else(|| DealError::Letter {
                letter,
                place: place + 1,
                ranks: game.letters().collect(),
            })
        });
        let cards = cards.collect::<Result<Vec<_>, _>>()?;
        let position = Position::start(game, start);
        if cards.len() != position.stock() {
            return Err(DealError::Length { expected: position.stock(), found: cards.len() });
        }
        for rank in (0..game.ranks() as u8).map(Rank) {
            let expected = position.stock_of(rank);
            let found = cards.iter().filter(|&&card| card == rank).count();
            if found != expected {
                return Err(DealError::Count { letter: rank.letter(), expected, found });
            }
        }
        Ok(Self(cards))
    }

    /// The cards, the first to be drawn first.
    pub fn cards(&self) -> &[Rank] {
        &self.0
    }
}

impl std::fmt::Display for Deal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|rank| write!(f, "{}", rank.letter()))
    }
}

/// SplitMix64's finaliser.
pub(crate) fn mixed(seed: u64) -> u64 {
    let mut word = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
