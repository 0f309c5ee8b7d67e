//! Positions as they are written, and the moves of the game on them.

use std::fmt;

/// Where a card that has not been played is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Card {
    /// In the stock.
    Stock,
    /// On a stack, counted from 0.
    On(u8),
}

impl Card {
    fn parse(letter: char) -> Card {
        match letter {
            '.' => Card::Stock,
            digit => Card::On(digit.to_digit(10).expect("a digit or a dot") as u8),
        }
    }
}

/// The remaining cards of a lane in order of need.
pub type Lane = Vec<Card>;

/// A position: both lanes, card by card. The same position in other words is another `Raw`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Raw {
    /// Lane A and lane B.
    pub lanes: [Lane; 2],
}

impl Raw {
    /// Reads a position; a lane without cards may be written `-` or left empty. Stack cards
    /// that their lane needs next are played.
    pub fn parse(a: &str, b: &str) -> Raw {
        let read = |text: &str| text.chars().filter(|&c| c != '-').map(Card::parse).collect();
        let mut lanes = [read(a), read(b)];
        lanes.iter_mut().for_each(play_from_stacks);
        Raw { lanes }
    }

    /// One lane as text.
    pub fn text(&self, lane: usize) -> String {
        if self.lanes[lane].is_empty() {
            return "-".to_owned();
        }
        let letter = |card: &Card| match card {
            Card::Stock => '.',
            Card::On(stack) => char::from(b'0' + stack),
        };
        self.lanes[lane].iter().map(letter).collect()
    }

    /// Stock cards of both lanes.
    pub fn stock(&self) -> usize {
        self.lanes.iter().flatten().filter(|&&card| card == Card::Stock).count()
    }

    /// Whether all cards are played.
    pub fn is_won(&self) -> bool {
        self.lanes.iter().all(Vec::is_empty)
    }

    /// For every stock card that may be drawn, the positions it may lead to; none of them when
    /// no stack takes the card.
    pub fn draws(&self, stacks: u8) -> Vec<Vec<Raw>> {
        let mut draws = Vec::new();
        for lane in 0..2 {
            for card in 0..self.lanes[lane].len() {
                if self.lanes[lane][card] == Card::Stock {
                    draws.push(self.after_drawing(lane, card, stacks));
                }
            }
        }
        draws
    }

    fn after_drawing(&self, lane: usize, card: usize, stacks: u8) -> Vec<Raw> {
        if card == 0 {
            let mut next = self.clone();
            next.lanes[lane].remove(0);
            play_from_stacks(&mut next.lanes[lane]);
            return vec![next];
        }
        let allowed = (0..stacks).filter(|&stack| self.may_put(lane, card, stack));
        let put = |stack| {
            let mut next = self.clone();
            next.lanes[lane][card] = Card::On(stack);
            next
        };
        allowed.map(put).collect()
    }

    /// Whether no card on the stack is needed before this one.
    fn may_put(&self, lane: usize, card: usize, stack: u8) -> bool {
        let (own, other) = (&self.lanes[lane], &self.lanes[1 - lane]);
        let there = Card::On(stack);
        let sooner_in_own = own[..card].contains(&there);
        let sooner_in_other = (0..other.len())
            .any(|at| other[at] == there && distance(other, at) < distance(own, card));
        !sooner_in_own && !sooner_in_other
    }
}

/// Stock cards of the lane that come before one of its cards.
fn distance(lane: &[Card], card: usize) -> usize {
    lane[..card].iter().filter(|&&before| before == Card::Stock).count()
}

/// Plays the stack cards that the lane needs next.
fn play_from_stacks(lane: &mut Lane) {
    let first = lane.iter().position(|&card| card == Card::Stock).unwrap_or(lane.len());
    lane.drain(..first);
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.text(0), self.text(1))
    }
}
