//! Solving units, one after the other, on threads of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use retrotab_tablefmt::shard::JobDigest;
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

use super::error::{FetchError, UnitTrouble, WorkerError};
use super::held::{Held, Stage};
use super::inputs::Inputs;
use super::transport::ShardDigest;
use super::values::FetchedValues;
use crate::error::{InputError, SolveError};
use crate::stack::Resources;
use crate::units::{UnitError, UnitSolver};

/// A unit's shard.
#[derive(Debug, Clone)]
pub(crate) struct Solved {
    pub(crate) shard: Bytes,
    pub(crate) digest: ShardDigest,
}

/// Solves units, one at a time, on threads of its own.
pub(crate) struct Solving {
    pool: ThreadPool,
    resources: Resources,
    /// One unit at a time, in the order in which they ask.
    turn: Arc<Semaphore>,
    /// The solver of the job that was worked on last; others keep no memory.
    solver: Arc<Mutex<Option<(JobDigest, UnitSolver)>>>,
    pace: Arc<Mutex<Pace>>,
    /// A unit is not being solved any more.
    pub(crate) ended: Arc<Notify>,
}

/// How fast units are solved.
#[derive(Debug, Default)]
struct Pace {
    /// Entries a second of the newest unit.
    newest: Option<f64>,
    running: Option<(Arc<Held>, Instant)>,
}

/// When the solver will have time for another unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Free {
    /// In so long, probably.
    In(Duration),
    /// It has just begun with its first unit.
    Unknown,
}

impl Solving {
    /// Starts the threads.
    pub(crate) fn start(threads: usize, resources: Resources) -> Result<Solving, WorkerError> {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.thread_name(|i| format!("solver-{i}")).build()?;
        let turn = Arc::new(Semaphore::new(1));
        let (solver, pace, ended) = (Arc::default(), Arc::default(), Arc::default());
        Ok(Solving { pool, resources, turn, solver, pace, ended })
    }

    /// Waits until no unit before is being solved.
    pub(crate) async fn turn(&self) -> OwnedSemaphorePermit {
        let turn = Arc::clone(&self.turn).acquire_owned().await;
        turn.expect("it is never closed")
    }

    /// The shard of a unit whose turn it is.
    pub(crate) async fn solve(
        &self,
        turn: OwnedSemaphorePermit,
        held: &Arc<Held>,
        inputs: &Arc<Inputs>,
    ) -> Result<Solved, UnitTrouble> {
        if held.dropped().is_cancelled() {
            return Err(UnitTrouble::Dropped);
        }
        held.set_stage(Stage::Solving);
        self.pace().running = Some((Arc::clone(held), Instant::now()));
        let values = FetchedValues {
            runtime: Handle::current(),
            inputs: Arc::clone(inputs),
            held: Arc::clone(held),
        };
        let (solver, pace) = (Arc::clone(&self.solver), Arc::clone(&self.pace));
        let ended = Arc::clone(&self.ended);
        let (resources, span) = (self.resources.clone(), tracing::Span::current());
        let (done, result) = oneshot::channel();
        self.pool.spawn(move || {
            let _in_span = span.entered();
            let solved = solve_now(&solver, resources, &values);
            lock(&pace).note_end(solved.is_ok());
            // The next unit does not wait for anybody to look at this one.
            drop(turn);
            ended.notify_one();
            // Nobody listens if the worker is leaving.
            let _ = done.send(solved);
        });
        result.await.unwrap_or(Err(UnitTrouble::Dropped))
    }

    /// When there will be time for another unit.
    pub(crate) fn free(&self) -> Free {
        let pace = self.pace();
        let Some((held, since)) = &pace.running else { return Free::In(Duration::ZERO) };
        let (entries, solved) = (held.range.entries as f64, held.solved() as f64);
        let here = (solved > 0.0).then(|| solved / since.elapsed().as_secs_f64());
        match here.or(pace.newest) {
            Some(pace) => {
                let left = Duration::try_from_secs_f64((entries - solved) / pace);
                Free::In(left.unwrap_or(Duration::MAX))
            }
            None => Free::Unknown,
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        lock(&self.pace)
    }
}

impl Pace {
    fn note_end(&mut self, solved: bool) {
        let Some((held, since)) = self.running.take() else { return };
        if solved {
            let seconds = since.elapsed().as_secs_f64().max(1e-9);
            self.newest = Some(held.range.entries as f64 / seconds);
        }
    }
}

/// Solves a unit on the threads of the pool that this is called in.
fn solve_now(
    solver: &Mutex<Option<(JobDigest, UnitSolver)>>,
    resources: Resources,
    values: &FetchedValues,
) -> Result<Solved, UnitTrouble> {
    let held = &*values.held;
    let mut kept = lock(solver);
    let solve = || {
        let job = &held.job;
        // Memory of another job goes before more is taken.
        kept.take_if(|(digest, _)| *digest != job.digest);
        let new = || (job.digest, UnitSolver::new(&job.spec, job.digest, resources));
        let (_, solver) = kept.get_or_insert_with(new);
        solver.solve(held.unit, held.range, values, held)
    };
    let shard = match catch_unwind(AssertUnwindSafe(solve)) {
        Ok(Ok(shard)) => shard,
        Ok(Err(error)) => return Err(trouble(error)),
        Err(panic) => {
            *kept = None;
            return Err(UnitTrouble::Units(format!("bug: the solver panicked: {}", said(&*panic))));
        }
    };
    let blake3 = blake3::Hasher::new().update_rayon(&shard).finalize();
    let digest = ShardDigest { blake3, length: shard.len() as u64 };
    Ok(Solved { shard: shard.into(), digest })
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

/// Whose matter it is that a unit could not be solved.
fn trouble(error: UnitError) -> UnitTrouble {
    let text = error.to_string();
    match error {
        UnitError::Solve(SolveError::Stopped) => UnitTrouble::Dropped,
        UnitError::Solve(SolveError::Input { source, .. }) => match source {
            InputError::Memory { .. } => UnitTrouble::TooLittleMemory(text),
            InputError::Scratch { .. } => UnitTrouble::Ours(text),
            InputError::Fetch { source, .. } => match source.downcast::<FetchError>() {
                Ok(error) => (*error).into(),
                Err(_) => UnitTrouble::Units(text),
            },
            InputError::NotGiven | InputError::RowNotHeld { .. } => UnitTrouble::Units(text),
        },
        UnitError::Shard(_) => UnitTrouble::Units(text),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
