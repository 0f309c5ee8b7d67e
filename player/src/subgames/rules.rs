//! Which two-foundation game is played, and the numbers of its positions.

use super::error::SubgameError;

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
}

impl Rules {
    /// Most stacks.
    pub const MAX_STACKS: usize = 4;
    /// Most cards of a lane.
    pub const MAX_CHAIN: usize = 9;

    /// The game with so many stacks and at most so many cards a lane.
    pub fn new(stacks: usize, chain: usize) -> Result<Self, SubgameError> {
        if !(1..=Self::MAX_STACKS).contains(&stacks) {
            return Err(SubgameError::Stacks(stacks));
        }
        if !(1..=Self::MAX_CHAIN).contains(&chain) {
            return Err(SubgameError::Chain(chain));
        }
        Ok(Self { stacks: stacks as u8, chain: chain as u8 })
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
    pub(super) fn symbols(self) -> u64 {
        2 * u64::from(self.stacks) + 1
    }

    /// Number of different lanes, and so of what [`Lane::code`](super::lane::Lane) gives.
    pub(super) fn lanes(self) -> u64 {
        (0..=u32::from(self.chain)).map(|len| self.symbols().pow(len)).sum()
    }

    /// Bits that hold the key of any position: 40 for 3 stacks and 7 cards, 58 at most.
    pub(super) fn key_bits(self) -> u32 {
        (self.lanes().pow(2) - 1).ilog2() + 1
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
