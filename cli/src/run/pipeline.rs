//! Solving and storing at the same time: while one unit is solved on all threads, the shard
//! of the one before is checked and written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use anyhow::Context;
use retrotab_coordinator::scheduler::{Grant, LeaseAnswer};
use retrotab_coordinator::{CoordinatorError, Job};
use retrotab_tablefmt::layout::SectionId;
use retrotab_worker::stack::Resources;
use retrotab_worker::{Progress, SolveError, UnitError, UnitSolver, ValueSource};

use super::interrupt::Interrupt;
use super::report::Reporter;

/// Units that are leased at a time: one being solved, one waiting, one being stored.
pub const IN_FLIGHT: usize = 3;

/// The worker's name in the state.
const NAME: &str = "this process";

/// A solved unit on its way to the store.
struct Solved {
    grant: Grant,
    shard: Vec<u8>,
}

/// Solves and stores every unit of the job that is not done.
pub fn solve_all(job: &Job, resources: &Resources, stop: &Interrupt) -> anyhow::Result<()> {
    let reached = Reached::new(job, stop)?;
    let (solved, to_store) = sync_channel(1);
    let (stored, news) = channel();
    let done = thread::scope(|scope| {
        let storer = scope.spawn(|| store(job, &reached, to_store, stored));
        let mut solver = UnitSolver::new(job.plan().spec(), job.plan().digest(), resources.clone());
        let done = solve(job, &mut solver, &reached, solved, &news);
        let stored = storer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // A solver that has nobody to give shards to stops because the storer has.
        stored.and(done)
    });
    reached.report.finish();
    done
}

/// Leases and solves until nothing is left.
fn solve(
    job: &Job,
    solver: &mut UnitSolver,
    reached: &Reached<'_>,
    solved: SyncSender<Solved>,
    news: &Receiver<()>,
) -> anyhow::Result<()> {
    let worker = job.register(NAME);
    let mut repairs = 0;
    loop {
        if reached.stop.is_set() {
            return Err(CoordinatorError::Cancelled.into());
        }
        let grant = match job.lease(worker)? {
            LeaseAnswer::Granted(grant) => grant,
            // Units that others wait for are being stored.
            LeaseAnswer::Idle(_) if news.recv().is_ok() => continue,
            LeaseAnswer::Idle(_) | LeaseAnswer::Finished => return Ok(()),
            LeaseAnswer::Stopped(stop) => return Err(CoordinatorError::Stopped(stop).into()),
        };
        reached.section(job, grant.range.section);
        let shard = solver.solve(grant.unit, grant.range, &Stored(job), reached);
        match shard {
            Ok(shard) => {
                if solved.send(Solved { grant, shard }).is_err() {
                    return Ok(());
                }
            }
            Err(UnitError::Solve(SolveError::Stopped)) => job.release(grant.lease)?,
            Err(error) => {
                job.release(grant.lease)?;
                let error = anyhow::Error::from(error);
                repairs += 1;
                if !is_bad_shard(&error) || repairs > super::REPAIRS {
                    return Err(error).context(format!("cannot solve unit {}", grant.unit));
                }
                tracing::warn!("{error}; computing that shard again");
            }
        }
    }
}

/// Checks and stores shards until there are no more.
fn store(
    job: &Job,
    reached: &Reached<'_>,
    to_store: Receiver<Solved>,
    stored: Sender<()>,
) -> anyhow::Result<()> {
    for Solved { grant, shard } in to_store {
        let bytes = shard.len() as u64;
        job.commit(grant.lease, shard)?;
        reached.bytes.fetch_add(bytes, Ordering::Relaxed);
        reached.tell();
        // Nobody waits for the news after the last unit.
        let _ = stored.send(());
    }
    Ok(())
}

/// Whether a unit could not be solved because a stored shard is damaged. The job has then
/// taken note, and the damaged unit goes out again.
fn is_bad_shard(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        matches!(
            cause.downcast_ref::<CoordinatorError>(),
            Some(CoordinatorError::BadStoredShard { .. })
        )
    })
}

/// The values of finished sections, from the job's own store.
struct Stored<'a>(&'a Job);

impl ValueSource for Stored<'_> {
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let width = self.0.plan().layout().columns[column].entry.bytes();
        Ok(self.0.read(section, column, from / width, out)?)
    }
}

/// How far the run is.
struct Reached<'a> {
    stop: &'a Interrupt,
    report: Reporter,
    solved: AtomicU64,
    total: u64,
    bytes: AtomicU64,
    section: std::sync::Mutex<String>,
}

impl<'a> Reached<'a> {
    fn new(job: &Job, stop: &'a Interrupt) -> anyhow::Result<Self> {
        let progress = job.progress();
        let (total, done) = (progress.entries, progress.entries_done);
        Ok(Reached {
            stop,
            report: Reporter::new(total, done),
            solved: AtomicU64::new(done),
            total,
            bytes: AtomicU64::new(job.stored_bytes()?),
            section: std::sync::Mutex::default(),
        })
    }

    fn section(&self, job: &Job, section: SectionId) {
        let name = &job.plan().layout().sections[section.0 as usize].name;
        let mut shown = self.section.lock().unwrap_or_else(|e| e.into_inner());
        name.clone_into(&mut shown);
    }

    fn tell(&self) {
        // Rows that two units share are solved twice, so the sum may pass the total.
        let solved = self.solved.load(Ordering::Relaxed).min(self.total);
        let section = self.section.lock().unwrap_or_else(|e| e.into_inner()).clone();
        self.report.update(&section, solved, self.bytes.load(Ordering::Relaxed));
    }
}

impl Progress for Reached<'_> {
    fn advance(&self, positions: u64) {
        self.solved.fetch_add(positions, Ordering::Relaxed);
        self.tell();
    }

    fn stopped(&self) -> bool {
        self.stop.is_set()
    }
}
