//! One lane of a position, in normal form, and how drawing a card changes it.
//!
//! A lane has `k` stock cards. A card of the lane on a stack lies in *gap* `i` when exactly
//! `i` of the lane's stock cards come before it (`1 <= i <= k`; with none before it the card
//! has been played). Several cards in the same gap and stack count once, because they are
//! played together. So a lane is `k` and, for each stack, the set of gaps in which it holds a
//! card: its [`Pattern`].

use super::spec::{Cards, Stacks};
use super::symmetry::Perm;

/// Room for the patterns of every stack a table can have.
pub const MAX_STACKS: usize = Stacks::MAX as usize;

/// The gaps of a lane in which one stack holds a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pattern(u16);

impl Pattern {
    /// The pattern whose bit `i - 1` says whether gap `i` is in it.
    pub const fn from_bits(bits: u16) -> Self {
        Pattern(bits)
    }

    /// Bit `i - 1` is gap `i`.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The first gap in the pattern, or [`NO_GAP`] when it is empty.
    pub const fn first_gap(self) -> u8 {
        if self.0 == 0 { NO_GAP } else { self.0.trailing_zeros() as u8 + 1 }
    }

    /// Number of gaps in the pattern.
    pub const fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether the stack holds no card of the lane.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether gap `gap` (from 1) is in the pattern.
    pub const fn contains(self, gap: u8) -> bool {
        self.0 >> (gap - 1) & 1 == 1
    }

    /// The pattern with gap `gap` (from 1) added.
    pub const fn with(self, gap: u8) -> Self {
        Pattern(self.0 | 1 << (gap - 1))
    }

    /// After the `draw`-th stock card (from 1) has left the stock: gap `draw` becomes one with
    /// the gap before it and later gaps move down by one. Gap 0 is played.
    const fn close(self, draw: u8) -> Self {
        if draw == 1 {
            return Pattern(self.0 >> 1);
        }
        let kept = self.0 & ((1 << (draw - 1)) - 1);
        Pattern(kept | (self.0 >> (draw - 1)) << (draw - 2))
    }

    /// The order in which canonical lanes list their stacks: by first gap, so that lanes with
    /// the same first gaps stand together, then by the whole pattern.
    const fn key(self) -> (u8, u16) {
        (self.first_gap(), self.0)
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// What [`Pattern::first_gap`] answers for an empty pattern: later than every gap.
pub const NO_GAP: u8 = u8::MAX;

/// A lane in normal form. Patterns of stacks that the table does not have are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane {
    stock: u8,
    patterns: [Pattern; MAX_STACKS],
}

impl Lane {
    /// A lane with `stock` cards in the stock and none on a stack.
    pub const fn in_stock(stock: u8) -> Self {
        Lane { stock, patterns: [Pattern(0); MAX_STACKS] }
    }

    /// A lane from its parts; gaps after the last stock card must not be used.
    pub fn new(stock: u8, patterns: [Pattern; MAX_STACKS]) -> Self {
        debug_assert!(patterns.iter().all(|p| p.bits() >> stock == 0));
        Lane { stock, patterns }
    }

    /// Number of stock cards.
    pub const fn stock(&self) -> u8 {
        self.stock
    }

    /// The patterns, by stack.
    pub const fn patterns(&self) -> &[Pattern; MAX_STACKS] {
        &self.patterns
    }

    /// The pattern of a stack.
    pub const fn pattern(&self, stack: u8) -> Pattern {
        self.patterns[stack as usize]
    }

    /// Cards of the lane in normal form: stock cards and (gap, stack) pairs.
    pub fn cards(&self) -> u8 {
        self.stock + self.patterns.iter().map(|p| p.len()).sum::<u8>()
    }

    /// Whether the lane belongs to a table with so many stacks and cards.
    pub fn fits(&self, stacks: Stacks, cards: Cards) -> bool {
        let unused = &self.patterns[usize::from(stacks.get())..];
        self.cards() <= cards.get() && unused.iter().all(|p| p.is_empty())
    }

    /// The lane after its first stock card is drawn: it is played, and so is every stack card
    /// that comes next.
    pub fn play(&self) -> Lane {
        let patterns = self.patterns.map(|p| p.close(1));
        Lane { stock: self.stock - 1, patterns }
    }

    /// The lane after its `draw`-th stock card (from 2) is drawn and put on `stack`.
    pub fn place(&self, draw: u8, stack: u8) -> Lane {
        debug_assert!((2..=self.stock).contains(&draw));
        let mut patterns = self.patterns.map(|p| p.close(draw));
        let placed = &mut patterns[usize::from(stack)];
        *placed = placed.with(draw - 1);
        Lane { stock: self.stock - 1, patterns }
    }

    /// Whether the `draw`-th stock card (from 2) may be put on `stack`: no card of this lane
    /// there comes before it, and no card of the other lane there is needed sooner.
    pub fn allows(&self, other: &Lane, draw: u8, stack: u8) -> bool {
        self.pattern(stack).first_gap() >= draw && other.pattern(stack).first_gap() >= draw - 1
    }

    /// The lane with its stacks renamed: what lies on stack `s` lies on `perm(s)` afterwards.
    pub fn renamed(&self, perm: &Perm) -> Lane {
        let mut patterns = self.patterns;
        for (from, &to) in perm.images().iter().enumerate() {
            patterns[usize::from(to)] = self.patterns[from];
        }
        Lane { stock: self.stock, patterns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(gaps: &[u8]) -> Pattern {
        gaps.iter().fold(Pattern::default(), |p, &gap| p.with(gap))
    }

    #[test]
    fn playing_the_first_card_plays_the_first_gap() {
        let mut patterns = [Pattern::default(); MAX_STACKS];
        patterns[0] = pattern(&[1, 3]);
        patterns[1] = pattern(&[2]);
        let played = Lane::new(3, patterns).play();
        assert_eq!(played.stock(), 2);
        assert_eq!(played.pattern(0), pattern(&[2]));
        assert_eq!(played.pattern(1), pattern(&[1]));
    }

    #[test]
    fn placing_a_card_joins_two_gaps_and_adds_the_card() {
        let mut patterns = [Pattern::default(); MAX_STACKS];
        patterns[0] = pattern(&[2, 3, 4]);
        patterns[1] = pattern(&[1]);
        let placed = Lane::new(4, patterns).place(3, 2);
        assert_eq!(placed.stock(), 3);
        assert_eq!(placed.pattern(0), pattern(&[2, 3]));
        assert_eq!(placed.pattern(1), pattern(&[1]));
        assert_eq!(placed.pattern(2), pattern(&[2]));
    }

    #[test]
    fn a_card_is_never_put_on_one_needed_sooner() {
        let mut patterns = [Pattern::default(); MAX_STACKS];
        patterns[0] = pattern(&[2]);
        let lane = Lane::new(4, patterns);
        let other = Lane::in_stock(4);
        assert!(lane.allows(&other, 2, 0));
        assert!(!lane.allows(&other, 3, 0));
        assert!(other.allows(&lane, 3, 0));
        assert!(!other.allows(&lane, 4, 0));
    }
}
