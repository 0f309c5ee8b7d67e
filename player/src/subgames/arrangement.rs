//! From stacks of cards to positions.

use super::error::SubgameError;
use super::lane::{Lane, ON_OTHER, stacked};
use super::position::Position;
use super::rules::Rules;

/// Bits of a card's index.
const INDEX: u8 = 15;

/// A card of the two-foundation game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Card(u8);

impl Card {
    /// The card that lane `lane` (0 or 1) needs after `index` others.
    pub fn new(lane: usize, index: usize) -> Self {
        Self((lane as u8) << 4 | index as u8)
    }

    /// Its lane.
    pub fn lane(self) -> usize {
        usize::from(self.0 >> 4)
    }

    /// How many cards its lane needs before it.
    pub fn index(self) -> usize {
        usize::from(self.0 & INDEX)
    }

    /// The card that its lane needs next.
    fn following(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Cards of two lanes on stacks, as they lie; the cards that are on no stack are in the stock.
#[derive(Debug, Clone, Copy)]
pub struct Arrangement {
    lens: [usize; 2],
    heights: [usize; Rules::MAX_STACKS],
    stacks: [[Card; 2 * Rules::MAX_CHAIN]; Rules::MAX_STACKS],
}

impl Arrangement {
    /// Two lanes that need so many cards, all in the stock. At most [`Rules::MAX_CHAIN`] each.
    pub fn new(lens: [usize; 2]) -> Self {
        assert!(lens.iter().all(|&len| len <= Rules::MAX_CHAIN), "lanes of {lens:?} cards");
        Self {
            lens,
            heights: [0; Rules::MAX_STACKS],
            stacks: [[Card::default(); 2 * Rules::MAX_CHAIN]; Rules::MAX_STACKS],
        }
    }

    /// Puts a card on a stack.
    #[inline]
    pub fn put(&mut self, stack: usize, card: Card) {
        self.put_if(stack, card, 1);
    }

    /// Puts a card on a stack if `times` is 1, and nothing if it is 0.
    #[inline]
    pub(super) fn put_if(&mut self, stack: usize, card: Card, times: u32) {
        self.stacks[stack][self.heights[stack]] = card;
        self.heights[stack] += times as usize;
    }

    /// The position, or `None` if it cannot be won whatever is drawn.
    ///
    /// # Errors
    /// [`SubgameError::Arrangement`] if there are more stacks or longer lanes than the rules have,
    /// or a card twice or of no lane.
    pub fn position(&self, rules: Rules) -> Result<Option<Position>, SubgameError> {
        self.check(rules)?;
        let lies_open = |card: Card| !self.stacked().any(|stacked| stacked == card);
        let mut cleared = *self;
        cleared.build(lies_open);
        let live = cleared.heights == [0; Rules::MAX_STACKS];
        Ok(live.then(|| self.live_position(rules)))
    }

    fn check(&self, rules: Rules) -> Result<(), SubgameError> {
        let cards: Vec<Card> = self.stacked().collect();
        let misfit = |(place, card): (usize, &Card)| {
            let known = card.lane() < 2 && card.index() < self.lens[card.lane()];
            !known || cards[..place].contains(card)
        };
        let above = self.heights[rules.stacks()..].iter().any(|&height| height > 0);
        let long = self.lens.iter().any(|&len| len > rules.chain());
        if above || long || cards.iter().enumerate().any(misfit) {
            return Err(SubgameError::Arrangement(rules.stacks(), rules.chain()));
        }
        Ok(())
    }

    fn stacked(&self) -> impl Iterator<Item = Card> {
        let stacks = self.stacks.iter().zip(self.heights);
        stacks.flat_map(|(stack, height)| stack[..height].iter().copied())
    }

    /// Moves cards to their lanes until none can move, taking cards for which `lies_open` from
    /// the stock. Returns how many cards each lane then has.
    #[inline]
    fn build(&mut self, lies_open: impl Fn(Card) -> bool) -> [usize; 2] {
        let mut next = [Card::new(0, 0), Card::new(1, 0)];
        let mut moved = true;
        while moved {
            moved = false;
            for (stack, height) in self.stacks.iter().zip(&mut self.heights) {
                while *height > 0 && stack[*height - 1] == next[stack[*height - 1].lane()] {
                    *height -= 1;
                    next[stack[*height].lane()] = stack[*height].following();
                    moved = true;
                }
            }
            for (next, len) in next.iter_mut().zip(self.lens) {
                while next.index() < len && lies_open(*next) {
                    *next = next.following();
                    moved = true;
                }
            }
        }
        next.map(Card::index)
    }

    /// The position of an arrangement that fits the rules and is known not to be lost.
    #[inline]
    pub(super) fn live_position(mut self, rules: Rules) -> Position {
        let built = self.build(|_| false);
        let mut lanes = [0, 1].map(|lane| Lane::of_stock(self.lens[lane] - built[lane]));
        let mut follows = [0u32; 2];
        for (number, (stack, height)) in self.stacks.iter().zip(self.heights).enumerate() {
            let mut below = None;
            for &card in &stack[..height] {
                let lane = card.lane();
                let at = card.index() - built[lane];
                let on_other = below.is_some_and(|below: Card| below.lane() != lane);
                lanes[lane].set(at, stacked(number, if on_other { ON_OTHER } else { 0 }));
                follows[lane] |= u32::from(below == Some(card.following())) << at;
                below = Some(card);
            }
        }
        Position::joined(rules, lanes, follows)
    }
}
