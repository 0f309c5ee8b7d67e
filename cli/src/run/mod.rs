//! `retrotab run`: compute a table in this process.

pub mod interrupt;
mod pipeline;
pub mod pool;
pub mod report;

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use bytesize::ByteSize;
use retrotab_coordinator::job::Recovery;
use retrotab_coordinator::merge::merge;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::Policy;
use retrotab_coordinator::{CoordinatorError, Job, JobOptions};
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::hands::Game;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::spec::TableSpec;
use retrotab_worker::stack::{Isa, Resources};

use crate::args::{RunFamily, RunOptions, hands};
use crate::failure::UserError;
use crate::text;
use interrupt::Interrupt;

/// Most of it, when the user does not say.
const DEFAULT_MEMORY: u64 = 8 << 30;
/// How often shards may turn out to be damaged before the disk is given up.
const REPAIRS: u32 = 10;

/// Computes the table asked for, or goes on with it.
pub fn run(family: RunFamily) -> anyhow::Result<()> {
    let (spec, options) = match family {
        RunFamily::Stack(stack) => (stack.table.spec()?, stack.options),
        RunFamily::Sticks(sticks) => (sticks.table.spec()?, sticks.options),
        RunFamily::Holdem(run) => (hands(Game::Holdem), run.options),
        RunFamily::Omaha(run) => (hands(Game::Omaha), run.options),
    };
    let work = options.out.join("work");
    if let Some(manifest) = finished(&options.out, &spec)? {
        if !options.keep_work {
            // There if the run that finished the table was killed just then.
            remove_if_there(&work)?;
        }
        println!("{}: finished before", options.out.display());
        println!("identity   {}", manifest.identity);
        return Ok(());
    }
    let stop = interrupt::catch()?;
    // Before the job: shards found without a record are checked on these threads.
    pool::start(options.threads)?;
    let start = Instant::now();
    let job = open_job(&work, &spec, &options)?;
    let before = job.progress().entries_done;
    let manifest = compute(&job, &options, &stop)?;
    if !options.keep_work {
        // Still locked, so that nobody else starts in what is being removed.
        remove_if_there(&work)?;
    }
    drop(job);
    summary(&options.out, &manifest, manifest.entries - before, start.elapsed());
    Ok(())
}

fn remove_if_there(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// The manifest of the table in `out` if it is the one asked for; refuses another one.
fn finished(out: &Path, spec: &TableSpec) -> anyhow::Result<Option<Manifest>> {
    let manifest = match Manifest::read(out) {
        Ok((manifest, _)) => manifest,
        Err(TableError::NotATable { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if manifest.table != *spec {
        let (out, found) = (out.display(), &manifest.table);
        let text = format!("{out} holds a {found}, not the {spec}; choose another folder");
        return Err(UserError(text).into());
    }
    Ok(Some(manifest))
}

fn open_job(work: &Path, spec: &TableSpec, options: &RunOptions) -> anyhow::Result<Job> {
    let plan = Plan::new(spec.clone(), unit_size(spec, options.unit_size))?;
    // Nobody else computes, and this process does not lose itself: leases only end with work.
    let forever = Duration::from_secs(u32::MAX.into());
    let policy = Policy {
        lease_time: forever,
        copy_after: forever,
        leases_per_worker: pipeline::IN_FLIGHT,
        ..Policy::one_process()
    };
    let job_options = JobOptions { policy, recovery: Recovery::Rebuild, ..JobOptions::default() };
    Ok(Job::create_or_resume(work, plan, job_options)?.0)
}

/// The size of units that the user asked for, or the automatic one.
pub fn unit_size(spec: &TableSpec, asked: Option<ByteSize>) -> UnitSize {
    match asked {
        Some(size) => UnitSize::Entries(size.as_u64() / spec.layout().entry_bytes()),
        None => UnitSize::Automatic,
    }
}

/// Solves all units and puts the table together. Shards that turn out to be damaged are
/// computed again.
fn compute(job: &Job, options: &RunOptions, stop: &Interrupt) -> anyhow::Result<Manifest> {
    let resources = Resources {
        memory: options.memory.map_or_else(default_memory, |memory| memory.as_u64()),
        scratch: job.folder().path().to_owned(),
        isa: Isa::detect(),
    };
    let mut repairs = 0;
    loop {
        pipeline::solve_all(job, &resources, stop)?;
        match put_together(job, &options.out, stop) {
            Err(CoordinatorError::BadStoredShard { unit, what }) if repairs < REPAIRS => {
                tracing::warn!(unit = unit.0, what, "computing a damaged shard again");
                repairs += 1;
            }
            done => return Ok(done?),
        }
    }
}

fn put_together(job: &Job, out: &Path, stop: &Interrupt) -> Result<Manifest, CoordinatorError> {
    tracing::info!("putting the table together");
    let bar = report::bar(job.stored_bytes()?, "putting together");
    let merged = merge(job, out, stop.flag(), &mut |progress| bar.set_position(progress.bytes));
    bar.finish_and_clear();
    merged
}

/// Memory used when the user does not say.
pub fn default_memory() -> u64 {
    let info = rustix::system::sysinfo();
    let total = info.totalram as u64 * u64::from(info.mem_unit);
    DEFAULT_MEMORY.min(total / 4 * 3)
}

fn summary(out: &Path, manifest: &Manifest, solved: u64, time: Duration) {
    let seconds = time.as_secs_f64();
    println!("{}: {}", out.display(), manifest.table);
    println!("positions  {}", text::count(manifest.positions));
    println!("identity   {}", manifest.identity);
    let rate = text::rate(solved, seconds);
    println!("time       {seconds:.1} s ({rate}), {} written", text::bytes(manifest.bytes()));
}
