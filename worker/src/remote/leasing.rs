//! Asking for units, as many as the worker can be busy with.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retrotab_proto::v1::lease_response::Answer;
use retrotab_proto::v1::{
    EndLeaseRequest, Grant, JobPhase, LeaseRequest, LeaseResponse, ListJobsRequest,
};
use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::shard::JobDigest;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tracing::{Instrument, info, info_span, warn};

use super::backoff::{Backoff, describe};
use super::connect::Client;
use super::description::{DescriptionError, Job, job_digest};
use super::error::WorkerError;
use super::held::Held;
use super::options::Leave;
use super::session::CALL;
use super::solving::Free;
use super::streaming::within;
use super::unit::Workshop;

/// Units that are held at a time: one being solved, one whose inputs come, one being submitted.
/// The solvers count on no more finished shards than these when they count memory.
const IN_FLIGHT: usize = 3;
/// Jobs whose description is kept.
const JOBS: usize = 8;
/// How often the solver is looked at while it has too much left to do, and when nobody knows
/// how much that is.
const LOOK: Duration = Duration::from_millis(50);
/// The next unit is leased when the solver will be free in this part of a lease's time, because
/// a lease ends without progress.
const AHEAD: u32 = 4;
/// The shortest wait when there is nothing to do, and the longest.
const IDLE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(30));

/// Asks for units.
pub(crate) struct Leasing {
    workshop: Arc<Workshop>,
    leave: Leave,
    /// The newest last.
    jobs: VecDeque<Arc<Job>>,
    /// Job and section of the newest unit.
    newest: Option<(JobDigest, SectionId)>,
    idle: Arc<IdleReason>,
}

/// Why the worker has nothing to do, for people.
#[derive(Default)]
pub(crate) struct IdleReason(Mutex<String>);

impl IdleReason {
    /// The reason; empty if there is none.
    pub(crate) fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Logs a reason unless it is the one of before.
    fn set(&self, reason: &str) {
        let mut before = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *before != reason {
            reason.clone_into(&mut before);
            if !reason.is_empty() {
                info!("idle: {reason}");
            }
        }
    }
}

impl Leasing {
    pub(crate) fn new(workshop: Arc<Workshop>, leave: Leave, idle: Arc<IdleReason>) -> Leasing {
        Leasing { workshop, leave, jobs: VecDeque::new(), newest: None, idle }
    }

    /// Asks for units and has them worked on, until the worker is to leave or all is done.
    /// Returns when the last unit is.
    pub(crate) async fn run(mut self) {
        let stop = self.workshop.session.stop.clone();
        let tasks = TaskTracker::new();
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.lease_all(&tasks) => {}
        }
        tasks.close();
        tokio::select! {
            () = tasks.wait() => return,
            () = stop.cancelled() => {}
        }
        self.workshop.session.held.all().iter().for_each(|held| held.drop_unsolved());
        tasks.wait().await;
    }

    async fn lease_all(&mut self, tasks: &TaskTracker) {
        let granted = self.workshop.session.registration().answer.leases as usize;
        let in_flight = Arc::new(Semaphore::new(granted.clamp(1, IN_FLIGHT)));
        let ahead = Arc::new(Semaphore::new(1));
        let permit = |semaphore: &Arc<Semaphore>| {
            let permit = Arc::clone(semaphore).acquire_owned();
            async { permit.await.expect("it is never closed") }
        };
        let mut backoff = Backoff::new();
        loop {
            let (slot, ahead) = (permit(&in_flight).await, permit(&ahead).await);
            self.until_needed().await;
            tokio::time::sleep(self.workshop.rest.take()).await;
            match self.lease().await {
                Ok(Answer::Grant(grant)) => {
                    backoff = Backoff::new();
                    self.idle.set("");
                    self.begin(grant, (slot, ahead), tasks).await;
                }
                Ok(Answer::Idle(idle)) => {
                    backoff = Backoff::new();
                    if tasks.is_empty() {
                        self.idle.set(&idle.reason);
                    }
                    drop((slot, ahead));
                    if self.leave == Leave::WhenFinished
                        && tasks.is_empty()
                        && self.all_done().await
                    {
                        info!("all jobs are finished");
                        return;
                    }
                    let wait = Duration::from_millis(idle.retry_millis.into());
                    self.wait_for_change(wait.clamp(IDLE.0, IDLE.1)).await;
                }
                Err(text) => {
                    if tasks.is_empty() {
                        self.idle.set(&format!("cannot ask the coordinator for work: {text}"));
                    }
                    let delay = backoff.delay();
                    tokio::time::sleep(delay).await;
                }
            }
        }
    }

    /// Waits until it is time to have the next unit ready.
    async fn until_needed(&self) {
        let lease_time = self.workshop.session.registration().answer.lease_millis;
        let early = Duration::from_millis(lease_time.into()) / AHEAD;
        let solving = &self.workshop.solving;
        let is_soon = |free| matches!(free, Free::In(left) if left <= early);
        while !is_soon(solving.free()) {
            let _ = tokio::time::timeout(LOOK, solving.ended.notified()).await;
        }
    }

    /// Waits, but not beyond the moment when a unit of this worker's own is stored: others may
    /// be waiting for it.
    async fn wait_for_change(&self, most: Duration) {
        let _ = tokio::time::timeout(most, self.workshop.gone.notified()).await;
    }

    async fn lease(&self) -> Result<Answer, String> {
        let known_jobs = self.jobs.iter().map(|job| job.digest.0.to_vec()).collect();
        let call = |mut client: Client, worker| async move {
            client.lease(LeaseRequest { worker, known_jobs }).await
        };
        match self.workshop.session.call(call).await {
            Ok(LeaseResponse { answer: Some(answer) }) => Ok(answer),
            Ok(LeaseResponse { answer: None }) => Err("it gave no answer".to_owned()),
            Err(status) => Err(describe(&status)),
        }
    }

    /// Has a unit worked on.
    async fn begin(
        &mut self,
        grant: Grant,
        (slot, ahead): (OwnedSemaphorePermit, OwnedSemaphorePermit),
        tasks: &TaskTracker,
    ) {
        let held = match self.understand(&grant) {
            Ok(held) => Arc::new(held),
            Err(error) => return self.leave_for(&grant, error).await,
        };
        let this = (held.job.digest, held.range.section);
        let before = self.newest.replace(this).filter(|(job, _)| *job == this.0);
        let before = before.map(|(_, section)| section);
        let span = info_span!("unit", job = held.job.short(), unit = held.unit.0);
        let workshop = Arc::clone(&self.workshop);
        // Held from now on, not from when the task gets its turn.
        let holding = workshop.session.held.hold(Arc::clone(&held));
        let work = async move {
            workshop.work(held, before, ahead).await;
            drop((holding, slot));
        };
        tasks.spawn(work.instrument(span));
    }

    /// Finds out what a grant is about.
    fn understand(&mut self, grant: &Grant) -> Result<Held, DescriptionError> {
        let digest = job_digest(&grant.job_digest)?;
        let found = self.jobs.iter().find(|job| job.digest == digest).cloned();
        let job = match (found, &grant.job) {
            (Some(job), _) => job,
            (None, None) => return Err(DescriptionError::Missing("what the job is")),
            (None, Some(description)) => {
                let job = Arc::new(Job::from_message(description)?);
                if job.digest != digest {
                    return Err(DescriptionError::OtherDigest { job: digest, text: job.digest });
                }
                info!(job = job.short(), table = %job.spec, "a new job");
                self.jobs.push_back(Arc::clone(&job));
                if self.jobs.len() > JOBS {
                    self.jobs.pop_front();
                }
                job
            }
        };
        let unit = grant.unit.as_ref().ok_or(DescriptionError::Missing("which unit it is"))?;
        let (unit, range) = job.unit(unit)?;
        Ok(Held::new(job, unit, range, grant.lease))
    }

    /// This program is not the coordinator's: the unit is given back, for others can do it, and
    /// the worker leaves.
    async fn leave_for(&self, grant: &Grant, error: DescriptionError) {
        let session = &self.workshop.session;
        let (worker, lease) = (session.registration().answer.worker, grant.lease);
        let (job_digest, failure) = (grant.job_digest.clone(), String::new());
        session.send_end_lease(EndLeaseRequest { worker, job_digest, lease, failure }).await;
        session.fail(WorkerError::OtherProgram(error));
    }

    /// Whether there have been jobs and none goes on. If one has stopped, the worker leaves with
    /// that.
    async fn all_done(&self) -> bool {
        let session = &self.workshop.session;
        let mut client = session.client.clone();
        let jobs = match within(CALL, client.list_jobs(ListJobsRequest {})).await {
            Ok(answer) => answer.into_inner().jobs,
            Err(status) => {
                warn!("cannot ask for the jobs: {}", describe(&status));
                return false;
            }
        };
        let ended =
            |phase| matches!(phase, JobPhase::Finished | JobPhase::Stopped | JobPhase::Cancelled);
        if jobs.is_empty() || !jobs.iter().all(|job| ended(job.phase())) {
            return false;
        }
        if let Some(job) = jobs.iter().find(|job| job.phase() == JobPhase::Stopped) {
            let (name, reason) = (job.name.clone(), job.message.clone());
            session.fail(WorkerError::JobStopped { name, reason });
        }
        true
    }
}
