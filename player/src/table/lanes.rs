//! From a board to the lanes of a stack table.
//!
//! A stack table knows nothing of the order within a stack: a stack card is played as soon as
//! its lane needs it. On a real stack it may be *blocked*: it also waits for what lies on it. So
//! for two foundations the closure of "is needed before" says how many stock cards of the other
//! foundation a stack card waits for. Where they are more than those of its own foundation, the
//! lane gets so many stock cards before it; what then does not fit the table is cut off, at a
//! price.

use crate::game::{Foundation, Game};
use crate::view::View;

/// Most stock cards of a lane before it is trimmed: as many gaps as a pattern has room for.
const LONGEST: u8 = 16;

/// A lane: its stock cards and, for each stack, the gaps in which it holds cards of the lane
/// (bit i - 1: after i stock cards).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PlainLane {
    /// Stock cards.
    pub stock: u8,
    /// Gaps by stack.
    pub patterns: [u16; Game::MAX_STACKS],
}

impl PlainLane {
    /// Stock cards and (gap, stack) pairs: what a table's number of cards bounds.
    fn cards(&self) -> u32 {
        u32::from(self.stock) + self.patterns.iter().map(|p| p.count_ones()).sum::<u32>()
    }

    /// Forgets the last cards of the lane until it fits a table with so many cards a lane; gives
    /// how many those were.
    fn trim(&mut self, cards: u32) -> u32 {
        let excess = self.cards().saturating_sub(cards);
        while self.cards() > cards {
            let last = 1u16 << (self.stock - 1);
            if self.patterns.iter().any(|p| p & last != 0) {
                self.patterns = self.patterns.map(|p| p & !last);
            } else {
                self.stock -= 1;
            }
        }
        excess
    }
}

/// The two lanes of a pair of foundations.
pub struct Lanes {
    /// Lane of the first foundation.
    pub a: PlainLane,
    /// Lane of the second foundation.
    pub b: PlainLane,
    /// How many cards both lanes had too many for the table.
    pub excess: u32,
}

/// The two lanes of a pair of foundations, trimmed to `cards` cards each.
pub fn lanes(view: &View, pair: (Foundation, Foundation), cards: u32) -> Lanes {
    let (a, b) = (0xffffu64 << (16 * pair.0.0), 0xffffu64 << (16 * pair.1.0));
    // By slot: one more than the stack, and the stock cards of the other foundation that the
    // card waits for.
    let mut places = [(0u8, 0u8); 64];
    view.closures(a | b, |card, needed| {
        let others = if a >> card.slot.0 & 1 != 0 { b } else { a };
        let waits = (needed & others & view.stock()).count_ones() as u8;
        places[usize::from(card.slot.0)] = (card.stack + 1, waits);
    });
    let (a, excess_a) = lane(view, pair.0, &places, cards);
    let (b, excess_b) = lane(view, pair.1, &places, cards);
    Lanes { a, b, excess: excess_a + excess_b }
}

fn lane(view: &View, own: Foundation, places: &[(u8, u8); 64], cards: u32) -> (PlainLane, u32) {
    let mut lane = PlainLane::default();
    for index in view.built(own)..Game::MAX_RANKS {
        let slot = 16 * own.0 + index as u8;
        if view.stock() >> slot & 1 != 0 {
            lane.stock = LONGEST.min(lane.stock + 1);
            continue;
        }
        let (place, waits) = places[usize::from(slot)];
        if place == 0 {
            continue;
        }
        // Until the cards that it waits for are drawn its lane stands still: as if as many stock
        // cards of its own came before it.
        lane.stock = lane.stock.max(waits).min(LONGEST);
        if lane.stock > 0 {
            lane.patterns[usize::from(place - 1)] |= 1 << (lane.stock - 1);
        }
    }
    let excess = lane.trim(cards);
    (lane, excess)
}
