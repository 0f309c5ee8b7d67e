//! Ranks, foundations, and the cards that foundations need.

use thiserror::Error;

/// The letters of the ranks, lowest first.
const LETTERS: &[u8; 13] = b"A23456789TJQK";

/// Which game is played: how many ranks and how many stacks.
///
/// A suit has every rank once and there are four of them, so the stock has `4 * ranks` cards.
/// Foundation f is built in steps of f + 1 modulo the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Game {
    ranks: u8,
    stacks: u8,
}

/// A game that nobody can play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GameError {
    /// The steps of the foundations must meet every rank.
    #[error("a game of {0} ranks does not exist: play with 5, 7, 11 or 13")]
    Ranks(u8),
    /// Stacks are named by two bits.
    #[error("a game with {0} stacks does not exist: play with 1 to 4")]
    Stacks(u8),
}

impl Game {
    /// Foundations of every game.
    pub const FOUNDATIONS: usize = 4;
    /// Most ranks of a game.
    pub const MAX_RANKS: usize = 13;
    /// Most stacks of a game.
    pub const MAX_STACKS: usize = 4;
    /// Most cards of a game.
    pub const MAX_CARDS: usize = Self::FOUNDATIONS * Self::MAX_RANKS;

    /// The game of so many ranks and stacks.
    ///
    /// # Errors
    /// [`GameError::Ranks`] but for 5, 7, 11 and 13; [`GameError::Stacks`] but for 1 to 4.
    pub fn new(ranks: u8, stacks: u8) -> Result<Self, GameError> {
        if !matches!(ranks, 5 | 7 | 11 | 13) {
            return Err(GameError::Ranks(ranks));
        }
        if !(1..=Self::MAX_STACKS).contains(&usize::from(stacks)) {
            return Err(GameError::Stacks(stacks));
        }
        Ok(Self { ranks, stacks })
    }

    /// Number of ranks, which is also the number of cards of a foundation.
    pub fn ranks(self) -> usize {
        usize::from(self.ranks)
    }

    /// Number of stacks.
    pub fn stacks(self) -> usize {
        usize::from(self.stacks)
    }

    /// Number of cards.
    pub fn cards(self) -> usize {
        Self::FOUNDATIONS * self.ranks()
    }

    /// The rank of the card that a slot takes.
    pub fn rank(self, slot: Slot) -> Rank {
        let step = slot.foundation().0 + 1;
        Rank((step * (slot.index() as u8 + 1) - 1) % self.ranks)
    }

    /// The slot for a rank on a foundation.
    pub fn slot(self, foundation: Foundation, rank: Rank) -> Slot {
        // rank + 1 = step * (index + 1) modulo the ranks; the step has an inverse.
        let inverse = match (self.ranks, foundation.0) {
            (_, 0) => 1,
            (_, 1) => self.ranks.div_ceil(2),
            (5, 2) => 2,
            (7, 2) => 5,
            (11, 2) => 4,
            (_, 2) => 9,
            (5, _) => 4,
            (7, _) => 2,
            (11, _) => 3,
            (_, _) => 10,
        };
        let index = ((rank.0 + 1) * inverse + self.ranks - 1) % self.ranks;
        Slot::new(foundation, usize::from(index))
    }

    /// The letters of the game's ranks, lowest first.
    pub fn letters(self) -> impl Iterator<Item = char> {
        (0..self.ranks).map(|rank| Rank(rank).letter())
    }

    /// The rank of the game with this letter.
    pub fn rank_of_letter(self, letter: char) -> Option<Rank> {
        Rank::from_letter(letter).filter(|rank| rank.index() < self.ranks())
    }

    /// All slots of the game.
    pub fn slots(self) -> SlotSet {
        let chain = (1u64 << self.ranks) - 1;
        SlotSet(chain | chain << 16 | chain << 32 | chain << 48)
    }
}

/// A rank, counted from 0 (the ace).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(pub u8);

impl Rank {
    /// The rank of a letter of `A23456789TJQK`.
    pub fn from_letter(letter: char) -> Option<Self> {
        let at = LETTERS.iter().position(|&known| char::from(known) == letter)?;
        Some(Self(at as u8))
    }

    /// The rank as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The letter of the rank.
    pub fn letter(self) -> char {
        char::from(LETTERS[usize::from(self.0)])
    }
}

/// A foundation, 0 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Foundation(pub u8);

impl Foundation {
    /// All foundations in order.
    pub const ALL: [Self; Game::FOUNDATIONS] = [Self(0), Self(1), Self(2), Self(3)];

    /// The foundation as an index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A place on a foundation, and so a card with the foundation it is meant for: `16 * foundation
/// + index`, where index counts a foundation's cards from 0 in the order it needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Slot(pub u8);

impl Slot {
    /// The slot of a foundation's card number `index`.
    pub fn new(foundation: Foundation, index: usize) -> Self {
        Self(foundation.0 << 4 | index as u8)
    }

    /// The foundation.
    pub fn foundation(self) -> Foundation {
        Foundation(self.0 >> 4)
    }

    /// How many cards its foundation needs before it.
    pub fn index(self) -> usize {
        usize::from(self.0 & 15)
    }
}

/// A set of slots: bit `slot.0` of a word, so foundation f has bits 16 f to 16 f + 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SlotSet(pub u64);

impl SlotSet {
    /// Whether a slot is in the set.
    pub fn contains(self, slot: Slot) -> bool {
        self.0 >> slot.0 & 1 != 0
    }

    /// Puts a slot in.
    pub fn insert(&mut self, slot: Slot) {
        self.0 |= 1 << slot.0;
    }

    /// Takes a slot out.
    pub fn remove(&mut self, slot: Slot) {
        self.0 &= !(1 << slot.0);
    }

    /// The slots of one foundation: bit i for its card number i.
    pub fn chain(self, foundation: Foundation) -> u16 {
        (self.0 >> (16 * foundation.0)) as u16
    }

    /// Number of slots.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no slot is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The slots in rising order.
    pub fn iter(self) -> impl Iterator<Item = Slot> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let slot = (left != 0).then(|| Slot(left.trailing_zeros() as u8))?;
            left &= left - 1;
            Some(slot)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foundations_are_the_published_ones() {
        let game = Game::new(13, 3).unwrap();
        let written = ["A23456789TJQK", "2468TQA3579JK", "369Q258JA47TK", "48Q37J26TA59K"];
        for (foundation, written) in Foundation::ALL.into_iter().zip(written) {
            let slots = (0..13).map(|index| Slot::new(foundation, index));
            let letters: String = slots.map(|slot| game.rank(slot).letter()).collect();
            assert_eq!(letters, written);
        }
    }

    #[test]
    fn slots_and_ranks_lead_back() {
        for ranks in [5, 7, 11, 13] {
            let game = Game::new(ranks, 2).unwrap();
            for slot in game.slots().iter() {
                assert_eq!(game.slot(slot.foundation(), game.rank(slot)), slot, "{ranks}");
            }
            assert_eq!(game.slots().len(), game.cards());
        }
        assert_eq!(Game::new(12, 3), Err(GameError::Ranks(12)));
        assert_eq!(Game::new(13, 5), Err(GameError::Stacks(5)));
        assert_eq!(Game::new(13, 0), Err(GameError::Stacks(0)));
    }
}
