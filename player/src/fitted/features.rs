//! The numbers that a fitted evaluator sees of a board.

use crate::game::{Foundation, Game, Rank, Slot, SlotSet};
use crate::view::{Stacked, View};

/// How many numbers describe a board without subgames.
pub const PLAIN_FEATURES: usize = 61;
/// How many numbers describe a board with the pair values of subgames.
pub const ALL_FEATURES: usize = PLAIN_FEATURES + 14;

/// What describes a board, each number of the order of 1: the plain features, then those of
/// subgames.
pub type Features = [f32; ALL_FEATURES];

/// What stock cards a stack keeps waiting.
#[derive(Debug, Clone, Copy, Default)]
struct StackView {
    cards: u64,
    height: u32,
    /// Cards needed before the top card, before the bottom card.
    top: u64,
    bottom: u64,
    /// Sum over its cards of the stock cards of other foundations that each waits for.
    blocked: u32,
}

/// The whole board, with the closures over all four foundations.
struct Whole<'a> {
    view: &'a View,
    stacks: [StackView; Game::MAX_STACKS],
    game: Game,
    /// By foundation and index: what a card needs before it because of the cards of its
    /// foundation, as far as the last stack card before it.
    chain: [u64; 64],
}

/// Describes a board by the logarithms of its pair values in a table and its order of need, and
/// by those of its pair values in subgames.
pub fn features(
    view: &View,
    game: Game,
    table: &[f32; 6],
    subgames: Option<&[f32; 6]>,
) -> Features {
    let whole = Whole::new(view, game);
    let mut out = Writer { numbers: [0.0; ALL_FEATURES], len: 0 };
    out.pairs(table);
    whole.progress(&mut out);
    whole.stacks(&mut out);
    whole.stock(&mut out);
    whole.draws(&mut out);
    whole.foundations(&mut out);
    debug_assert_eq!(out.len, PLAIN_FEATURES);
    if let Some(pairs) = subgames {
        out.pairs(pairs);
        debug_assert_eq!(out.len, ALL_FEATURES);
    }
    out.numbers
}

struct Writer {
    numbers: Features,
    len: usize,
}

impl Writer {
    fn push(&mut self, number: f32) {
        self.numbers[self.len] = number;
        self.len += 1;
    }

    fn pairs(&mut self, pairs: &[f32; 6]) {
        for &pair in pairs {
            self.push(pair.max(-8.0) / 2.0);
            self.push(pair.exp());
        }
        self.push(pairs.iter().sum::<f32>().max(-20.0) / 6.0);
        self.push(pairs.iter().copied().fold(0.0, f32::min).max(-8.0) / 2.0);
    }
}

impl<'a> Whole<'a> {
    fn new(view: &'a View, game: Game) -> Self {
        let mut whole = Self { view, stacks: Default::default(), game, chain: [0; 64] };
        let mut last = [0u64; Game::FOUNDATIONS];
        let mut from = Foundation::ALL.map(|f| view.built(f));
        let chain = &mut whole.chain;
        let stacks = &mut whole.stacks;
        view.closures(u64::MAX, |card, needed| {
            let foundation = card.slot.foundation();
            let own = 0xffffu64 << (16 * foundation.0);
            let stack = &mut stacks[usize::from(card.stack)];
            if stack.cards == 0 {
                stack.top = needed;
            }
            stack.cards |= 1 << card.slot.0;
            stack.bottom = needed;
            stack.height += 1;
            stack.blocked += (needed & !own & view.stock()).count_ones();
            let f = foundation.index();
            for index in from[f]..=card.slot.index() {
                chain[16 * f + index] = last[f];
            }
            from[f] = card.slot.index() + 1;
            last[f] = needed | 1 << card.slot.0;
        });
        for f in 0..Game::FOUNDATIONS {
            for index in from[f]..16 {
                chain[16 * f + index] = last[f];
            }
        }
        whole
    }

    fn waits(&self, needed: u64) -> f32 {
        (needed & self.view.stock()).count_ones() as f32
    }

    fn progress(&self, out: &mut Writer) {
        out.push(self.view.stock().count_ones() as f32 / 26.0);
        for foundation in Foundation::ALL {
            out.push(self.view.built(foundation) as f32 / 6.0);
        }
        out.push(self.view.stacked().len() as f32 / 10.0);
    }

    fn stacks(&self, out: &mut Writer) {
        let mut stacks = self.stacks;
        let used = &mut stacks[..self.game.stacks()];
        let waits = |stack: &StackView| (stack.top & self.view.stock()).count_ones();
        used.sort_by_key(|stack| (stack.height == 0, std::cmp::Reverse(waits(stack))));
        out.push(used.iter().filter(|stack| stack.height == 0).count() as f32);
        for stack in &stacks {
            out.push(f32::from(u8::from(stack.height > 0)));
            out.push(self.waits(stack.top) / 10.0);
            out.push(self.waits(stack.bottom) / 20.0);
            out.push(stack.height as f32 / 5.0);
            out.push(stack.blocked as f32 / 20.0);
        }
        let (mut sum, mut most, mut blocked) = (0.0, 0.0f32, 0);
        let stock = self.view.stock();
        self.view.closures(u64::MAX, |card, needed| {
            let waits = (needed & stock).count_ones() as f32;
            sum += waits;
            most = most.max(waits);
            let own = 0xffffu64 << (16 * card.slot.foundation().0);
            blocked += u32::from(needed & !own & stock != 0);
        });
        out.push(sum / 100.0);
        out.push(most / 20.0);
        out.push(blocked as f32 / 5.0);
    }

    /// How well the stock cards would find a place if drawn now.
    fn stock(&self, out: &mut Writer) {
        let stock = self.view.stock();
        let left = stock.count_ones().max(1) as f32;
        let (mut next, mut free, mut dead) = (0.0, 0.0, 0.0);
        let (mut delays, mut needs) = (0.0, 0.0);
        let mut open = stock;
        while open != 0 {
            let slot = Slot(open.trailing_zeros() as u8);
            open &= open - 1;
            let needed = self.needed(slot);
            if needed == 0 {
                next += 1.0;
                continue;
            }
            needs += self.waits(needed);
            match self.least_delay(needed) {
                None => dead += 1.0,
                Some(0) => free += 1.0,
                Some(delay) => delays += delay.min(10) as f32,
            }
        }
        out.push(next / left);
        out.push(free / left);
        out.push(dead / left);
        out.push(delays / left);
        out.push(needs / left / 10.0);
    }

    /// What must be played before a stock card of a slot can be built.
    fn needed(&self, slot: Slot) -> u64 {
        self.view.earlier(slot) | self.chain[usize::from(slot.0)]
    }

    /// How well the next draw can be used, whichever of its rank's open slots it is meant for.
    fn draws(&self, out: &mut Writer) {
        let stock = SlotSet(self.view.stock());
        let left = stock.len().max(1) as f32;
        let (mut next, mut free, mut dead, mut delays) = (0.0, 0.0, 0.0, 0.0);
        for rank in (0..self.game.ranks() as u8).map(Rank) {
            let slots = Foundation::ALL.map(|foundation| self.game.slot(foundation, rank));
            let open = slots.into_iter().filter(|&slot| stock.contains(slot));
            let (mut copies, mut built, mut least) = (0.0, false, None::<u32>);
            for slot in open {
                copies += 1.0;
                let needed = self.needed(slot);
                built |= needed == 0;
                let delay = self.least_delay(needed);
                least = delay.map_or(least, |delay| Some(least.map_or(delay, |l| l.min(delay))));
            }
            match least {
                _ if built => next += copies,
                None => dead += copies,
                Some(0) => free += copies,
                Some(delay) => delays += copies * delay.min(10) as f32,
            }
        }
        for sum in [next, free, dead, delays] {
            out.push(sum / left);
        }
    }

    /// For each foundation, how likely its next card is drawn next, and how many stack cards are
    /// meant for it.
    fn foundations(&self, out: &mut Writer) {
        let stock = SlotSet(self.view.stock());
        let left = stock.len().max(1) as f32;
        for foundation in Foundation::ALL {
            let index = self.view.built(foundation);
            let mut copies = 0.0;
            if index < self.game.ranks() {
                let rank = self.game.rank(Slot::new(foundation, index));
                let slots = Foundation::ALL.map(|other| self.game.slot(other, rank));
                copies = slots.into_iter().filter(|&slot| stock.contains(slot)).count() as f32;
            }
            out.push(10.0 * copies / left);
            let meant = |card: &&Stacked| card.slot.foundation() == foundation;
            out.push(self.view.stacked().iter().filter(meant).count() as f32 / 3.0);
        }
    }

    /// The fewest stock cards by which a new card on a stack delays its top card; `None` when
    /// every stack has a card that the new one waits for.
    fn least_delay(&self, needed: u64) -> Option<u32> {
        let stacks = self.stacks[..self.game.stacks()].iter();
        let possible = stacks.filter(|stack| stack.cards & needed == 0);
        let delays = possible.map(|stack| match stack.height {
            0 => 0,
            _ => (needed & !stack.top & self.view.stock()).count_ones(),
        });
        delays.min()
    }
}
