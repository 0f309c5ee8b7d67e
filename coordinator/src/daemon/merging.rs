//! From finished jobs to tables.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use retrotab_tablefmt::manifest::Manifest;

use crate::error::CoordinatorError;
use crate::job::{Job, JobStatus};
use crate::merge::merge;

use super::Daemon;
use super::entry::{Entry, Stage};

impl Daemon {
    /// Puts the tables of all finished jobs together. To be called again and again from a
    /// thread of its own: a merge that fails, for lack of space for example, is tried again.
    /// `cancel` ends it early; the next one goes on from there. Says whether one has failed and
    /// should rest for a while.
    pub fn merge_finished(&self, cancel: &AtomicBool) -> bool {
        let mut failed = false;
        for entry in self.entries() {
            let Stage::Open(job) = entry.stage() else { continue };
            if job.status() != JobStatus::Finished {
                continue;
            }
            let merged = self.merge_one(&entry, &job, cancel);
            self.metrics().merge_over(&entry.file().name);
            match merged {
                Ok(manifest) => self.finish(&entry, job, &manifest),
                Err(CoordinatorError::Cancelled) => break,
                Err(CoordinatorError::BadStoredShard { unit, what }) => {
                    entry.note(format!("the stored shard of unit {unit} is bad: {what}"), true);
                }
                Err(error) => {
                    tracing::error!(job = entry.digest.short(), %error, "cannot put the table together");
                    let text = format!("cannot put the table together: {error}; trying again");
                    entry.set_trouble(text);
                    failed = true;
                }
            }
        }
        failed
    }

    fn merge_one(
        &self,
        entry: &Entry,
        job: &Job,
        cancel: &AtomicBool,
    ) -> Result<Manifest, CoordinatorError> {
        if let Some(manifest) = super::finished(&entry.table)? {
            // A kill came between the manifest and the removal of the work folder.
            return Ok(manifest);
        }
        tracing::info!(job = entry.digest.short(), "putting the table together");
        let (total, name) = (job.stored_bytes()?, entry.file().name);
        merge(job, &entry.table, cancel, &mut |progress| {
            self.metrics().merging(&name, progress);
            let percent = 100 * progress.bytes.min(total) / total.max(1);
            entry.set_trouble(format!("putting the table together: {percent} %"));
        })
    }

    /// The table is there; the work folder goes.
    fn finish(&self, entry: &Entry, job: Arc<Job>, manifest: &Manifest) {
        fail::fail_point!("merge::finished", |_| std::process::abort());
        tracing::info!(job = entry.digest.short(), identity = %manifest.identity,
            table = %entry.table.display(), "table finished");
        entry.note(format!("table finished: identity {}", manifest.identity), false);
        entry.set_trouble(String::new());
        drop(job);
        if let Err(error) = self.close(entry, Stage::finished(manifest)) {
            tracing::warn!(job = entry.digest.short(), %error, "the work folder stays");
            return;
        }
        if let Err(error) = self.data.remove_work(entry.digest) {
            tracing::warn!(job = entry.digest.short(), %error, "the work folder stays");
        }
    }
}
