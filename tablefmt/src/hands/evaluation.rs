//! Evaluating any cards, with the five that decide: for people, not for inner loops.

use super::card::{Card, CardSet};
use super::error::HandsError;
use super::evaluator::Evaluator;
use super::rank::{Category, HandRank};

/// What a hand is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation {
    /// Its rank.
    pub rank: HandRank,
    /// Its category.
    pub category: Category,
    /// Five of its cards that have this rank, those first that decide first.
    pub best: [Card; 5],
}

impl Evaluation {
    fn best_of(hands: impl Iterator<Item = [Card; 5]>) -> Option<Evaluation> {
        let evaluator = Evaluator::get();
        let (rank, best) = hands.map(|five| (evaluator.five(&five), five)).min_by_key(|h| h.0)?;
        let mut evaluation = Evaluation { rank, category: rank.category(), best };
        evaluation.sort();
        Some(evaluation)
    }

    /// Pairs before kickers, high before low; the ace of a wheel last.
    fn sort(&mut self) {
        let best = self.best;
        let times = |card: &Card| best.iter().filter(|other| other.rank() == card.rank()).count();
        self.best.sort_by_key(|card| (std::cmp::Reverse((times(card), card.rank())), card.suit()));
        let straight = matches!(self.category, Category::Straight | Category::StraightFlush);
        let gap = self.best[0].rank().number() - self.best[1].rank().number();
        if straight && gap > 1 {
            self.best.rotate_left(1);
        }
    }
}

/// Evaluates the best five of five, six or seven cards.
///
/// # Errors
/// [`HandsError`] when there are fewer or more cards, or one twice.
pub fn evaluate_best(cards: &[Card]) -> Result<Evaluation, HandsError> {
    CardSet::of(cards)?;
    let wrong = HandsError::Count { what: "a hand", expected: "5, 6 or 7", got: cards.len() };
    if !(5..=7).contains(&cards.len()) {
        return Err(wrong);
    }
    let fives = (0_u32..1 << cards.len()).filter(|chosen| chosen.count_ones() == 5);
    Evaluation::best_of(fives.map(|chosen| pick(cards, chosen))).ok_or(wrong)
}

/// Evaluates the best five of exactly two of four hole cards and three of five board cards.
///
/// # Errors
/// [`HandsError`] when there are fewer or more cards, or one twice.
pub fn evaluate_omaha(hole: &[Card], board: &[Card]) -> Result<Evaluation, HandsError> {
    let count = |what, expected, got| HandsError::Count { what, expected, got };
    if hole.len() != 4 {
        return Err(count("an Omaha hand", "4", hole.len()));
    }
    let wrong = count("a board", "5", board.len());
    if board.len() != 5 {
        return Err(wrong);
    }
    let all = [hole, board].concat();
    CardSet::of(&all)?;
    let two_of_hole = |chosen: &u32| (chosen & 0b1111).count_ones() == 2;
    let fives = (0_u32..1 << 9).filter(|chosen| chosen.count_ones() == 5).filter(two_of_hole);
    Evaluation::best_of(fives.map(|chosen| pick(&all, chosen))).ok_or(wrong)
}

/// Five cards, by the bits of their places.
fn pick(cards: &[Card], chosen: u32) -> [Card; 5] {
    let mut places = (0..cards.len()).filter(|i| chosen >> i & 1 == 1);
    std::array::from_fn(|_| cards[places.next().expect("five bits are set")])
}
