//! Solving units one after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::sticks::{Ranking, SticksSpec};

use super::level::{self, Levels};
use crate::error::{InputError, SolveError};
use crate::progress::Progress;
use crate::units::ValueSource;

/// Solves units of one stick table, in any order; cheapest in order of sections. The levels
/// below are kept whole: none of them has more than half a megabyte.
pub struct SticksUnits {
    ranking: Arc<Ranking>,
    memory: u64,
    kept: Kept,
}

/// Levels by their sticks.
#[derive(Default)]
struct Kept(BTreeMap<u8, Vec<u8>>);

impl Levels for Kept {
    fn level(&self, sticks: u8) -> &[u8] {
        &self.0[&sticks]
    }
}

impl SticksUnits {
    /// A solver for units of a table, in so many bytes of memory.
    pub fn new(spec: SticksSpec, memory: u64) -> Self {
        SticksUnits { ranking: Ranking::of(spec), memory, kept: Kept::default() }
    }

    /// The values of the entries `unit` of section number `section`, computed on the threads
    /// of the rayon pool this is called in.
    ///
    /// # Errors
    /// [`SolveError::Input`] if there is too little memory, or `source` cannot give the levels
    /// below; [`SolveError::Stopped`] if `progress` says so.
    pub fn solve(
        &mut self,
        section: SectionId,
        unit: Range<u64>,
        source: &dyn ValueSource,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, SolveError> {
        // Section n has the positions of n sticks.
        let sticks = section.0 as u8;
        let named = |source| SolveError::Input { section: sticks.to_string(), source };
        self.keep_below(sticks, unit.end - unit.start, source).map_err(named)?;
        let run = unit.start as u32..unit.end as u32;
        level::solve(&self.ranking, sticks, run, &self.kept, progress)
    }

    /// Keeps the levels that a move from a level leads to, and no others.
    fn keep_below(
        &mut self,
        sticks: u8,
        unit: u64,
        source: &dyn ValueSource,
    ) -> Result<(), InputError> {
        let below = self.ranking.spec().sticks_after_a_move(sticks);
        let levels: u64 = below.clone().map(|sticks| self.ranking.entries_with(sticks)).sum();
        // The values, and their compressed form while the unit before is still being stored.
        self.check_memory(levels + 3 * unit + FIXED)?;
        self.kept.0.retain(|sticks, _| below.contains(sticks));
        for sticks in below {
            if self.kept.0.contains_key(&sticks) {
                continue;
            }
            let mut level = vec![0; self.ranking.entries_with(sticks) as usize];
            let read = source.read(SectionId(sticks.into()), 0, 0, &mut level);
            read.map_err(|source| InputError::Fetch { section: sticks.to_string(), source })?;
            self.kept.0.insert(sticks, level);
        }
        Ok(())
    }

    fn check_memory(&self, needed: u64) -> Result<(), InputError> {
        if needed <= self.memory {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(InputError::Memory { needed: mib(needed), allowed: mib(self.memory) })
    }
}

/// Bytes for code, the ranking, and the like.
const FIXED: u64 = 16 << 20;
