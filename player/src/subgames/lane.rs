//! One foundation's remaining cards, as the two-foundation game sees them.

/// Set in the symbol of a card on a stack; a card in the stock has symbol 0.
pub(super) const STACKED: u64 = 8;
/// Set in the symbol of a stack card that lies directly on a card of the other lane.
pub(super) const ON_OTHER: u64 = 1;
/// The parts of all symbols that do not name a stack.
const NAMELESS: u64 = 0x9999_9999_9999_9999;
/// The lowest bit of every symbol.
const ONES: u64 = 0x1111_1111_1111_1111;

/// The symbol of a card on a stack. 0 or [`ON_OTHER`] says what it lies on.
pub(super) const fn stacked(stack: usize, on: u64) -> u64 {
    STACKED | (stack as u64) << 1 | on
}

/// The stack that a symbol names.
pub(super) const fn stack_of(symbol: u64) -> usize {
    (symbol >> 1 & 3) as usize
}

/// The cards that a lane still needs, the next one first; one symbol of four bits each, the next
/// card's lowest.
///
/// In a position that can be won a stack's cards of one lane lie with the ones needed later
/// further down. So from the sets of cards on a stack, and for each card whether it lies directly
/// on a card of the other lane, follows the whole order of the stack: the bottom card is the last
/// one of a lane and not on the other lane's, and above it lane follows lane where a card says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lane {
    symbols: u64,
    len: u8,
}

impl Lane {
    /// A lane of so many cards in the stock.
    pub(super) fn of_stock(len: usize) -> Self {
        Self { symbols: 0, len: len as u8 }
    }

    /// Number of cards.
    pub(super) fn len(self) -> usize {
        usize::from(self.len)
    }

    /// The symbol of a card.
    pub(super) fn get(self, card: usize) -> u64 {
        self.symbols >> (4 * card) & 15
    }

    /// The symbol of the last card.
    pub(super) fn last(self) -> Option<u64> {
        self.len.checked_sub(1).map(|last| self.get(usize::from(last)))
    }

    /// Says where a card that was in the stock is.
    pub(super) fn set(&mut self, card: usize, symbol: u64) {
        debug_assert!(card < self.len() && self.get(card) == 0);
        self.symbols |= symbol << (4 * card);
    }

    /// Says that a stack card lies on no card of the other lane.
    pub(super) fn ground(&mut self, card: usize) {
        self.symbols &= !(ON_OTHER << (4 * card));
    }

    /// Takes a card out; the later ones move up.
    pub(super) fn remove(&mut self, card: usize) {
        let below = (1 << (4 * card)) - 1;
        self.symbols = self.symbols & below | self.symbols >> 4 & !below;
        self.len -= 1;
    }

    /// Takes the next cards out.
    pub(super) fn advance(&mut self, cards: usize) {
        self.symbols >>= 4 * cards;
        self.len -= cards as u8;
    }

    /// Takes the last card out.
    pub(super) fn pop(&mut self) {
        self.len -= 1;
        self.symbols &= (1 << (4 * self.len)) - 1;
    }

    /// The cards in the stock: bit 4 i for card i.
    pub(super) fn stock(self) -> u64 {
        !(self.symbols >> 3) & ONES & ((1 << (4 * self.len)) - 1)
    }

    /// The last card on a stack, if there is one.
    pub(super) fn last_on(self, stack: usize) -> Option<usize> {
        (0..self.len()).rev().find(|&card| self.get(card) & !ON_OTHER == stacked(stack, 0))
    }

    /// What stays the same when the stacks are named in another way.
    pub(super) fn shape(self) -> (u8, u64) {
        (self.len, self.symbols & NAMELESS)
    }
}

/// New names of stacks, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The new name of a stack, plus 1; 0 is none yet.
    names: [u8; 4],
    given: u8,
}

impl Names {
    /// The lane with new names, and its number among all lanes with symbols below `symbols`:
    /// its symbols are the digits, from 1, of a number to that base, so that lanes of different
    /// lengths have different numbers too.
    pub(super) fn rename(&mut self, lane: Lane, symbols: u64) -> (Lane, u64) {
        let mut renamed = Lane { symbols: 0, len: lane.len };
        let mut code = 0;
        for card in 0..lane.len() {
            let mut symbol = lane.get(card);
            let mut digit = 1;
            if symbol & STACKED != 0 {
                let name = &mut self.names[stack_of(symbol)];
                if *name == 0 {
                    self.given += 1;
                    *name = self.given;
                }
                symbol = stacked(usize::from(*name - 1), symbol & ON_OTHER);
                digit = symbol - STACKED + 2;
            }
            renamed.symbols |= symbol << (4 * card);
            code = code * symbols + digit;
        }
        (renamed, code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(symbols: &[u64]) -> Lane {
        let mut lane = Lane::of_stock(symbols.len());
        for (card, &symbol) in symbols.iter().enumerate() {
            lane.set(card, symbol);
        }
        lane
    }

    #[test]
    fn cards_come_and_go() {
        let mut cards = lane(&[0, stacked(2, 1), 0, stacked(0, 0)]);
        assert_eq!(cards.stock(), 0x101);
        assert_eq!((cards.last_on(2), cards.last_on(1)), (Some(1), None));
        cards.remove(0);
        assert_eq!(cards, lane(&[stacked(2, 1), 0, stacked(0, 0)]));
        cards.ground(0);
        cards.pop();
        assert_eq!(cards, lane(&[stacked(2, 0), 0]));
        cards.advance(2);
        assert_eq!(cards, Lane::default());
    }

    #[test]
    fn lanes_have_different_codes() {
        let mut seen = std::collections::HashSet::new();
        let symbols = [0, stacked(0, 0), stacked(0, 1)];
        for a in symbols {
            assert!(seen.insert(Names::default().rename(lane(&[a]), 3).1));
            for b in symbols {
                assert!(seen.insert(Names::default().rename(lane(&[a, b]), 3).1));
            }
        }
        assert!(seen.insert(Names::default().rename(lane(&[]), 3).1));
        assert_eq!(seen.into_iter().max(), Some(12));
    }
}
