//! How good five cards are: a number from 1 to 7,462, and the category it lies in.

use std::fmt;

/// How good a hand is: 1 is a royal flush, 7,462 is 7-5-4-3-2. Hands of equal rank tie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandRank(pub u16);

impl HandRank {
    /// The worst.
    pub const WORST: HandRank = HandRank(7462);

    /// Its category.
    pub fn category(self) -> Category {
        let worse = Category::ALL.iter().rposition(|c| c.best_rank() <= self.0);
        Category::ALL[worse.unwrap_or(0)]
    }
}

impl fmt::Display for HandRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What five cards make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Category {
    StraightFlush,
    FourOfAKind,
    FullHouse,
    Flush,
    Straight,
    ThreeOfAKind,
    TwoPair,
    OnePair,
    HighCard,
}

impl Category {
    /// All, the best first.
    pub const ALL: [Category; 9] = [
        Category::StraightFlush,
        Category::FourOfAKind,
        Category::FullHouse,
        Category::Flush,
        Category::Straight,
        Category::ThreeOfAKind,
        Category::TwoPair,
        Category::OnePair,
        Category::HighCard,
    ];

    /// The best rank of the category. They follow from the numbers of different hands: 10
    /// straight flushes, 156 quads, 156 full houses, 1,277 flushes, 10 straights, 858 trips, 858
    /// two pairs, 2,860 pairs, 1,277 high cards.
    pub const fn best_rank(self) -> u16 {
        match self {
            Category::StraightFlush => 1,
            Category::FourOfAKind => 11,
            Category::FullHouse => 167,
            Category::Flush => 323,
            Category::Straight => 1600,
            Category::ThreeOfAKind => 1610,
            Category::TwoPair => 2468,
            Category::OnePair => 3326,
            Category::HighCard => 6186,
        }
    }

    /// For people: `two pair`.
    pub const fn name(self) -> &'static str {
        match self {
            Category::StraightFlush => "straight flush",
            Category::FourOfAKind => "four of a kind",
            Category::FullHouse => "full house",
            Category::Flush => "flush",
            Category::Straight => "straight",
            Category::ThreeOfAKind => "three of a kind",
            Category::TwoPair => "two pair",
            Category::OnePair => "one pair",
            Category::HighCard => "high card",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
