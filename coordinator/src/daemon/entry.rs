//! One job of the daemon, from its submission to its table.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrotab_proto::v1::{
    GetJobResponse, JobFile, JobPhase, JobSummary, SectionPhase, SectionStatus,
};
use retrotab_tablefmt::layout::TableLayout;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::shard::JobDigest;

use crate::ids::Tick;
use crate::job::{Job, JobStatus};
use crate::plan::Plan;
use crate::scheduler::{JobProgress, SectionState};

use super::error::DaemonError;
use super::events::EventLog;
use super::meter::Meter;

/// One job of the daemon.
pub(super) struct Entry {
    pub(super) digest: JobDigest,
    pub(super) plan: Plan,
    pub(super) table: PathBuf,
    pub(super) log: Arc<Mutex<EventLog>>,
    inner: Mutex<Inner>,
}

struct Inner {
    file: JobFile,
    stage: Stage,
    meter: Meter,
    /// What the job waits for, or why the last attempt to put the table together failed.
    trouble: String,
    stored_bytes: u64,
}

/// What can be done with a job.
#[derive(Clone)]
pub(super) enum Stage {
    /// Its work folder is open: it runs, is being put together, or has stopped.
    Open(Arc<Job>),
    /// Its table is there.
    Finished { identity: String, bytes: u64 },
    /// A user cancelled it.
    Cancelled,
    /// It cannot be opened.
    Broken(String),
}

impl Stage {
    pub(super) fn finished(manifest: &Manifest) -> Stage {
        Stage::Finished { identity: manifest.identity.clone(), bytes: manifest.bytes() }
    }
}

impl Entry {
    pub(super) fn new(
        plan: Plan,
        file: JobFile,
        table: PathBuf,
        log: Arc<Mutex<EventLog>>,
        stage: Stage,
    ) -> Entry {
        let (meter, trouble) = (Meter::default(), String::new());
        let inner = Mutex::new(Inner { file, stage, meter, trouble, stored_bytes: 0 });
        Entry { digest: plan.digest(), plan, table, log, inner }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, text: impl Into<String>, warning: bool) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).note(text.into(), warning);
    }

    pub(super) fn file(&self) -> JobFile {
        self.inner().file.clone()
    }

    pub(super) fn stage(&self) -> Stage {
        self.inner().stage.clone()
    }

    /// Puts the job into another stage and hands out the one before.
    pub(super) fn set_stage(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut self.inner().stage, stage)
    }

    pub(super) fn set_cancelled(&self, file: &JobFile) {
        self.inner().file = file.clone();
    }

    pub(super) fn set_trouble(&self, text: String) {
        self.inner().trouble = text;
    }

    pub(super) fn set_stored_bytes(&self, bytes: u64) {
        self.inner().stored_bytes = bytes;
    }

    /// The job, if its work folder is open.
    pub(super) fn open(&self) -> Result<Arc<Job>, DaemonError> {
        match self.stage() {
            Stage::Open(job) => Ok(job),
            _ => {
                let state = self.state();
                Err(DaemonError::NotOpen { job: self.digest, state })
            }
        }
    }

    /// What the job is, for people, when it is not open.
    fn state(&self) -> String {
        match self.stage() {
            Stage::Open(_) => "open".to_owned(),
            Stage::Finished { .. } => "finished".to_owned(),
            Stage::Cancelled => "cancelled; submit it again to go on".to_owned(),
            Stage::Broken(why) => format!("broken: {why}"),
        }
    }

    /// Whether units of it can be leased.
    pub(super) fn running(&self) -> Option<Arc<Job>> {
        match self.stage() {
            Stage::Open(job) if job.status() == JobStatus::Running => Some(job),
            _ => None,
        }
    }

    /// Takes a sample for the rate.
    pub(super) fn sample(&self, now: Tick) {
        if let Some(job) = self.running() {
            let progress = job.progress();
            let count = progress.entries_done + progress.entries_running;
            self.inner().meter.note(now, count);
        }
    }

    /// The job in short.
    pub(super) fn summary(&self, now: Tick) -> JobSummary {
        self.describe(now).0
    }

    /// The job at length.
    pub(super) fn at_length(&self, now: Tick) -> GetJobResponse {
        let (summary, progress) = self.describe(now);
        let done = summary.phase() == JobPhase::Finished;
        let sections = sections(self.plan.layout(), progress.as_ref(), done);
        let events = self.log.lock().unwrap_or_else(PoisonError::into_inner).list();
        GetJobResponse { job: Some(summary), sections, events }
    }

    fn describe(&self, now: Tick) -> (JobSummary, Option<JobProgress>) {
        let stage = self.stage();
        let inner = self.inner();
        let mut summary = JobSummary {
            job_digest: self.digest.0.to_vec(),
            name: inner.file.name.clone(),
            table: self.plan.spec().to_string(),
            message: inner.trouble.clone(),
            units: self.plan.graph().unit_count(),
            entries: self.plan.graph().entries(),
            stored_bytes: inner.stored_bytes,
            created_unix_seconds: inner.file.created_unix_seconds,
            ..JobSummary::default()
        };
        let rate = inner.meter.rate(now);
        drop(inner);
        let mut progress = None;
        let phase = match stage {
            Stage::Open(job) => {
                let (phase, now) = open_job(&job, &mut summary, rate);
                progress = Some(now);
                phase
            }
            Stage::Finished { identity, bytes } => {
                summary.identity = identity;
                summary.stored_bytes = bytes;
                summary.units_done = summary.units;
                summary.entries_done = summary.entries;
                JobPhase::Finished
            }
            Stage::Cancelled => JobPhase::Cancelled,
            Stage::Broken(why) => {
                summary.message = why;
                JobPhase::Stopped
            }
        };
        summary.phase = phase.into();
        (summary, progress)
    }
}

/// Fills in where an open job stands.
fn open_job(job: &Job, summary: &mut JobSummary, rate: f64) -> (JobPhase, JobProgress) {
    let progress = job.progress();
    summary.units_done = progress.units_done;
    summary.units_running = progress.units_running;
    summary.entries_done = progress.entries_done;
    summary.entries_running = progress.entries_running;
    let phase = match job.status() {
        JobStatus::Running => JobPhase::Running,
        JobStatus::Finished => JobPhase::Merging,
        JobStatus::Stopped(stop) => {
            summary.message = stop.to_string();
            JobPhase::Stopped
        }
    };
    if phase == JobPhase::Running {
        summary.entries_per_second = rate;
        let known = progress.entries_done + progress.entries_running;
        let left = progress.entries.saturating_sub(known);
        summary.eta_seconds = (rate > 0.0).then(|| left as f64 / rate);
    }
    (phase, progress)
}

fn sections(
    layout: &TableLayout,
    progress: Option<&JobProgress>,
    finished: bool,
) -> Vec<SectionStatus> {
    let status = |(index, section): (usize, &retrotab_tablefmt::layout::SectionSpec)| {
        let mut status = SectionStatus {
            name: section.name.clone(),
            entries: section.entries,
            ..SectionStatus::default()
        };
        if let Some(now) = progress.and_then(|progress| progress.sections.get(index)) {
            status.units = now.units;
            status.units_done = now.units_done;
            status.entries_done = now.entries_done;
            status.entries_running = now.entries_running;
            let phase = match now.state {
                SectionState::Blocked => SectionPhase::Blocked,
                SectionState::Open => SectionPhase::Open,
                SectionState::Complete => SectionPhase::Complete,
            };
            status.phase = phase.into();
        } else if finished {
            status.entries_done = section.entries;
            status.phase = SectionPhase::Complete.into();
        }
        status
    };
    layout.sections.iter().enumerate().map(status).collect()
}
