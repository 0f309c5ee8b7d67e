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
        Self::of_symbols(len, 0)
    }

    /// A lane of so many cards with these symbols.
    pub(super) fn of_symbols(len: usize, symbols: u64) -> Self {
        Self { symbols, len: len as u8 }
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

    /// Takes cards out, bit i for card i; the later ones move up.
    #[inline]
    pub(super) fn remove_all(&mut self, mut cards: u32) {
        while cards != 0 {
            let last = cards.ilog2();
            self.remove(last as usize);
            cards ^= 1 << last;
        }
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

    /// The cards on a stack: bit 4 i for card i.
    fn cards_on(self, stack: usize) -> u64 {
        let differs = (self.symbols ^ (ONES * stacked(stack, 0))) & !ONES;
        !(differs >> 1 | differs >> 2 | differs >> 3) & ONES
    }

    /// A number, different for all lanes of symbols below `symbols`: its digits to that base, the
    /// next card's the least, are the symbols counted from 1, so that lanes of different lengths
    /// have different numbers too. Below [`Rules::lanes`](super::rules::Rules::lanes).
    pub(super) fn code(self, symbols: u64) -> u64 {
        let present = ONES & ((1 << (4 * self.len)) - 1);
        let digits = (self.symbols & (7 * ONES)) + present + (self.symbols >> 3 & ONES);
        // Neighbours are joined until one number is left.
        let join = |parts: u64, width: u32, mask: u64, base: u64| {
            (parts & mask) + base * (parts >> width & mask)
        };
        let (two, four) = (symbols * symbols, symbols.pow(4));
        let pairs = join(digits, 4, 0x0f0f_0f0f_0f0f_0f0f, symbols);
        let fours = join(pairs, 8, 0x00ff_00ff_00ff_00ff, two);
        let eights = join(fours, 16, 0x0000_ffff_0000_ffff, four);
        join(eights, 32, 0xffff_ffff, four * four)
    }

    /// What stays the same when the stacks are named in another way.
    pub(super) fn shape(self) -> (u8, u64) {
        (self.len, self.symbols & NAMELESS)
    }
}

/// New names of stacks, in the order in which two lanes mention them.
#[derive(Debug)]
pub(super) struct Names([u64; 4]);

impl Names {
    pub(super) fn of(first: Lane, second: Lane) -> Self {
        // Where a stack is mentioned first; those that are not mentioned stay behind in order.
        let place = |stack: usize| {
            let (one, other) = (first.cards_on(stack), second.cards_on(stack));
            let other = if other == 0 { 64 + stack as u32 } else { other.trailing_zeros() };
            if one == 0 { 64 + other } else { one.trailing_zeros() }
        };
        let places = [place(0), place(1), place(2), place(3)];
        let name = |place: u32| places.iter().map(|&other| u64::from(other < place)).sum();
        Self(places.map(name))
    }

    /// The lane with new names.
    pub(super) fn rename(&self, lane: Lane) -> Lane {
        let names = (0..).zip(self.0).map(|(stack, name)| lane.cards_on(stack) * (name << 1));
        Lane { symbols: lane.symbols & NAMELESS | names.sum::<u64>(), len: lane.len }
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
        let symbols = [0, stacked(0, 0), stacked(0, 1), stacked(1, 0), stacked(1, 1)];
        let mut lanes = vec![lane(&[])];
        for a in symbols {
            lanes.push(lane(&[a]));
            for b in symbols {
                lanes.push(lane(&[a, b]));
                lanes.extend(symbols.iter().map(|&c| lane(&[a, b, c])));
            }
        }
        let mut codes: Vec<u64> = lanes.into_iter().map(|lane| lane.code(5)).collect();
        codes.sort_unstable();
        assert!(codes.into_iter().eq(0..1 + 5 + 25 + 125));
        // The highest code of the longest lane.
        let code = lane(&[stacked(3, 1); 9]).code(9);
        assert_eq!(code, (0..=9).map(|len| 9u64.pow(len)).sum::<u64>() - 1);
    }

    #[test]
    fn stacks_are_named_as_they_are_met() {
        let (first, second) = (lane(&[0, stacked(2, 1)]), lane(&[stacked(3, 0), stacked(2, 0)]));
        let names = Names::of(first, second);
        assert_eq!(names.rename(first), lane(&[0, stacked(0, 1)]));
        assert_eq!(names.rename(second), lane(&[stacked(1, 0), stacked(0, 0)]));
    }
}
