//! From the shards of a finished job to a table.
//!
//! The shards' frames are copied as they are, in the order of the entries; nothing is
//! compressed again, so the table does not depend on how the job was cut into units. The
//! manifest comes last: an interrupted merge leaves a folder that is no table yet, and the
//! next merge starts over and replaces what is there.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::shard::Shard;
use retrotab_tablefmt::{TableError, TableWriter};

use crate::error::CoordinatorError;
use crate::ids::UnitId;
use crate::job::{Job, JobStatus};
use crate::shards::bad_or_refused;

/// How far a merge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MergeProgress {
    /// Shards to append, over all columns.
    pub shards: u64,
    /// Shards appended.
    pub shards_done: u64,
    /// Compressed bytes written.
    pub bytes: u64,
}

/// Puts the table of a finished job together in a folder, which must not hold a table yet.
///
/// `cancel` is looked at before every shard.
///
/// # Errors
/// [`CoordinatorError::Unfinished`], [`CoordinatorError::Stopped`] if the job is not finished;
/// [`CoordinatorError::BadStoredShard`] if a shard is missing or damaged: its unit then goes
/// out again, and the merge is to be repeated; [`CoordinatorError::Cancelled`];
/// [`CoordinatorError::Table`] if there is a table already or the system refuses.
pub fn merge(
    job: &Job,
    table: &Path,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(MergeProgress),
) -> Result<Manifest, CoordinatorError> {
    match job.status() {
        JobStatus::Finished => {}
        JobStatus::Stopped(stop) => return Err(CoordinatorError::Stopped(stop)),
        JobStatus::Running => {
            let p = job.progress();
            return Err(CoordinatorError::Unfinished { left: p.units - p.units_done });
        }
    }
    let plan = job.plan();
    let mut writer = TableWriter::create(table, plan.spec().clone(), plan.layout().clone())?;
    let columns = plan.layout().columns.len() as u64;
    let shards = columns * u64::from(plan.graph().unit_count());
    let mut reached = MergeProgress { shards, ..MergeProgress::default() };
    for _ in 0..columns {
        for unit in plan.graph().units() {
            if cancel.load(Ordering::Relaxed) {
                return Err(CoordinatorError::Cancelled);
            }
            let shard = job.shard(unit)?;
            let bytes = |more| {
                reached.bytes += more;
                progress(reached);
            };
            let appended = writer.append(&shard, bytes);
            let appended = appended.map_err(|error| whose_fault(unit, &shard, error));
            job.reopen_if_bad(appended)?;
            reached.shards_done += 1;
        }
    }
    progress(reached);
    Ok(writer.finish(job.made()?)?)
}

/// Tells a bad shard from a table that cannot be written.
fn whose_fault(unit: UnitId, shard: &Shard, error: TableError) -> CoordinatorError {
    match &error {
        TableError::Corrupt { path, .. } if path == shard.path() => bad_or_refused(unit, error),
        _ => CoordinatorError::Table(error),
    }
}
