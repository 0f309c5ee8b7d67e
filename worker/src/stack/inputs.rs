//! Solving units one after the other within a bound of memory.
//!
//! Of the sections below, the rows that only their own row needs are loaded for each unit; the
//! other section is kept from unit to unit, in memory when it fits and in a scratch file when
//! it does not.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use retrotab_tablefmt::stack::{Ranking, Section, SectionLayout, StackSpec};
use tracing::debug;

use super::context::SectionContext;
use super::rows::{MemoryRows, RowSource, SpilledRows};
use super::simd::{Isa, LANES};
use super::square::EntrySource;
use super::triangle::GROUP;
use super::unit::{Buffers, SolvedUnit, Solver};
use crate::error::{InputError, SolveError};
use crate::progress::Progress;

/// What a worker may use.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Bytes of memory.
    pub memory: u64,
    /// Folder for scratch files.
    pub scratch: PathBuf,
    /// Instructions.
    pub isa: Isa,
}

/// Solves units of one stack table, in any order; cheapest in order of sections.
pub struct StackUnits {
    ranking: Arc<Ranking>,
    resources: Resources,
    current: Option<Current>,
    buffers: Buffers,
}

/// The section being solved, and the one below it that all its units need.
struct Current {
    context: SectionContext,
    kept: Box<dyn RowSource + Send>,
}

impl StackUnits {
    /// A solver for units of a table.
    pub fn new(spec: StackSpec, resources: Resources) -> Self {
        let ranking = Arc::new(Ranking::new(spec));
        StackUnits { ranking, resources, current: None, buffers: Buffers::default() }
    }

    /// The ranking of the table's positions.
    pub fn ranking(&self) -> Arc<Ranking> {
        Arc::clone(&self.ranking)
    }

    /// The values of the entries `unit` of section number `section`, computed on the threads
    /// of the rayon pool this is called in.
    ///
    /// # Errors
    /// [`SolveError::Input`] if `source` cannot give the sections below, there is too little
    /// memory, or the scratch file fails; [`SolveError::Stopped`] if `progress` says so.
    pub fn solve(
        &mut self,
        section: usize,
        unit: Range<u64>,
        source: &dyn EntrySource,
        progress: &dyn Progress,
    ) -> Result<SolvedUnit, SolveError> {
        let found = self.ranking.sections().nth(section).map(|(_, layout)| layout.section());
        let section = found.expect("a section of the table");
        if section.rows == 0 {
            return Ok(SolvedUnit::won());
        }
        let named = |source| SolveError::Input { section: section.to_string(), source };
        if self.current.as_ref().is_none_or(|current| current.context.section() != section) {
            self.current = None;
            // Those of another section have other sizes, and would stay beside the new ones.
            self.buffers = Buffers::default();
            let context = SectionContext::new(&self.ranking, section);
            let kept = self.keep(&context, &unit, source).map_err(named)?;
            self.current = Some(Current { context, kept });
        }
        let Current { context, kept } = self.current.as_ref().expect("it was just set");
        let kept: &dyn RowSource = kept.as_ref();
        let solver = Solver::new(context, self.resources.isa, &self.buffers);
        if section.is_triangular() {
            return solver.solve(unit, Some(kept), None, progress);
        }
        let (first, last) = solver.rows(unit.clone());
        let layout = context.layout();
        let rows = layout.row_number(first)..layout.row_number(last) + 1;
        let same = match context.same_rows() {
            Some(below) => {
                Some(MemoryRows::load(&self.ranking, below, rows, source).map_err(named)?)
            }
            None => None,
        };
        let same = same.as_ref().map(|rows| rows as &dyn RowSource);
        solver.solve(unit, same, Some(kept), progress)
    }

    /// Takes back the memory of a solved unit.
    pub fn recycle(&self, unit: SolvedUnit) {
        self.buffers.recycle(unit);
    }

    /// Loads the section that every unit of a section needs.
    fn keep(
        &self,
        context: &SectionContext,
        unit: &Range<u64>,
        source: &dyn EntrySource,
    ) -> Result<Box<dyn RowSource + Send>, InputError> {
        let below = context.other_rows().or(context.same_rows());
        let below = below.expect("every section but the first has one below");
        let layout = self.ranking.section(below);
        let size = 2 * layout.square_entries();
        let working = self.working_set(context, unit);
        if size + working <= self.resources.memory {
            debug!(section = %below, bytes = size, "loading into memory");
            let rows = 0..layout.rows();
            return Ok(Box::new(MemoryRows::load(&self.ranking, below, rows, source)?));
        }
        let arenas = self.arenas(layout);
        let needed = working + arenas;
        if needed > self.resources.memory {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            let (needed, allowed) = (mib(needed), mib(self.resources.memory));
            return Err(InputError::Memory { needed, allowed });
        }
        let chunk = (self.resources.memory - working) / 2;
        debug!(section = %below, bytes = size, "loading into a scratch file");
        let folder = &self.resources.scratch;
        Ok(Box::new(SpilledRows::load(&self.ranking, below, chunk, folder, source)?))
    }

    /// Bytes that solving a unit takes besides the section that is kept.
    fn working_set(&self, context: &SectionContext, unit: &Range<u64>) -> u64 {
        let threads = rayon::current_num_threads() as u64;
        let entries = unit.end - unit.start;
        // The values and their compressed form, in frames and as a shard, beside the shards of
        // the two units before: one waits, one is being stored.
        let values = 5 * 2 * entries;
        let below = context.same_rows();
        let width = |section: Section| widest(self.ranking.section(section));
        let width = below.map_or(0, width);
        let beside = 2 * LANES as u64 * width;
        let rows = entries / widest(context.layout()).max(1) + 2;
        let window = if context.section().is_triangular() {
            // Narrow rows mean more of them; on the average they are half as wide.
            2 * (2 * rows + (GROUP * LANES) as u64) * width
        } else {
            2 * rows * width
        };
        values + window + threads * beside + FIXED
    }

    /// Bytes of rows that the threads copy out of a scratch file at a time.
    fn arenas(&self, layout: &SectionLayout) -> u64 {
        let spec = self.ranking.spec();
        let children = u64::from(spec.stacks.get()) * u64::from(layout.section().rows) + 1;
        let rows = LANES as u64 * children.div_ceil(2);
        rayon::current_num_threads() as u64 * rows * 2 * widest(layout)
    }
}

/// Bytes for code, tables of moves, and the like.
const FIXED: u64 = 64 << 20;

/// Columns of the widest row.
fn widest(layout: &SectionLayout) -> u64 {
    u64::from(layout.width(layout.row(0).kind))
}
