//! What draws and placements lead to.

use super::lane::{Lane, ON_OTHER, STACKED, stack_of, stacked};
use super::position::{Position, forget_grounded};
use super::rules::Rules;

/// Whose card lies on top of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Top {
    Nothing,
    Lane(usize),
}

/// A position with its stacks laid out.
#[derive(Debug)]
pub(super) struct Expansion {
    rules: Rules,
    lanes: [Lane; 2],
    /// By lane and stack: bit i for the lane's card i.
    cards: [[u16; Rules::MAX_STACKS]; 2],
    tops: [Top; Rules::MAX_STACKS],
    /// By lane and card: how many cards of the other lane must be built before it can be.
    needs: [[u8; Rules::MAX_CHAIN]; 2],
}

impl Expansion {
    pub(super) fn new(rules: Rules, position: &Position) -> Self {
        let lanes = position.lanes();
        let mut cards = [[0; Rules::MAX_STACKS]; 2];
        for (lane, cards) in lanes.iter().zip(&mut cards) {
            for card in 0..lane.len() {
                let symbol = lane.get(card);
                if symbol & STACKED != 0 {
                    cards[stack_of(symbol)] |= 1 << card;
                }
            }
        }
        let tops = [Top::Nothing; Rules::MAX_STACKS];
        let needs = [[0; Rules::MAX_CHAIN]; 2];
        let mut expansion = Self { rules, lanes, cards, tops, needs };
        (0..rules.stacks()).for_each(|stack| expansion.lay_out(stack));
        // What a card needs, the later ones of its lane need too.
        for needs in &mut expansion.needs {
            for card in 1..needs.len() {
                needs[card] = needs[card].max(needs[card - 1]);
            }
        }
        expansion
    }

    /// Goes up a stack, run of cards of one lane by run. A run needs the next run's first card.
    fn lay_out(&mut self, stack: usize) {
        let mut left = [self.cards[0][stack], self.cards[1][stack]];
        let grounded = |lane: usize| {
            left[lane] != 0 && self.lanes[lane].get(left[lane].ilog2() as usize) & ON_OTHER == 0
        };
        let mut lane = match (grounded(0), grounded(1)) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => return,
        };
        loop {
            let mut run = 0u16;
            while left[lane] != 0 {
                let card = left[lane].ilog2();
                if run != 0 && self.lanes[lane].get(card as usize) & ON_OTHER != 0 {
                    break;
                }
                run |= 1 << card;
                left[lane] ^= 1 << card;
            }
            self.tops[stack] = Top::Lane(lane);
            if left[1 - lane] == 0 {
                return;
            }
            let above = left[1 - lane].ilog2() as u8;
            while run != 0 {
                let needs = &mut self.needs[lane][run.ilog2() as usize];
                *needs = (*needs).max(above + 1);
                run ^= 1 << run.ilog2();
            }
            lane = 1 - lane;
        }
    }

    /// Builds the next card of a lane, which is in the stock, and what then can move.
    pub(super) fn build(&self, lane: usize) -> Position {
        let (mut cards, mut tops) = (self.cards, self.tops);
        let mut built = [0, 0];
        built[lane] = 1;
        let mut looked_at = lane;
        let mut stuck = 0;
        while stuck < 2 {
            let this = looked_at;
            let next = built[this];
            let symbol = if next < self.lanes[this].len() { self.lanes[this].get(next) } else { 0 };
            let stack = stack_of(symbol);
            if symbol & STACKED == 0 || tops[stack] != Top::Lane(this) {
                stuck += 1;
                looked_at = 1 - this;
                continue;
            }
            cards[this][stack] ^= 1 << next;
            tops[stack] = match (symbol & ON_OTHER != 0, cards[this][stack] != 0) {
                (true, _) => Top::Lane(1 - this),
                (false, true) => Top::Lane(this),
                (false, false) => Top::Nothing,
            };
            built[this] += 1;
            stuck = 0;
        }
        let mut lanes = self.lanes;
        lanes.iter_mut().zip(built).for_each(|(lane, built)| lane.advance(built));
        Position::canonical(self.rules, lanes)
    }

    /// The stacks on which a card from the stock, which is not next, may be put without making
    /// the game lost; of the empty ones only the first.
    ///
    /// The card locks in all cards of the stack. So it must not need any of them: neither the
    /// earlier cards of its own lane, nor those of the other lane that must be built before.
    pub(super) fn stacks_for(&self, lane: usize, card: usize) -> impl Iterator<Item = usize> {
        let own = (1u16 << card) - 1;
        let other = (1u16 << self.needs[lane][card]) - 1;
        let mut empty_seen = false;
        (0..self.rules.stacks()).filter(move |&stack| {
            let (mine, theirs) = (self.cards[lane][stack], self.cards[1 - lane][stack]);
            let again = mine | theirs == 0 && std::mem::replace(&mut empty_seen, true);
            !again && mine & own == 0 && theirs & other == 0
        })
    }

    /// Puts a card from the stock on one of the stacks [for it](Self::stacks_for).
    pub(super) fn put(&self, lane: usize, card: usize, stack: usize) -> Position {
        let mut lanes = self.lanes;
        let top = self.tops[stack];
        let own = &mut lanes[lane];
        let on_other = top == Top::Lane(1 - lane);
        let follows = top == Top::Lane(lane) && self.cards[lane][stack] >> (card + 1) & 1 != 0;
        if follows {
            own.remove(card);
        } else {
            own.set(card, stacked(stack, if on_other { ON_OTHER } else { 0 }));
        }
        if top == Top::Nothing && card + 1 == own.len() {
            forget_grounded(&mut lanes);
        }
        Position::canonical(self.rules, lanes)
    }
}
