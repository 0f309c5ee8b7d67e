//! The values of finished sections, for the solver.

use std::sync::Arc;

use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::shard::{Shard, UnitId};
use tokio::runtime::Handle;

use super::error::{FetchError, is_damage};
use super::held::Held;
use super::inputs::{Inputs, unreadable};
use crate::units::ValueSource;

/// The values that one unit needs, read on the solver's threads; what is not in the cache is
/// waited for there.
pub(crate) struct FetchedValues {
    pub(crate) runtime: Handle,
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) held: Arc<Held>,
}

impl FetchedValues {
    fn read_bytes(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        mut out: &mut [u8],
    ) -> Result<(), FetchError> {
        let job = &self.held.job;
        let none = FetchError::NoSuchByte { section: section.0, byte: from };
        let Some(width) = job.layout.columns.get(column).map(|column| column.entry.bytes()) else {
            return Err(none);
        };
        let end = from + out.len() as u64;
        let entries = from / width..end.div_ceil(width);
        let whole = job.layout.sections.get(section.0 as usize).map_or(0, |s| s.entries);
        if entries.end > whole {
            return Err(none);
        }
        let mut at = from;
        for unit in job.units_of(section, entries) {
            let range = job.range(unit).expect("a unit of the section").range();
            let (start, stop) = (range.start * width, range.end * width);
            let (now, later) = out.split_at_mut((stop.min(end) - at) as usize);
            self.read_unit(unit, column, at - start, now)?;
            at += now.len() as u64;
            out = later;
        }
        Ok(())
    }

    /// Reads from one unit's shard; one that turns out to be damaged is fetched again once.
    fn read_unit(
        &self,
        unit: UnitId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), FetchError> {
        let shard = self.open(unit)?;
        match shard.read_raw(column, from, out) {
            Ok(()) => return Ok(()),
            Err(error) if is_damage(&error) => {
                tracing::warn!(input = unit.0, "{error}; fetching it again");
                drop(shard);
                self.wait(self.inputs.forget(&self.held, unit))?;
            }
            Err(error) => return Err(unreadable(unit, error)),
        }
        let again = self.open(unit)?.read_raw(column, from, out);
        again.map_err(|error| unreadable(unit, error))
    }

    fn open(&self, unit: UnitId) -> Result<Shard, FetchError> {
        self.wait(self.inputs.open(&self.held, unit))
    }

    /// Waits for the network, but not longer than the unit is wanted.
    fn wait<T>(&self, work: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
        self.runtime.block_on(async {
            tokio::select! {
                () = self.held.dropped().cancelled() => Err(FetchError::Dropped),
                done = work => done,
            }
        })
    }
}

impl ValueSource for FetchedValues {
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.read_bytes(section, column, from, out)?)
    }
}
