//! The status as JSON: what `/api/status` and `retrotab status --json` give.
//!
//! Field names are those of `retrotab.proto`; digests are hexadecimal, phases are words.

use retrotab_proto::v1;
use serde::Serialize;

use crate::metrics::Disk;
use crate::phase;

/// What `/api/status` gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Version of the coordinator's program.
    pub version: &'static str,
    /// Now, in milliseconds since 1970 by the coordinator's wall clock.
    pub unix_millis: u64,
    /// Whether calls are served.
    pub ready: bool,
    /// Why not, for people.
    pub message: String,
    /// The disk of the data folder.
    pub disk: Space,
    /// Jobs that are not over first, then the newest.
    pub jobs: Vec<Job>,
    /// In order of registration.
    pub workers: Vec<Worker>,
}

/// The disk of the data folder; zeros if nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Space {
    /// Bytes it has.
    pub size: u64,
    /// Bytes that are free.
    pub free: u64,
}

impl From<Option<Disk>> for Space {
    fn from(disk: Option<Disk>) -> Space {
        disk.map_or(Space { size: 0, free: 0 }, |disk| Space { size: disk.size, free: disk.free })
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "as in the protocol's JobSummary")]
pub struct Job {
    pub job_digest: String,
    pub name: String,
    pub table: String,
    pub phase: &'static str,
    pub message: String,
    pub units: u32,
    pub units_done: u32,
    pub units_running: u32,
    pub entries: u64,
    pub entries_done: u64,
    pub entries_running: u64,
    pub entries_per_second: f64,
    pub eta_seconds: Option<f64>,
    pub stored_bytes: u64,
    pub created_unix_seconds: u64,
    pub identity: String,
    /// Every section, in order; none if the job is only told in short.
    pub sections: Vec<Section>,
    /// What happened last, the newest last.
    pub events: Vec<Event>,
}

impl Job {
    /// Without sections and events.
    pub fn short(job: v1::JobSummary) -> Job {
        Job {
            job_digest: hex::encode(&job.job_digest),
            name: job.name,
            table: job.table,
            phase: phase::job_name(job.phase),
            message: job.message,
            units: job.units,
            units_done: job.units_done,
            units_running: job.units_running,
            entries: job.entries,
            entries_done: job.entries_done,
            entries_running: job.entries_running,
            entries_per_second: job.entries_per_second,
            eta_seconds: job.eta_seconds,
            stored_bytes: job.stored_bytes,
            created_unix_seconds: job.created_unix_seconds,
            identity: job.identity,
            sections: Vec::new(),
            events: Vec::new(),
        }
    }

    /// With sections and events.
    pub fn detailed(details: v1::GetJobResponse) -> Job {
        Job {
            sections: details.sections.into_iter().map(Section::from).collect(),
            events: details.events.into_iter().map(Event::from).collect(),
            ..Job::short(details.job.unwrap_or_default())
        }
    }
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "as in the protocol's SectionStatus")]
pub struct Section {
    pub name: String,
    pub phase: &'static str,
    pub units: u32,
    pub units_done: u32,
    pub entries: u64,
    pub entries_done: u64,
    pub entries_running: u64,
}

impl From<v1::SectionStatus> for Section {
    fn from(section: v1::SectionStatus) -> Section {
        Section {
            name: section.name,
            phase: phase::section_name(section.phase),
            units: section.units,
            units_done: section.units_done,
            entries: section.entries,
            entries_done: section.entries_done,
            entries_running: section.entries_running,
        }
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "as in the protocol's JobEvent")]
pub struct Event {
    pub unix_millis: u64,
    pub text: String,
    pub warning: bool,
}

impl From<v1::JobEvent> for Event {
    fn from(event: v1::JobEvent) -> Event {
        Event { unix_millis: event.unix_millis, text: event.text, warning: event.warning }
    }
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "as in the protocol's WorkerInfo")]
pub struct Worker {
    pub worker: u64,
    pub name: String,
    pub version: String,
    pub threads: u32,
    pub memory: u64,
    pub address: String,
    pub leases: u32,
    pub units_done: u32,
    pub entries_per_second: f64,
    pub silent_seconds: f64,
    pub doing: String,
}

impl From<v1::WorkerInfo> for Worker {
    fn from(worker: v1::WorkerInfo) -> Worker {
        Worker {
            worker: worker.worker,
            name: worker.name,
            version: worker.version,
            threads: worker.threads,
            memory: worker.memory,
            address: worker.address,
            leases: worker.leases,
            units_done: worker.units_done,
            entries_per_second: worker.entries_per_second,
            silent_seconds: worker.silent_seconds,
            doing: worker.doing,
        }
    }
}
