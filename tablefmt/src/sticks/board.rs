//! The rules, on paper: rows of standing and struck sticks.

use std::fmt;

use super::segments::Segments;
use super::spec::Rows;

/// Rows as they are drawn: row number r has places 1 to r.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    /// Of each row, bit `p - 1` says that the stick at place p stands.
    rows: Vec<u16>,
}

/// A move on a board. All of it counts from 1, as people do, but `further`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Strike {
    /// The row.
    pub row: u8,
    /// Place of the first stick that is struck.
    pub first: u8,
    /// How many sticks after it are struck too, 0 or more.
    pub further: u8,
}

impl Strike {
    /// The places of the sticks that are struck.
    fn places(&self) -> impl Iterator<Item = u8> + use<> {
        (0..=self.further).scan(self.first, |first, i| first.checked_add(i))
    }
}

impl fmt::Display for Strike {
    /// `[row,first,further]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{},{}]", self.row, self.first, self.further)
    }
}

/// Why a move is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrikeError {
    /// There is no such row.
    #[error("there is no row {row}; the rows are 1 to {rows}")]
    NoRow {
        /// The row asked for.
        row: u8,
        /// Number of rows.
        rows: u8,
    },
    /// The row has no such place.
    #[error("row {row} has no place {place}; its places are 1 to {row}")]
    NoPlace {
        /// The row.
        row: u8,
        /// The first place that it does not have.
        place: u16,
    },
    /// The stick is not there any more.
    #[error("the stick at place {place} of row {row} is struck already")]
    Struck {
        /// The row.
        row: u8,
        /// The first such place.
        place: u8,
    },
}

impl Board {
    /// The board at the start of a game.
    pub fn start(rows: Rows) -> Self {
        Board { rows: (1..=rows.get()).map(|row| (1 << row) - 1).collect() }
    }

    /// A board on which the sticks stand that `stands` says, asked row by row and place by
    /// place.
    pub(super) fn of(rows: Rows, stands: impl Fn(u8, u8) -> bool) -> Self {
        let bits = |row: u8| -> u16 {
            (1..=row).filter(|&place| stands(row, place)).map(|place| 1 << (place - 1)).sum()
        };
        Board { rows: (1..=rows.get()).map(bits).collect() }
    }

    /// Number of rows.
    pub fn rows(&self) -> u8 {
        self.rows.len() as u8
    }

    /// Whether the stick at a place stands.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn stands(&self, row: u8, place: u8) -> bool {
        (1..=row).contains(&place) && self.rows[usize::from(row) - 1] >> (place - 1) & 1 == 1
    }

    /// Number of standing sticks.
    pub fn sticks(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }

    /// The position: the segments of all rows.
    pub fn segments(&self) -> Segments {
        let of_row = |mut row: u16| {
            std::iter::from_fn(move || {
                row >>= row.trailing_zeros().min(15);
                let length = row.trailing_ones();
                row = row.checked_shr(length).unwrap_or(0);
                (length > 0).then_some(length as u8)
            })
        };
        self.rows.iter().copied().flat_map(of_row).collect()
    }

    /// All moves, in order of row, first stick, and further sticks.
    pub fn strikes(&self) -> Vec<Strike> {
        let mut strikes = Vec::new();
        for row in 1..=self.rows() {
            for first in 1..=row {
                let places = first..=row;
                let standing = places.take_while(|&place| self.stands(row, place)).count() as u8;
                strikes.extend((0..standing).map(|further| Strike { row, first, further }));
            }
        }
        strikes
    }

    /// The board after a move.
    ///
    /// # Errors
    /// [`StrikeError`] if there is no such row or place, or one of the sticks is struck already.
    pub fn after(&self, strike: Strike) -> Result<Board, StrikeError> {
        let Strike { row, first, further } = strike;
        if !(1..=self.rows()).contains(&row) {
            return Err(StrikeError::NoRow { row, rows: self.rows() });
        }
        let last = u16::from(first) + u16::from(further);
        if first == 0 || last > row.into() {
            let place = if first == 0 { 0 } else { (u16::from(row) + 1).max(first.into()) };
            return Err(StrikeError::NoPlace { row, place });
        }
        let mut after = self.clone();
        for place in strike.places() {
            if !self.stands(row, place) {
                return Err(StrikeError::Struck { row, place });
            }
            after.rows[usize::from(row) - 1] &= !(1 << (place - 1));
        }
        Ok(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> Board {
        let rows = text.split('/').count() as u8;
        Board::parse(text, Rows::try_from(rows).unwrap()).unwrap()
    }

    #[test]
    fn gaps_separate_segments() {
        for (text, segments) in [
            ("|/||/|||", "1 2 3"),
            ("|/||/|.|", "1 1 1 2"),
            ("./../.../|..|", "1 1"),
            ("./../...", "-"),
            ("./../.../||||/....|/..||../.......", "1 2 4"),
        ] {
            assert_eq!(board(text).segments().to_string(), segments, "{text}");
        }
        let twelve = Board::start(Rows::try_from(12).unwrap());
        assert_eq!(twelve.segments(), Segments::start(Rows::try_from(12).unwrap()));
        assert_eq!(twelve.sticks(), 78);
    }

    #[test]
    fn moves_strike_neighbours_only() {
        let moves: Vec<_> = board("./.|/|.|").strikes().iter().map(Strike::to_string).collect();
        assert_eq!(moves, ["[2,2,0]", "[3,1,0]", "[3,3,0]"]);
        let moves: Vec<_> = board("|/..").strikes().iter().map(Strike::to_string).collect();
        assert_eq!(moves, ["[1,1,0]"]);
        let moves: Vec<_> = board("./..").strikes();
        assert_eq!(moves, []);
        let moves: Vec<_> = board("./../|||").strikes().iter().map(Strike::to_string).collect();
        assert_eq!(moves, ["[3,1,0]", "[3,1,1]", "[3,1,2]", "[3,2,0]", "[3,2,1]", "[3,3,0]"]);
    }

    #[test]
    fn moves_that_are_not_allowed_say_why() {
        let start = board("|/||/|.|");
        let after = |row, first, further| start.after(Strike { row, first, further });
        assert_eq!(after(2, 1, 1).unwrap().to_string(), "|/../|.|");
        assert_eq!(after(3, 3, 0).unwrap().to_string(), "|/||/|..");
        assert_eq!(after(3, 1, 2), Err(StrikeError::Struck { row: 3, place: 2 }));
        assert_eq!(after(0, 1, 0), Err(StrikeError::NoRow { row: 0, rows: 3 }));
        assert_eq!(after(4, 1, 0), Err(StrikeError::NoRow { row: 4, rows: 3 }));
        assert_eq!(after(2, 0, 1), Err(StrikeError::NoPlace { row: 2, place: 0 }));
        assert_eq!(after(2, 2, 1), Err(StrikeError::NoPlace { row: 2, place: 3 }));
        assert_eq!(after(2, 9, 255), Err(StrikeError::NoPlace { row: 2, place: 9 }));
    }
}
