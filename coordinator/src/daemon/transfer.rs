//! Shards that go out to workers and come in from them.

use std::sync::Arc;

use retrotab_proto::v1::SubmitHeader;
use retrotab_tablefmt::shard::{JobDigest, Shard, longest_shard};

use crate::error::CoordinatorError;
use crate::ids::{LeaseId, ShardDigest, UnitId};
use crate::job::{Committed, Job};
use crate::scheduler::{Ended, WorkerName};

use super::Daemon;
use super::error::DaemonError;

/// Units that can be asked for at a time.
const MAX_LOCATED: usize = 4096;

/// A shard that is coming in: whose it is has been checked, its bytes have not.
pub struct Upload {
    job: Arc<Job>,
    digest: JobDigest,
    worker: u64,
    lease: LeaseId,
    unit: UnitId,
    expected: ShardDigest,
}

impl Upload {
    /// Bytes that are to come.
    pub fn length(&self) -> u64 {
        self.expected.length
    }

    /// Tells on every line of the log what it is about.
    fn span(&self) -> tracing::Span {
        let worker = format!("{:016x}", self.worker);
        tracing::info_span!("submit", job = self.digest.short(), unit = self.unit.0, lease = %self.lease, worker)
    }
}

impl Daemon {
    /// Which bytes the shards of units have; `None` for units that are not done.
    ///
    /// # Errors
    /// [`DaemonError::UnknownJob`], [`DaemonError::NotOpen`]; [`DaemonError::Request`] if too
    /// much is asked for.
    pub fn locate(
        &self,
        job: &[u8],
        units: &[u32],
    ) -> Result<Vec<(UnitId, Option<ShardDigest>)>, DaemonError> {
        if units.len() > MAX_LOCATED {
            let what = format!("at most {MAX_LOCATED} units can be located at a time");
            return Err(DaemonError::Request(what));
        }
        let job = self.by_digest(job)?.open()?;
        let shard = |unit| (unit, job.result(unit).map(|result| result.shard));
        Ok(units.iter().map(|&unit| shard(UnitId(unit))).collect())
    }

    /// A done unit's shard, for sending its bytes as they are stored.
    ///
    /// # Errors
    /// [`DaemonError::UnknownJob`], [`DaemonError::NotOpen`], [`DaemonError::NotDone`];
    /// [`DaemonError::Job`] if the shard is bad: its unit then goes out again.
    pub fn shard(&self, job: &[u8], unit: UnitId) -> Result<(ShardDigest, Shard), DaemonError> {
        let job = self.by_digest(job)?.open()?;
        let result = job.result(unit).ok_or(DaemonError::NotDone(unit))?;
        Ok((result.shard, job.shard(unit)?))
    }

    /// A worker is about to submit a shard: it must be the lease's holder, and the shard must
    /// not be longer than the unit can make it.
    ///
    /// # Errors
    /// [`DaemonError::UnknownWorker`], [`DaemonError::UnknownJob`], [`DaemonError::NotOpen`],
    /// [`DaemonError::UnknownLease`], [`DaemonError::NotLeased`], [`DaemonError::Request`].
    pub fn begin_submit(&self, header: &SubmitHeader) -> Result<Upload, DaemonError> {
        let entry = self.by_digest(&header.job_digest)?;
        let (lease, unit) = (LeaseId(header.lease), UnitId(header.unit));
        let key = (entry.digest, lease);
        let leased = self.workers().called(self.now(), header.worker)?.leased(key)?;
        if leased != unit {
            return Err(DaemonError::NotLeased { lease, unit });
        }
        let expected = ShardDigest::of_message(header.digest.as_ref())
            .map_err(|what| DaemonError::Request(what.to_owned()))?;
        let range = entry.plan.unit(unit).ok_or(DaemonError::NotLeased { lease, unit })?;
        let most = longest_shard(entry.plan.layout(), range);
        if expected.length > most {
            return Err(DaemonError::Request(format!(
                "the shard of unit {unit} cannot have {} bytes, only up to {most}",
                expected.length
            )));
        }
        let (job, digest, worker) = (entry.open()?, entry.digest, header.worker);
        Ok(Upload { job, digest, worker, lease, unit, expected })
    }

    /// The shard's bytes are here. When this returns `Ok`, they are durable, and the worker is
    /// told whose equal shard came first, if that is another's.
    ///
    /// # Errors
    /// [`DaemonError::Garbled`] if they are not the bytes announced; [`DaemonError::Job`] for
    /// whatever [`Job::commit`] says.
    pub fn finish_submit(
        &self,
        upload: Upload,
        bytes: Vec<u8>,
    ) -> Result<Option<WorkerName>, DaemonError> {
        let _in_span = upload.span().entered();
        let Upload { job, digest, worker, lease, unit, expected } = upload;
        let found = ShardDigest::of(&bytes);
        if found != expected {
            return Err(DaemonError::Garbled { unit, found, expected });
        }
        fail::fail_point!("submit::received", |_| std::process::abort());
        let committed = job.commit_known(lease, bytes, found);
        self.submitted(committed, (digest, lease), worker, expected.length)
    }

    /// A worker has put its shard into the shared store. As
    /// [`finish_submit`](Self::finish_submit).
    ///
    /// # Errors
    /// [`DaemonError::Job`] for whatever [`Job::commit_stored`] says.
    pub fn finish_stored(&self, upload: Upload) -> Result<Option<WorkerName>, DaemonError> {
        let _in_span = upload.span().entered();
        let Upload { job, digest, worker, lease, expected, .. } = upload;
        let committed = job.commit_stored(lease, expected);
        self.submitted(committed, (digest, lease), worker, expected.length)
    }

    /// Counts and tells what became of a submitted shard.
    fn submitted(
        &self,
        committed: Result<Committed, CoordinatorError>,
        lease: (JobDigest, LeaseId),
        worker: u64,
        bytes: u64,
    ) -> Result<Option<WorkerName>, DaemonError> {
        if let Err(CoordinatorError::BadShard { what, .. }) = &committed {
            self.metrics().shard_refused();
            tracing::warn!(what, "a shard was refused");
        }
        let committed = committed?;
        if committed == Committed::First {
            self.metrics().shard_stored(bytes);
            self.metrics().lease_ended(Ended::Completed);
        }
        if let Ok(worker) = self.workers().called(self.now(), worker) {
            worker.completed(self.now(), lease);
        }
        fail::fail_point!("submit::before-answer", |_| std::process::abort());
        Ok(match committed {
            Committed::First => None,
            Committed::Identical { first_worker } => Some(first_worker),
        })
    }
}
