//! From the shards of a finished job to a table.
//!
//! The shards' frames are copied as they are, in the order of the entries; nothing is
//! compressed again, so the table does not depend on how the job was cut into units. The
//! manifest comes last: an interrupted merge leaves a folder that is no table yet. So that
//! shards and table need not both fit on the disk, shards whose data file is durable are
//! removed (in tables of one column); the next merge then goes on after those files.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::shard::Shard;
use retrotab_tablefmt::{TableError, TableWriter};

use crate::error::CoordinatorError;
use crate::ids::UnitId;
use crate::job::{Job, JobStatus};
use crate::plan::Plan;
use crate::shards::{Merged, bad_or_refused};

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
    fail::fail_point!("merge::started", |_| std::process::abort());
    let plan = job.plan();
    let mut merged = job.shard_store().merged()?;
    let (spec, layout) = (plan.spec().clone(), plan.layout().clone());
    let mut writer = TableWriter::resume(table, spec, layout, merged.files)
        .map_err(|error| forget_damaged(job, merged, error))?;
    let columns = plan.layout().columns.len() as u64;
    let shards = columns * u64::from(plan.graph().unit_count());
    let mut reached = MergeProgress { shards, ..MergeProgress::default() };
    for _ in 0..columns {
        for unit in plan.graph().units().skip(merged.units as usize) {
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
            fail::fail_point!("merge::appended", |_| std::process::abort());
            reached.shards_done += 1;
            let (entries, files) = writer.durable();
            if columns == 1 && files > merged.files {
                merged = Merged { files, units: units_within(plan, entries) };
                job.shard_store().set_merged(merged)?;
            }
        }
    }
    progress(reached);
    Ok(writer.finish(job.made()?)?)
}

/// How many units, the first ones, are wholly within the first `entries` of the table.
fn units_within(plan: &Plan, entries: u64) -> u32 {
    let end = |&unit: &UnitId| plan.layout().entries_of(&plan.graph().range(unit)).end;
    plan.graph().units().take_while(|unit| end(unit) <= entries).count() as u32
}

/// A data file from before that is damaged or gone takes its shards with it: their units go
/// out again, as a bad shard's does.
fn forget_damaged(job: &Job, merged: Merged, error: TableError) -> CoordinatorError {
    let lost = matches!(error, TableError::Corrupt { .. } | TableError::MissingFile { .. });
    if !lost || merged.units == 0 {
        return CoordinatorError::Table(error);
    }
    let unit = UnitId(0);
    match job.reopen(unit, &error.to_string()) {
        Ok(()) => CoordinatorError::BadStoredShard { unit, what: error.to_string() },
        Err(error) => error,
    }
}

/// Tells a bad shard from a table that cannot be written.
fn whose_fault(unit: UnitId, shard: &Shard, error: TableError) -> CoordinatorError {
    match &error {
        TableError::Corrupt { path, .. } | TableError::Io { path, .. } if path == shard.path() => {
            bad_or_refused(unit, error)
        }
        _ => CoordinatorError::Table(error),
    }
}
