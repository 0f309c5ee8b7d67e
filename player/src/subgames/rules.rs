//! Which two-foundation game is played, and the numbers of its positions.

use super::draws::Draws;
use super::error::SubgameError;
use crate::game::Game;

/// A two-foundation game: how many stacks there are, and how many cards a foundation may need.
///
/// There are two *lanes* A and B; each needs its cards 1..n in order. The cards that are not on
/// a stack lie shuffled in the stock. A drawn card goes to its lane if it is next there and
/// otherwise on top of any stack, as in Calculation; a stack's top card may move to its lane at
/// any time. The game is won when both lanes are complete. The text leaves open whether a next
/// card *must* be built and whether moving is always good: both are allowed to be refused, and
/// refusing never helps, for the card that is left on a stack only locks others in. The solver
/// therefore always builds and always moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    stacks: u8,
    chain: u8,
    draws: Draws,
    key_bits: u8,
    lanes: u64,
}

impl Rules {
    /// Most stacks.
    pub const MAX_STACKS: usize = 4;
    /// Most cards of a lane.
    pub const MAX_CHAIN: usize = 9;

    /// The game with so many stacks and at most so many cards a lane.
    ///
    /// # Errors
    /// [`SubgameError::Stacks`] but for 1 to 4; [`SubgameError::Chain`] but for 1 to 9.
    pub fn new(stacks: usize, chain: usize) -> Result<Self, SubgameError> {
        if !(1..=Self::MAX_STACKS).contains(&stacks) {
            return Err(SubgameError::Stacks(stacks));
        }
        if !(1..=Self::MAX_CHAIN).contains(&chain) {
            return Err(SubgameError::Chain(chain));
        }
        let lanes: u64 = (0..=chain as u32).map(|len| Self::symbols_of(stacks).pow(len)).sum();
        let key_bits = (lanes.pow(2) - 1).ilog2() as u8 + 1;
        let (stacks, chain) = (stacks as u8, chain as u8);
        Ok(Self { stacks, chain, draws: Draws::Chance, key_bits, lanes })
    }

    /// The same game with a choice at draws, as subgames of a game with so many ranks have it.
    pub fn with_choice(self, ranks: usize) -> Self {
        Self { draws: Draws::Choice { ranks: ranks as u8 }, ..self }
    }

    /// The subgames of at most so many cards a foundation that a game is best judged by: with
    /// choice when they are parts of its pairs of foundations; exact when they are whole ones.
    ///
    /// # Errors
    /// [`SubgameError::Chain`].
    pub fn of_game(game: Game, chain: usize) -> Result<Self, SubgameError> {
        let rules = Self::new(game.stacks(), chain)?;
        Ok(if chain < game.ranks() { rules.with_choice(game.ranks()) } else { rules })
    }

    /// How draws are valued.
    pub fn draws(self) -> Draws {
        self.draws
    }

    /// Number of stacks.
    pub fn stacks(self) -> usize {
        usize::from(self.stacks)
    }

    /// Most cards of a lane.
    pub fn chain(self) -> usize {
        usize::from(self.chain)
    }

    /// What a card of a lane may be: in the stock, or on a stack above its own lane's or above
    /// the other lane's card.
    fn symbols_of(stacks: usize) -> u64 {
        2 * stacks as u64 + 1
    }

    pub(super) fn symbols(self) -> u64 {
        Self::symbols_of(self.stacks())
    }

    /// Number of different lanes, and so a bound on their [codes](super::lane::Lane::code).
    pub(super) fn lanes(self) -> u64 {
        self.lanes
    }

    /// Bits that hold the key of any position: 40 for 3 stacks and 7 cards, 58 at most.
    pub(super) fn key_bits(self) -> u32 {
        u32::from(self.key_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_as_wide_as_the_memo_expects() {
        assert_eq!(Rules::new(3, 7).unwrap().key_bits(), 40);
        assert_eq!(Rules::new(4, 9).unwrap().key_bits(), 58);
        assert!(Rules::new(0, 7).is_err() && Rules::new(5, 7).is_err());
        assert!(Rules::new(3, 0).is_err() && Rules::new(3, 10).is_err());
    }
}
