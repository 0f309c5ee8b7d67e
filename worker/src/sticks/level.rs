//! Solving a run of positions of one level.

use std::ops::Range;

use rayon::prelude::*;
use retrotab_tablefmt::sticks::{Best, Ranking, Value};

use crate::error::SolveError;
use crate::progress::Progress;

/// Positions that a thread solves at a time.
const BATCH: usize = 1024;

/// The values of whole levels.
pub(super) trait Levels: Sync {
    /// The values of all positions of so many sticks.
    fn level(&self, sticks: u8) -> &[u8];
}

/// The values of a run of the positions of `sticks` sticks, computed on the threads of the
/// rayon pool this is called in; `below` has the levels that a move may lead to.
pub(super) fn solve(
    ranking: &Ranking,
    sticks: u8,
    run: Range<u32>,
    below: &impl Levels,
    progress: &dyn Progress,
) -> Result<Vec<u8>, SolveError> {
    let mut values = vec![0; run.len()];
    values.par_chunks_mut(BATCH).enumerate().try_for_each(|(i, out)| {
        if progress.stopped() {
            return Err(SolveError::Stopped);
        }
        for (index, value) in (run.start + (i * BATCH) as u32..).zip(&mut *out) {
            *value = best(ranking, sticks, index, below).0;
        }
        progress.advance(out.len() as u64);
        Ok(())
    })?;
    Ok(values)
}

/// The value of one position by those of all positions a move leads to.
fn best(ranking: &Ranking, sticks: u8, index: u32, below: &impl Levels) -> Value {
    let position = ranking.unrank_in_section(sticks, index);
    let mut best = Best::default();
    ranking.ranks_after_moves(&position, sticks, |left, rank| {
        best.see(Value(below.level(left)[rank as usize]));
    });
    best.value()
}
