//! From a unit to its shard, for tables of every family.

use std::sync::Arc;

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::layout::{EntryType, SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::shard::{JobDigest, UnitId, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Ranking, Section};

use crate::error::{InputError, SolveError};
use crate::hands::HandsUnits;
use crate::progress::Progress;
use crate::stack::{EntrySource, Resources, StackUnits};
use crate::sticks::SticksUnits;

/// Gives the raw values of finished sections: a shard store, a cache, or a network.
pub trait ValueSource: Sync {
    /// Fills `out` with the raw bytes of a column of `section` from byte `from` on, counted
    /// from the start of the section.
    ///
    /// # Errors
    /// Whatever keeps the source from giving them.
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// Why a unit has no shard.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// It could not be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Its shard could not be built.
    #[error(transparent)]
    Shard(#[from] TableError),
}

/// Solves units of one job, one at a time.
pub struct UnitSolver {
    layout: TableLayout,
    job: JobDigest,
    family: Family,
}

enum Family {
    Stack(Box<StackUnits>),
    Sticks(SticksUnits),
    Hands(HandsUnits),
}

impl UnitSolver {
    /// A solver for the units of the job that makes a table.
    pub fn new(spec: &TableSpec, job: JobDigest, resources: Resources) -> Self {
        let family = match *spec {
            TableSpec::Stack(spec) => Family::Stack(Box::new(StackUnits::new(spec, resources))),
            TableSpec::Sticks(spec) => Family::Sticks(SticksUnits::new(spec, resources.memory)),
            TableSpec::Hands(spec) => Family::Hands(HandsUnits::new(spec.game, resources.isa)),
        };
        UnitSolver { layout: spec.layout(), job, family }
    }

    /// The shard of a unit, computed on the threads of the rayon pool this is called in. The
    /// bytes depend on nothing but the job and the unit.
    ///
    /// # Errors
    /// [`UnitError::Solve`] if an input cannot be had, or `progress` says to stop;
    /// [`UnitError::Shard`], which is a bug, if the range is no unit of the table.
    pub fn solve(
        &mut self,
        unit: UnitId,
        range: UnitRange,
        source: &dyn ValueSource,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, UnitError> {
        let section = range.section.0 as usize;
        let encode = |columns: &[&[u8]]| encode_shard(self.job, unit, range, &self.layout, columns);
        match &mut self.family {
            Family::Stack(units) => {
                let entries = StackEntries { ranking: units.ranking(), source };
                let solved = units.solve(section, range.range(), &entries, progress)?;
                debug_assert_eq!(self.layout.columns[0].entry, EntryType::U16);
                let shard = encode(&[little_endian(solved.values())])?;
                units.recycle(solved);
                Ok(shard)
            }
            Family::Hands(units) => {
                let solved = units.solve(section, range.range(), progress)?;
                let (win, tie) = (little_endian(solved.win()), little_endian(solved.tie()));
                Ok(encode(&[win, tie, solved.placements()])?)
            }
            Family::Sticks(units) => {
                debug_assert_eq!(self.layout.columns[0].entry, EntryType::U8);
                let solved = units.solve(range.section, range.range(), source, progress)?;
                Ok(encode(&[&solved])?)
            }
        }
    }
}

/// The bytes of values as they are stored.
fn little_endian<T: bytemuck::NoUninit>(values: &[T]) -> &[u8] {
    const { assert!(cfg!(target_endian = "little"), "values are stored little-endian") };
    bytemuck::cast_slice(values)
}

/// Entries of stack sections from a source of raw values.
struct StackEntries<'a> {
    ranking: Arc<Ranking>,
    source: &'a dyn ValueSource,
}

impl EntrySource for StackEntries<'_> {
    fn read(&self, section: Section, first: u64, out: &mut [u16]) -> Result<(), InputError> {
        let id = SectionId(self.ranking.section_number(section) as u32);
        let bytes = bytemuck::cast_slice_mut(out);
        let read = self.source.read(id, 0, 2 * first, bytes);
        read.map_err(|source| InputError::Fetch { section: section.to_string(), source })
    }
}
