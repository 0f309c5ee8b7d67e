//! `retrotab submit` and `retrotab cancel`: jobs of a coordinator.

use std::error::Error;
use std::time::Duration;

use anyhow::{Context, anyhow};
use retrotab_coordinator::plan::Plan;
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::{
    CancelJobRequest, GetJobRequest, JobPhase, JobSummary, ListJobsRequest, SubmitJobRequest,
};
use retrotab_tablefmt::hands::Game;
use retrotab_worker::remote::{Client, connect, explain, is_passing};
use tonic::{Code, Status};

use crate::args::{CancelArgs, SubmitFamily, hands};
use crate::failure::UserError;
use crate::{run, text};

/// How often a job that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Fewest digits of a digest that stand for a job.
const FEWEST_DIGITS: usize = 4;

/// Submits a job, and waits for its table if asked to.
pub fn submit(family: SubmitFamily) -> anyhow::Result<()> {
    let (spec, options) = match family {
        SubmitFamily::Stack(stack) => (stack.table.spec()?, stack.options),
        SubmitFamily::Sticks(sticks) => (sticks.table.spec()?, sticks.options),
        SubmitFamily::Holdem(job) => (hands(Game::Holdem), job.options),
        SubmitFamily::Omaha(job) => (hands(Game::Omaha), job.options),
    };
    let plan = Plan::new(spec.clone(), run::unit_size(&spec, options.unit_size))?;
    let name = options.name.unwrap_or_default();
    let request = SubmitJobRequest {
        protocol_version: PROTOCOL_VERSION,
        job: Some(plan.description()),
        name: name.clone(),
    };
    let remote = options.remote.connect_options()?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    runtime.block_on(async {
        let mut client = connect(&remote)?;
        let failed = |status| refused(&status, &remote.url);
        let answer = client.submit_job(request).await.map_err(failed)?.into_inner();
        let job = answer.job.context("the coordinator sent no job")?;
        let before = match answer.existed {
            true if !name.is_empty() && name != job.name => " (submitted before; the name stays)",
            true => " (submitted before)",
            false => "",
        };
        println!("{}: job {}{before}", job.name, hex::encode(&job.job_digest));
        if options.wait { wait(&mut client, job, &remote.url).await } else { Ok(()) }
    })
}

/// Waits until a job is finished or cannot go on.
async fn wait(client: &mut Client, mut job: JobSummary, url: &str) -> anyhow::Result<()> {
    let mut away = false;
    loop {
        match job.phase() {
            JobPhase::Finished => {
                println!("identity   {}", job.identity);
                return Ok(());
            }
            JobPhase::Stopped => return Err(anyhow!("the job has stopped: {}", job.message)),
            JobPhase::Cancelled => return Err(anyhow!("the job was cancelled")),
            _ => tokio::time::sleep(LOOK).await,
        }
        let job_digest = job.job_digest.clone();
        match client.get_job(GetJobRequest { job_digest }).await {
            Ok(answer) => {
                job = answer.into_inner().job.context("the coordinator sent no job")?;
                away = false;
            }
            // It may be restarting.
            Err(status) if is_passing(&status) => {
                if !away {
                    tracing::warn!("{:#}; waiting for it", refused(&status, url));
                }
                away = true;
            }
            Err(status) => return Err(refused(&status, url)),
        }
    }
}

/// Cancels a job.
pub fn cancel(args: &CancelArgs) -> anyhow::Result<()> {
    let remote = args.remote.connect_options()?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    runtime.block_on(async {
        let mut client = connect(&remote)?;
        let failed = |status| refused(&status, &remote.url);
        let jobs = client.list_jobs(ListJobsRequest {}).await.map_err(failed)?.into_inner().jobs;
        let job_digest = find(&jobs, &args.job)?;
        let request = CancelJobRequest { job_digest };
        let job = client.cancel_job(request).await.map_err(failed)?.into_inner().job;
        let job = job.context("the coordinator sent no job")?;
        let (done, all) = (text::count(job.units_done.into()), text::count(job.units.into()));
        println!("{}: cancelled, {done} of {all} units stay done", job.name);
        Ok(())
    })
}

/// The job that a user means.
fn find(jobs: &[JobSummary], meant: &str) -> anyhow::Result<Vec<u8>> {
    // Names are unique. A few digits of a digest could be anybody's.
    if let Some(job) = jobs.iter().find(|job| job.name == meant) {
        return Ok(job.job_digest.clone());
    }
    let fits = |job: &&JobSummary| hex::encode(&job.job_digest).starts_with(meant);
    let enough = meant.len() >= FEWEST_DIGITS;
    let found: Vec<_> = jobs.iter().filter(|_| enough).filter(fits).collect();
    match found.as_slice() {
        [job] => Ok(job.job_digest.clone()),
        [] => Err(UserError(format!(
            "the coordinator has no job `{meant}`; give a name that `retrotab status` shows, or at \
             least {FEWEST_DIGITS} digits of the digest"
        ))
        .into()),
        _ => Err(UserError(format!("`{meant}` could mean {} jobs", found.len())).into()),
    }
}

/// What a failed call says.
pub fn refused(status: &Status, url: &str) -> anyhow::Error {
    let why = explain(status, url);
    match (status.source(), status.code()) {
        (None, Code::AlreadyExists | Code::InvalidArgument) => {
            UserError(format!("the coordinator says: {why}")).into()
        }
        (None, _) => anyhow!("the coordinator says: {why}"),
        (Some(_), _) => anyhow!("cannot reach the coordinator at {url}: {why}"),
    }
}
