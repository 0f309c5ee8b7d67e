//! The life of a leased unit: its inputs come, it is solved, its shard goes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retrotab_tablefmt::layout::SectionId;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tracing::{debug, error, info, warn};

use super::backoff::Backoff;
use super::error::{UnitTrouble, WorkerError};
use super::held::{Held, Stage};
use super::inputs::Inputs;
use super::session::Session;
use super::solving::{Solved, Solving};
use super::submit::{Submitted, submit};
use super::transport::ShardTransport;

/// What units are worked on with.
pub(crate) struct Workshop {
    pub(crate) session: Arc<Session>,
    pub(crate) transport: Arc<dyn ShardTransport>,
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) solving: Solving,
    /// A unit has gone; perhaps others can be had now.
    pub(crate) gone: Notify,
    pub(crate) rest: Rest,
}

/// How long the worker should ask for nothing, because something is wrong with it.
#[derive(Default)]
pub(crate) struct Rest(Mutex<Option<(Backoff, Duration)>>);

impl Rest {
    /// The rest that is due now; it is taken once.
    pub(crate) fn take(&self) -> Duration {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rest.as_mut().map_or(Duration::ZERO, |(_, due)| std::mem::take(due))
    }

    /// Something went wrong: a longer rest than the time before.
    fn prolong(&self) {
        let mut rest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (backoff, due) = rest.get_or_insert_with(|| (Backoff::new(), Duration::ZERO));
        *due = backoff.delay();
    }

    /// All is well.
    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Workshop {
    /// Works on a unit that will be solved after one of section `before` of the same job. No
    /// other unit is leased ahead until `ahead` is dropped.
    pub(crate) async fn work(
        &self,
        held: Arc<Held>,
        before: Option<SectionId>,
        ahead: OwnedSemaphorePermit,
    ) {
        let section = &held.job.layout.sections[held.range.section.0 as usize].name;
        info!(section, entries = held.range.entries, "leased");
        match self.solve(&held, before, ahead).await {
            Ok(solved) => {
                self.rest.end();
                held.set_stage(Stage::Finished);
                self.hand_in(&held, &solved).await;
            }
            Err(trouble) => self.give_back(&held, trouble).await,
        }
    }

    async fn solve(
        &self,
        held: &Arc<Held>,
        before: Option<SectionId>,
        ahead: OwnedSemaphorePermit,
    ) -> Result<Solved, UnitTrouble> {
        tokio::select! {
            () = held.dropped().cancelled() => return Err(UnitTrouble::Dropped),
            fetched = self.inputs.prefetch(held, before) => fetched?,
        }
        let turn = tokio::select! {
            () = held.dropped().cancelled() => return Err(UnitTrouble::Dropped),
            turn = self.solving.turn() => turn,
        };
        drop(ahead);
        debug!("solving");
        self.solving.solve(turn, held, &self.inputs).await
    }

    async fn hand_in(&self, held: &Held, solved: &Solved) {
        match submit(&self.session, self.transport.as_ref(), held, solved).await {
            Submitted::Accepted | Submitted::Dropped => {}
            Submitted::TooLate => {
                warn!("leaving with a finished shard that could not be submitted");
                self.session.end_lease(held, String::new()).await;
            }
        }
        self.gone.notify_one();
    }

    async fn give_back(&self, held: &Held, trouble: UnitTrouble) {
        let failure = match trouble {
            UnitTrouble::Dropped => {
                if held.ended().is_some() {
                    // The coordinator knows.
                    return self.gone.notify_one();
                }
                debug!("given back");
                String::new()
            }
            UnitTrouble::Ours(what) => {
                warn!("given back, for this worker cannot go on for now: {what}");
                self.rest.prolong();
                String::new()
            }
            UnitTrouble::TooLittleMemory(what) => {
                let unit = held.unit;
                self.session.fail(WorkerError::Memory { unit, what });
                String::new()
            }
            UnitTrouble::Units(what) => {
                error!("failed: {what}");
                what
            }
        };
        self.session.end_lease(held, failure).await;
        self.gone.notify_one();
    }
}
