//! Asking a coordinator how things stand.

use std::time::Duration;

use retrotab_coordinator::http::status::{Job, Worker};
use retrotab_coordinator::phase;
use retrotab_proto::v1::{
    GetJobRequest, GetJobResponse, JobSummary, ListJobsRequest, ListWorkersRequest, WorkerInfo,
};
use retrotab_worker::remote::{Client, connect, explain};
use tonic::{Code, Request};

use crate::remote_options::RemoteOptions;

/// Jobs that are told in full; of the rest there is only the summary.
const DETAILED: usize = 16;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How things stand at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Jobs that are not over first, then the newest.
    pub jobs: Vec<GetJobResponse>,
    /// In order of registration.
    pub workers: Vec<WorkerInfo>,
}

impl Snapshot {
    /// The form that the coordinator's `/api/status` has too.
    pub fn to_json(&self) -> serde_json::Value {
        let jobs: Vec<_> = self.jobs.iter().cloned().map(Job::detailed).collect();
        let workers: Vec<_> = self.workers.iter().cloned().map(Worker::from).collect();
        serde_json::json!({ "jobs": jobs, "workers": workers })
    }
}

/// The coordinator does not answer, or not as it should.
#[derive(Debug, Clone, thiserror::Error)]
#[error("no answer from the coordinator at {url}: {why}")]
pub struct Unreachable {
    /// Its URL.
    pub url: String,
    /// What is known of the reason.
    pub why: String,
}

/// A coordinator.
pub struct Source {
    url: String,
    client: Client,
}

impl Source {
    /// Does not call yet; connections are made, and made again, when they are needed.
    pub fn new(remote: &RemoteOptions) -> anyhow::Result<Source> {
        let options = remote.connect_options()?;
        Ok(Source { client: connect(&options)?, url: options.url })
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How things stand now.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Unreachable> {
        self.ask().await.map_err(|status| {
            let why = explain(&status, &self.url);
            Unreachable { url: self.url.clone(), why }
        })
    }

    async fn ask(&mut self) -> Result<Snapshot, tonic::Status> {
        let listed = self.client.list_jobs(patient(ListJobsRequest {})).await?.into_inner().jobs;
        let mut jobs = Vec::with_capacity(listed.len());
        for (i, job) in phase::foremost(listed, usize::MAX).into_iter().enumerate() {
            jobs.push(if i < DETAILED { self.detailed(job).await? } else { short(job) });
        }
        let workers = self.client.list_workers(patient(ListWorkersRequest {})).await?;
        Ok(Snapshot { jobs, workers: workers.into_inner().workers })
    }

    async fn detailed(&mut self, job: JobSummary) -> Result<GetJobResponse, tonic::Status> {
        let request = GetJobRequest { job_digest: job.job_digest.clone() };
        match self.client.get_job(patient(request)).await {
            Ok(answer) => Ok(answer.into_inner()),
            Err(status) if status.code() == Code::NotFound => Ok(short(job)),
            Err(status) => Err(status),
        }
    }
}

fn short(job: JobSummary) -> GetJobResponse {
    GetJobResponse { job: Some(job), ..GetJobResponse::default() }
}

fn patient<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(PATIENCE);
    request
}
