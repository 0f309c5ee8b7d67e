//! The coordinator as a long-running process: the jobs and workers of one data folder.
//!
//! The daemon is plain blocking code, to be called from any thread; the network service is a
//! thin driver of it, as the one-process run is of a single [`Job`]. What it knows of jobs is
//! on the disk; what it knows of workers is not: after a restart they register again and say
//! what they still have.

pub(crate) mod data;
mod entry;
mod error;
mod events;
mod merging;
mod meter;
mod transfer;
mod work;
mod workers;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::{
    GetJobResponse, JobDescription, JobFile, JobSummary, SubmitJobRequest, WorkerInfo,
};
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::objects::SharedStore;
use retrotab_tablefmt::shard::JobDigest;

use crate::clock::{Clock, SystemClock, unix_millis};
use crate::error::CoordinatorError;
use crate::handout::Draw;
use crate::ids::Tick;
use crate::job::{Job, JobOptions, JobStatus, Recovery};
use crate::metrics::Metrics;
use crate::plan::Plan;
use crate::publishing::Publishing;
use crate::scheduler::{Event, Policy};
use crate::view::View;

pub use error::DaemonError;
pub use transfer::Upload;
pub use work::{LeaseReply, ReclaimReply};

use data::DataFolder;
use entry::{Entry, Stage};
use workers::Workers;

/// How a daemon is run.
#[derive(Clone)]
pub struct DaemonOptions {
    /// By which numbers units are handed out.
    pub policy: Policy,
    /// What to do when the state of a job is missing or damaged.
    pub recovery: Recovery,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where things are counted.
    pub metrics: Arc<Metrics>,
    /// The store of shards that is shared with the workers; without one they go through the
    /// coordinator, into the data folder.
    pub store: Option<SharedStore>,
    /// Draws the statistics of published tables.
    pub draw: Option<Draw>,
}

impl Default for DaemonOptions {
    fn default() -> DaemonOptions {
        DaemonOptions {
            policy: Policy::default(),
            recovery: Recovery::Refuse,
            clock: Arc::new(SystemClock::default()),
            metrics: Arc::default(),
            store: None,
            draw: None,
        }
    }
}

/// The jobs and workers of one data folder.
pub struct Daemon {
    data: DataFolder,
    options: DaemonOptions,
    /// In order of submission.
    jobs: Mutex<Vec<Arc<Entry>>>,
    workers: Mutex<Workers>,
    /// Held while a job is submitted or cancelled.
    changing: Mutex<()>,
    publishing: Publishing,
}

/// How long a job that is being closed may still be in use.
const CLOSING: Duration = Duration::from_secs(10);

impl Daemon {
    /// Opens a data folder and goes on with its jobs.
    ///
    /// # Errors
    /// [`CoordinatorError::InUse`] if another coordinator has the folder; whatever
    /// [`Job::create_or_resume`] says of a job whose state is damaged or missing.
    pub fn open(path: &Path, options: DaemonOptions) -> Result<Daemon, CoordinatorError> {
        let data = DataFolder::open(path)?;
        let publishing = Publishing::open(data.path(), options.draw)?;
        let (jobs, workers, changing) = (Mutex::default(), Mutex::default(), Mutex::default());
        let daemon = Daemon { data, options, jobs, workers, changing, publishing };
        for file in daemon.data.jobs()? {
            if let Some(entry) = daemon.entry_of_file(file)? {
                daemon.jobs().push(Arc::new(entry));
            }
        }
        Ok(daemon)
    }

    /// A job from an earlier run. One that this program cannot plan is left alone.
    fn entry_of_file(&self, file: JobFile) -> Result<Option<Entry>, CoordinatorError> {
        let plan = match Plan::of_description(file.description.as_ref().unwrap_or(&NO_JOB)) {
            Ok(plan) => plan,
            Err(error) => {
                tracing::error!(name = %file.name, %error, "a job is left alone");
                return Ok(None);
            }
        };
        Ok(Some(self.entry(plan, file)?))
    }

    fn entry(&self, plan: Plan, file: JobFile) -> Result<Entry, CoordinatorError> {
        let log = Arc::default();
        let table = self.data.table(&file.name);
        let stage = if file.cancelled {
            Stage::Cancelled
        } else if let Some(manifest) = finished(&table)? {
            // A kill may have come between the manifest and the removal of the work folder.
            self.data.remove_work(plan.digest())?;
            Stage::finished(&manifest)
        } else {
            self.open_job(&plan, &log)?
        };
        Ok(Entry::new(plan, file, table, log, stage))
    }

    /// Opens a job's work folder.
    fn open_job(
        &self,
        plan: &Plan,
        log: &Arc<Mutex<events::EventLog>>,
    ) -> Result<Stage, CoordinatorError> {
        let (heard, layout) = (Arc::clone(log), plan.layout().clone());
        let metrics = Arc::clone(&self.options.metrics);
        let options = JobOptions {
            policy: self.options.policy.clone(),
            recovery: self.options.recovery,
            clock: Arc::clone(&self.options.clock),
            store: self.options.store.clone(),
            observer: Arc::new(move |event| {
                if let Event::AttemptFailed { ended, .. } = event {
                    metrics.lease_ended(*ended);
                }
                heard.lock().unwrap_or_else(PoisonError::into_inner).hear(&layout, event);
            }),
        };
        let work = self.data.work(plan.digest());
        match Job::create_or_resume(&work, plan.clone(), options) {
            Ok((job, _)) => Ok(Stage::Open(Arc::new(job))),
            // It never goes on, but the others do.
            Err(error @ CoordinatorError::Untrusted { .. }) => Ok(Stage::Broken(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// A user submits a job. One that is there already goes on if it had stopped or was
    /// cancelled. The second value says whether it was there.
    ///
    /// # Errors
    /// [`DaemonError::Protocol`], [`DaemonError::Description`], [`DaemonError::Request`],
    /// [`DaemonError::NameTaken`]; [`DaemonError::Job`] if it cannot be stored.
    pub fn submit(&self, request: &SubmitJobRequest) -> Result<(JobSummary, bool), DaemonError> {
        check_protocol(request.protocol_version)?;
        let description = request.job.as_ref();
        let description =
            description.ok_or_else(|| DaemonError::Request("the job is missing".to_owned()))?;
        let plan = Plan::of_description(description)?;
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = self.find(plan.digest()) {
            self.go_on(&entry)?;
            return Ok((entry.summary(self.now()), true));
        }
        let name = self.name_for(&plan, &request.name)?;
        let description = Some(plan.description());
        let file = JobFile {
            description,
            name,
            created_unix_seconds: unix_millis() / 1000,
            cancelled: false,
        };
        self.data.write_job(plan.digest(), &file)?;
        let entry = Arc::new(self.entry(plan, file)?);
        entry.note("submitted", false);
        tracing::info!(job = entry.digest.short(), table = %entry.plan.spec(), "job submitted");
        self.jobs().push(Arc::clone(&entry));
        Ok((entry.summary(self.now()), false))
    }

    /// The name for a new job's table: the one given, or one made from the table.
    fn name_for(&self, plan: &Plan, given: &str) -> Result<String, DaemonError> {
        let taken = |name: &str| {
            let jobs = self.jobs();
            let found = jobs.iter().find(|entry| entry.file().name == name);
            found.map(|entry| entry.digest)
        };
        if given.is_empty() {
            let base = default_name(&plan.spec().to_string());
            let free = std::iter::once(base.clone())
                .chain((2..).map(|number| format!("{base}-{number}")))
                .find(|name| taken(name).is_none());
            return free.ok_or_else(|| DaemonError::Request("no name is free".to_owned()));
        }
        data::check_name(given).map_err(DaemonError::Request)?;
        match taken(given) {
            Some(by) => Err(DaemonError::NameTaken { name: given.to_owned(), by }),
            None => Ok(given.to_owned()),
        }
    }

    /// A job that was there before is to go on.
    fn go_on(&self, entry: &Entry) -> Result<(), DaemonError> {
        let stopped = match entry.stage() {
            Stage::Open(job) => matches!(job.status(), JobStatus::Stopped(_)),
            Stage::Cancelled => true,
            Stage::Finished { .. } | Stage::Broken(_) => false,
        };
        if !stopped {
            return Ok(());
        }
        self.close(entry, Stage::Cancelled)?;
        let file = JobFile { cancelled: false, ..entry.file() };
        self.data.write_job(entry.digest, &file)?;
        entry.set_stage(self.open_job(&entry.plan, &entry.log)?);
        entry.set_cancelled(&file);
        entry.set_trouble(String::new());
        entry.note("submitted again; going on", false);
        tracing::info!(job = entry.digest.short(), "job goes on");
        Ok(())
    }

    /// A user does not want a job any more. What was computed stays.
    ///
    /// # Errors
    /// [`DaemonError::UnknownJob`], [`DaemonError::NotOpen`] if it is finished already.
    pub fn cancel(&self, digest: &[u8]) -> Result<JobSummary, DaemonError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = self.by_digest(digest)?;
        if matches!(entry.stage(), Stage::Finished { .. }) {
            let state = "finished; there is nothing to cancel".to_owned();
            return Err(DaemonError::NotOpen { job: entry.digest, state });
        }
        if !matches!(entry.stage(), Stage::Cancelled) {
            let file = JobFile { cancelled: true, ..entry.file() };
            self.data.write_job(entry.digest, &file)?;
            entry.set_cancelled(&file);
            self.close(&entry, Stage::Cancelled)?;
            entry.note("cancelled", true);
            tracing::info!(job = entry.digest.short(), "job cancelled");
        }
        Ok(entry.summary(self.now()))
    }

    /// Lets go of a job's work folder, waiting for the calls that are at it.
    fn close(&self, entry: &Entry, stage: Stage) -> Result<(), DaemonError> {
        let Stage::Open(mut job) = entry.set_stage(stage) else { return Ok(()) };
        self.workers().forget_job(entry.digest);
        let start = std::time::Instant::now();
        loop {
            job = match Arc::try_unwrap(job) {
                Ok(_) => return Ok(()),
                Err(used) if start.elapsed() > CLOSING => {
                    drop(used);
                    let what = "the job is still busy; try again in a moment".to_owned();
                    return Err(DaemonError::Request(what));
                }
                Err(used) => used,
            };
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Where things are counted.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.options.metrics
    }

    /// Tables that users publish.
    pub fn publishing(&self) -> &Publishing {
        &self.publishing
    }

    /// All jobs in short, in order of submission.
    pub fn summaries(&self) -> Vec<JobSummary> {
        self.entries().iter().map(|entry| entry.summary(self.now())).collect()
    }

    /// One job at length.
    ///
    /// # Errors
    /// [`DaemonError::UnknownJob`].
    pub fn job(&self, digest: &[u8]) -> Result<GetJobResponse, DaemonError> {
        Ok(self.by_digest(digest)?.at_length(self.now()))
    }

    /// What a job is, for a worker; `None` if there is no such job.
    pub fn describe(&self, job: JobDigest) -> Option<JobDescription> {
        self.find(job).map(|entry| entry.plan.description())
    }

    /// All registered workers.
    pub fn worker_infos(&self) -> Vec<WorkerInfo> {
        self.workers().infos(self.now())
    }

    fn now(&self) -> Tick {
        self.options.clock.now()
    }

    fn jobs(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> Vec<Arc<Entry>> {
        self.jobs().clone()
    }

    fn workers(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, digest: JobDigest) -> Option<Arc<Entry>> {
        self.jobs().iter().find(|entry| entry.digest == digest).cloned()
    }

    fn by_digest(&self, digest: &[u8]) -> Result<Arc<Entry>, DaemonError> {
        let known = <[u8; 32]>::try_from(digest).ok().and_then(|d| self.find(JobDigest(d)));
        known.ok_or_else(|| DaemonError::UnknownJob(hex::encode(&digest[..digest.len().min(40)])))
    }
}

impl View for Daemon {
    fn jobs(&self) -> Vec<JobSummary> {
        self.summaries()
    }

    fn job(&self, digest: &[u8]) -> Option<GetJobResponse> {
        Daemon::job(self, digest).ok()
    }

    fn workers(&self) -> Vec<WorkerInfo> {
        self.worker_infos()
    }

    fn ready(&self) -> Result<(), String> {
        // The folder was opened before anything was served.
        Ok(())
    }
}

/// What a file without a description stands for: no job at all.
static NO_JOB: JobDescription = JobDescription {
    job_digest: Vec::new(),
    table: String::new(),
    unit_entries: 0,
    identity_text: String::new(),
};

/// The manifest of a table, if there is one.
fn finished(table: &Path) -> Result<Option<Manifest>, CoordinatorError> {
    match Manifest::read(table) {
        Ok((manifest, _)) => Ok(Some(manifest)),
        Err(TableError::NotATable { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether a caller speaks our protocol.
pub(crate) fn check_protocol(found: u32) -> Result<(), DaemonError> {
    if found == PROTOCOL_VERSION { Ok(()) } else { Err(DaemonError::Protocol { found }) }
}

/// A name for a folder from the words that describe a table.
fn default_name(table: &str) -> String {
    let words = table.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-");
    let name: String = name.chars().take(60).collect();
    if name.is_empty() { "table".to_owned() } else { name }
}
