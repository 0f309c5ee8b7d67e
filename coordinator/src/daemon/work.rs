//! What workers say about units: lease, progress, end.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use retrotab_proto::v1::{
    EndedLease, HeartbeatRequest, LeaseProgress, RegisterRequest, RegisterResponse,
};
use retrotab_tablefmt::objects::SharedStore;
use retrotab_tablefmt::shard::JobDigest;

use crate::error::CoordinatorError;
use crate::ids::{LeaseId, UnitId, WorkerId};
use crate::job::{Job, JobStatus};
use crate::scheduler::{Ended, Grant, HeartbeatAnswer, LeaseAnswer, ReclaimAnswer, Refused};

use super::Daemon;
use super::check_protocol;
use super::entry::{Entry, Stage};
use super::error::DaemonError;
use super::workers::printable;

/// How often a worker that has nothing to do asks again.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// The same, if there is no job at all.
const ASK_LATER: Duration = Duration::from_secs(2);
/// A worker that has not called for so many lease times has gone.
const SILENT_LEASE_TIMES: u32 = 2;
/// Heartbeats in a lease time.
const BEATS: u32 = 6;
const SLOWEST_BEAT: Duration = Duration::from_secs(5);

/// A unit for a worker, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseReply {
    /// Compute this unit of this job.
    Granted(JobDigest, Grant),
    /// Nothing to do now.
    Idle {
        /// Why, for people.
        reason: String,
        /// When to ask again.
        retry: Duration,
    },
}

/// The answer to a worker that says which unit it still has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReclaimReply {
    /// Go on under this lease.
    Granted(LeaseId),
    /// Drop the unit, for this reason.
    Drop(String),
}

impl Daemon {
    /// A worker appears.
    ///
    /// # Errors
    /// [`DaemonError::Protocol`], [`DaemonError::TooManyWorkers`].
    pub fn register(
        &self,
        request: &RegisterRequest,
        address: Option<IpAddr>,
    ) -> Result<RegisterResponse, DaemonError> {
        check_protocol(request.protocol_version)?;
        let (id, name) = self.workers().add(self.now(), request, address)?;
        tracing::info!(worker = %name, id = format!("{id:016x}"), version = %request.version,
            threads = request.threads, "worker registered");
        let policy = &self.options.policy;
        let beat = (policy.lease_time / BEATS).min(SLOWEST_BEAT);
        Ok(RegisterResponse {
            worker: id,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            heartbeat_millis: beat.as_millis() as u32,
            lease_millis: policy.lease_time.as_millis().try_into().unwrap_or(u32::MAX),
            leases: policy.leases_per_worker as u32,
            store_url: self.options.store.as_ref().map_or("", SharedStore::url).to_owned(),
        })
    }

    /// A worker wants a unit: the first that can be had, from the jobs in order of submission.
    ///
    /// # Errors
    /// [`DaemonError::UnknownWorker`].
    pub fn lease(&self, worker: u64) -> Result<LeaseReply, DaemonError> {
        self.workers().called(self.now(), worker)?;
        let mut reason = None;
        for entry in self.entries() {
            let Some(job) = entry.running() else { continue };
            match self.lease_of(worker, &entry, &job)? {
                LeaseAnswer::Granted(grant) => {
                    let key = (entry.digest, grant.lease);
                    let mut workers = self.workers();
                    let worker = workers.called(self.now(), worker)?;
                    worker.granted(key, grant.unit, grant.range.entries);
                    self.metrics().lease_granted();
                    tracing::info!(job = entry.digest.short(), unit = grant.unit.0, lease = %grant.lease,
                        worker = %worker.name, kind = ?grant.kind, "unit leased");
                    return Ok(LeaseReply::Granted(entry.digest, grant));
                }
                LeaseAnswer::Idle(idle) => {
                    reason.get_or_insert_with(|| idle.to_string());
                }
                LeaseAnswer::Finished | LeaseAnswer::Stopped(_) => {}
            }
        }
        Ok(match reason {
            Some(reason) => LeaseReply::Idle { reason, retry: ASK_AGAIN },
            None => LeaseReply::Idle { reason: self.why_no_job(), retry: ASK_LATER },
        })
    }

    fn lease_of(
        &self,
        worker: u64,
        entry: &Entry,
        job: &Arc<Job>,
    ) -> Result<LeaseAnswer, DaemonError> {
        let known = self.in_job(worker, entry, job)?;
        match job.lease(known) {
            // The scheduler has forgotten it, because it was silent for long.
            Err(CoordinatorError::Refused(Refused::UnknownWorker(_))) => {
                self.workers().called(self.now(), worker)?.in_jobs.remove(&entry.digest);
                Ok(job.lease(self.in_job(worker, entry, job)?)?)
            }
            answer => Ok(answer?),
        }
    }

    /// A worker's id in a job; the job gets to know it if it does not yet.
    fn in_job(&self, worker: u64, entry: &Entry, job: &Job) -> Result<WorkerId, DaemonError> {
        let mut workers = self.workers();
        let worker = workers.called(self.now(), worker)?;
        let name = &worker.name;
        Ok(*worker.in_jobs.entry(entry.digest).or_insert_with(|| job.register(name)))
    }

    fn why_no_job(&self) -> String {
        let statuses = self.entries().into_iter().filter_map(|entry| match entry.stage() {
            Stage::Open(job) => Some((entry, job.status())),
            _ => None,
        });
        let mut stopped = None;
        for (entry, status) in statuses {
            match status {
                JobStatus::Stopped(_) => stopped = Some(entry.file().name),
                _ => return "all units are done; a table is being put together".to_owned(),
            }
        }
        match stopped {
            Some(name) => format!("no job is running; {name} has stopped, and its status says why"),
            None => "no job is running".to_owned(),
        }
    }

    /// A worker that was registered before a restart still has a unit.
    ///
    /// # Errors
    /// [`DaemonError::UnknownWorker`], [`DaemonError::UnknownJob`], [`DaemonError::Job`] if
    /// there is no such unit.
    pub fn reclaim(
        &self,
        worker: u64,
        job: &[u8],
        unit: UnitId,
    ) -> Result<ReclaimReply, DaemonError> {
        self.workers().called(self.now(), worker)?;
        let entry = self.by_digest(job)?;
        let job = match entry.open() {
            Ok(job) => job,
            Err(error) => return Ok(ReclaimReply::Drop(error.to_string())),
        };
        let known = self.in_job(worker, &entry, &job)?;
        Ok(match job.reclaim(known, unit)? {
            ReclaimAnswer::Granted(grant) => {
                let key = (entry.digest, grant.lease);
                let mut workers = self.workers();
                workers.called(self.now(), worker)?.granted(key, unit, grant.range.entries);
                ReclaimReply::Granted(grant.lease)
            }
            ReclaimAnswer::AlreadyDone => ReclaimReply::Drop("the unit is done".to_owned()),
            ReclaimAnswer::NotWanted => {
                ReclaimReply::Drop("the unit is not wanted now; others are at it".to_owned())
            }
        })
    }

    /// How far a worker is. Gives the leases that have ended.
    ///
    /// # Errors
    /// [`DaemonError::UnknownWorker`].
    pub fn heartbeat(&self, request: &HeartbeatRequest) -> Result<Vec<EndedLease>, DaemonError> {
        self.workers().called(self.now(), request.worker)?;
        let mut ended = Vec::new();
        let mut computed = 0_u64;
        for lease in &request.leases {
            computed = computed.saturating_add(lease.entries);
            if let Some(reason) = self.beat(request.worker, lease) {
                let (job_digest, lease) = (lease.job_digest.clone(), lease.lease);
                ended.push(EndedLease { job_digest, lease, reason });
            }
        }
        self.workers().called(self.now(), request.worker)?.reports(
            self.now(),
            computed,
            &request.doing,
        );
        Ok(ended)
    }

    /// Why a lease has ended, if it has.
    fn beat(&self, worker: u64, progress: &LeaseProgress) -> Option<String> {
        let told = || -> Result<Option<String>, DaemonError> {
            let entry = self.by_digest(&progress.job_digest)?;
            let lease = LeaseId(progress.lease);
            let key = (entry.digest, lease);
            self.workers().called(self.now(), worker)?.leased(key)?;
            let job = entry.open()?;
            job.fetching(lease, progress.fetched)?;
            let answer = job.heartbeat(lease, progress.entries)?;
            let HeartbeatAnswer::Ended(ended) = answer else { return Ok(None) };
            self.workers().called(self.now(), worker)?.ended(key);
            Ok(Some(why(ended).to_owned()))
        };
        told().unwrap_or_else(|error| Some(error.to_string()))
    }

    /// A worker gives a unit back, or says why it could not compute it.
    ///
    /// # Errors
    /// [`DaemonError::UnknownWorker`], [`DaemonError::UnknownJob`],
    /// [`DaemonError::UnknownLease`], [`DaemonError::NotOpen`].
    pub fn end_lease(
        &self,
        worker: u64,
        job: &[u8],
        lease: LeaseId,
        failure: &str,
    ) -> Result<(), DaemonError> {
        let entry = self.by_digest(job)?;
        let key = (entry.digest, lease);
        let (unit, name) = {
            let mut workers = self.workers();
            let worker = workers.called(self.now(), worker)?;
            (worker.leased(key)?, worker.name.clone())
        };
        let job = entry.open()?;
        if failure.is_empty() {
            tracing::info!(job = entry.digest.short(), unit = unit.0, %lease, worker = %name,
                "unit given back");
            job.release(lease)?;
        } else {
            job.fail(lease, &printable(failure))?;
        }
        self.workers().called(self.now(), worker)?.gave_back(key);
        Ok(())
    }

    /// A worker goes; what it holds goes out again.
    pub fn deregister(&self, worker: u64) {
        self.part_with(worker, "it said goodbye", Job::worker_left);
    }

    fn part_with(
        &self,
        worker: u64,
        why: &str,
        leave: impl Fn(&Job, WorkerId) -> Result<(), CoordinatorError>,
    ) {
        let Some(gone) = self.workers().remove(worker) else { return };
        tracing::info!(worker = %gone.name, id = format!("{worker:016x}"), why, "worker gone");
        for (digest, known) in gone.in_jobs {
            if let Some(Ok(job)) = self.find(digest).map(|entry| entry.open()) {
                // A worker that the scheduler has forgotten holds nothing.
                let _ = leave(&job, known);
            }
        }
    }

    /// Ends leases whose time is over, forgets workers that are silent, and takes samples for
    /// the rates. To be called every second or so.
    pub fn tick(&self) {
        let patience = self.options.policy.lease_time * SILENT_LEASE_TIMES;
        let silent = self.workers().silent(self.now(), patience);
        for worker in silent {
            self.part_with(worker, "it has not called for long", Job::worker_gone);
        }
        let idle = self.workers().len() == 0;
        for entry in self.entries() {
            let Some(job) = entry.running() else { continue };
            job.tick();
            entry.sample(self.now());
            if let Ok(bytes) = job.stored_bytes() {
                entry.set_stored_bytes(bytes);
            }
            let trouble = if idle { "no worker is registered; the job waits for one" } else { "" };
            entry.set_trouble(trouble.to_owned());
        }
    }
}

fn why(ended: Ended) -> &'static str {
    match ended {
        Ended::Completed => "its shard is in",
        Ended::Superseded => "another worker's shard for the unit came first",
        Ended::Expired => "it brought no progress in time",
        Ended::Failed => "it failed",
        Ended::WorkerGone => "its worker was silent for too long",
        Ended::JobStopped => "the job has stopped",
    }
}
