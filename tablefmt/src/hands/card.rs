//! Cards and sets of cards, as text and as bits.

use std::fmt;

use super::error::{HandsError, shown};

/// Number of ranks.
pub const RANKS: usize = 13;
/// Number of suits.
pub const SUITS: usize = 4;

const RANK_NAMES: &[u8; RANKS] = b"23456789TJQKA";
const SUIT_NAMES: &[u8; SUITS] = b"shdc";

/// A rank: 0 is the two, 12 the ace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

/// A suit, in the order `shdc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suit(u8);

/// A card: four times its rank, plus its suit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Rank {
    /// The rank with a number from 0 to 12.
    ///
    /// # Panics
    /// When there is no such rank.
    pub fn new(number: usize) -> Self {
        assert!(number < RANKS, "rank {number}");
        Rank(number as u8)
    }

    /// All ranks, the two first.
    pub fn all() -> impl DoubleEndedIterator<Item = Rank> + ExactSizeIterator {
        (0..RANKS as u8).map(Rank)
    }

    /// 0 for the two to 12 for the ace.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The rank that a character names.
    pub fn from_char(name: char) -> Option<Self> {
        RANK_NAMES.iter().position(|&n| char::from(n) == name).map(|n| Rank(n as u8))
    }
}

impl Suit {
    /// The suit with a number from 0 to 3.
    ///
    /// # Panics
    /// When there is no such suit.
    pub fn new(number: usize) -> Self {
        assert!(number < SUITS, "suit {number}");
        Suit(number as u8)
    }

    /// All suits.
    pub fn all() -> impl DoubleEndedIterator<Item = Suit> + ExactSizeIterator {
        (0..SUITS as u8).map(Suit)
    }

    /// 0 to 3.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The suit that a character names.
    pub fn from_char(name: char) -> Option<Self> {
        SUIT_NAMES.iter().position(|&n| char::from(n) == name).map(|n| Suit(n as u8))
    }
}

impl Card {
    /// The card of a rank and a suit.
    pub const fn new(rank: Rank, suit: Suit) -> Self {
        Card(rank.0 * 4 + suit.0)
    }

    /// All 52 cards, the twos first.
    pub fn all() -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        (0..52).map(Card)
    }

    /// Its rank.
    pub const fn rank(self) -> Rank {
        Rank(self.0 / 4)
    }

    /// Its suit.
    pub const fn suit(self) -> Suit {
        Suit(self.0 % 4)
    }

    /// 0 to 51: four times the rank, plus the suit.
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(RANK_NAMES[self.number()]))
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(SUIT_NAMES[self.number()]))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rank(), self.suit())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cards: sixteen bits for each suit, of which thirteen are used, the two lowest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CardSet(u64);

impl CardSet {
    /// The set of no cards.
    pub const EMPTY: CardSet = CardSet(0);

    const fn bit(card: Card) -> u64 {
        1 << (16 * card.suit().0 + card.rank().0)
    }

    /// The set of these cards.
    ///
    /// # Errors
    /// [`HandsError::Duplicate`] when one is there twice.
    pub fn of(cards: &[Card]) -> Result<Self, HandsError> {
        cards.iter().try_fold(CardSet::EMPTY, |set, &card| set.and(card))
    }

    /// This set and one more card.
    ///
    /// # Errors
    /// [`HandsError::Duplicate`] when it has the card already.
    pub fn and(self, card: Card) -> Result<Self, HandsError> {
        if self.contains(card) {
            return Err(HandsError::Duplicate { card });
        }
        Ok(CardSet(self.0 | Self::bit(card)))
    }

    /// The set whose cards of each suit have these ranks, as bits.
    pub fn from_suits(ranks: [u16; SUITS]) -> Self {
        let suit = |(s, &ranks): (usize, &u16)| u64::from(ranks) << (16 * s);
        CardSet(ranks.iter().enumerate().map(suit).sum())
    }

    /// Whether it has a card.
    pub const fn contains(self, card: Card) -> bool {
        self.0 & Self::bit(card) != 0
    }

    /// Number of cards.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether it has no cards.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The ranks of its cards of a suit, the two as bit 0.
    pub const fn ranks(self, suit: Suit) -> u16 {
        (self.0 >> (16 * suit.0)) as u16
    }

    /// Its cards, the highest rank first.
    pub fn cards(self) -> impl Iterator<Item = Card> {
        let all = Rank::all().rev().flat_map(|r| Suit::all().map(move |s| Card::new(r, s)));
        all.filter(move |&card| self.contains(card))
    }
}

impl fmt::Display for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cards().try_for_each(|card| write!(f, "{card}"))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CardSet({self})")
    }
}

/// Reads cards like `AsKd`, in any order; spaces and commas may stand between them.
///
/// # Errors
/// [`HandsError`] naming the first thing that is no card, or the card that is there twice.
pub fn parse_cards(text: &str) -> Result<Vec<Card>, HandsError> {
    let mut cards = Vec::new();
    let mut set = CardSet::EMPTY;
    let letters = text.chars().zip(1..).filter(|(c, _)| !c.is_whitespace() && *c != ',');
    let mut letters = letters;
    while let Some((name, at)) = letters.next() {
        let rank = Rank::from_char(name);
        let rank = rank.ok_or_else(|| HandsError::Rank { text: shown(text), found: name, at })?;
        let Some((name, at)) = letters.next() else {
            return Err(HandsError::HalfCard { text: shown(text) });
        };
        let suit = Suit::from_char(name);
        let suit = suit.ok_or_else(|| HandsError::Suit { text: shown(text), found: name, at })?;
        let card = Card::new(rank, suit);
        set = set.and(card)?;
        cards.push(card);
    }
    if cards.is_empty() {
        return Err(HandsError::Empty);
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_printed_and_parsed() {
        let all: Vec<Card> = Card::all().collect();
        let text: String = all.iter().map(Card::to_string).collect();
        assert_eq!(parse_cards(&text), Ok(all.clone()));
        let set = CardSet::of(&all).unwrap();
        assert_eq!((set.len(), set.cards().count()), (52, 52));
        assert_eq!(CardSet::of(&parse_cards("KdAs").unwrap()).unwrap().to_string(), "AsKd");
        assert_eq!(parse_cards("As Kd, 2c").unwrap().len(), 3);
    }

    #[test]
    fn bad_cards_are_named() {
        let error = |text: &str| parse_cards(text).unwrap_err();
        assert_eq!(error(" "), HandsError::Empty);
        assert!(matches!(error("As1d"), HandsError::Rank { found: '1', at: 3, .. }));
        assert!(matches!(error("AsKx"), HandsError::Suit { found: 'x', at: 4, .. }));
        assert!(matches!(error("AsK"), HandsError::HalfCard { .. }));
        assert!(matches!(error("10s"), HandsError::Rank { found: '1', at: 1, .. }));
        assert!(error("AsKdAs").to_string().contains("As is there twice"));
        assert!(error(&"\u{1F0A1}".repeat(100_000)).to_string().len() < 400);
    }
}
