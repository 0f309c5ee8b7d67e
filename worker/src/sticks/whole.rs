//! A whole table in memory.

use std::sync::Arc;

use retrotab_tablefmt::sticks::{Ranking, Segments, SticksSpec, Value};

use super::level::{self, Levels};

/// The values of every position of a table, one byte each.
pub struct WholeTable {
    ranking: Arc<Ranking>,
    /// By number of sticks.
    levels: Vec<Vec<u8>>,
}

impl Levels for Vec<Vec<u8>> {
    fn level(&self, sticks: u8) -> &[u8] {
        &self[usize::from(sticks)]
    }
}

impl WholeTable {
    /// Solves the positions of at most `most` sticks, on the threads of the rayon pool this is
    /// called in.
    pub fn solve(spec: SticksSpec, most: u8) -> Self {
        let ranking = Ranking::of(spec);
        let mut levels = Vec::new();
        for sticks in 0..=most.min(spec.rows.sticks()) {
            let all = 0..ranking.entries_with(sticks) as u32;
            let values = level::solve(&ranking, sticks, all, &levels, &());
            let values = values.expect("nobody stops it and no input is fetched");
            levels.push(values);
        }
        WholeTable { ranking, levels }
    }

    /// The ranking of the positions.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The values of all positions of so many sticks, in order, or `None` if they are not
    /// solved.
    pub fn level(&self, sticks: u8) -> Option<&[u8]> {
        self.levels.get(usize::from(sticks)).map(Vec::as_slice)
    }

    /// The value of a position, or `None` if it is not solved or not of the table.
    pub fn value(&self, position: &Segments) -> Option<Value> {
        let sticks = u8::try_from(position.sticks()).ok()?;
        let level = self.level(sticks)?;
        let rank = self.ranking.rank_in_section(position, sticks)?;
        Some(Value(level[rank as usize]))
    }
}
