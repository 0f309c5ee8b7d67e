//! The units that a worker holds leases of.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retrotab_proto::v1::LeaseProgress;
use retrotab_tablefmt::layout::UnitRange;
use retrotab_tablefmt::shard::UnitId;
use tokio_util::sync::CancellationToken;

use super::description::Job;
use super::transport::Moved;
use crate::progress::Progress;

/// Where a unit is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its inputs are being fetched.
    Fetching,
    /// It is being solved.
    Solving,
    /// Its shard is there, but the coordinator does not have it yet.
    Finished,
}

/// A unit that this worker holds a lease of, or has held one of.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) job: Arc<Job>,
    pub(crate) unit: UnitId,
    pub(crate) range: UnitRange,
    lease: Mutex<Lease>,
    /// Nobody wants it solved any more.
    dropped: CancellationToken,
    solved: AtomicU64,
    /// Bytes of inputs that came.
    pub(crate) fetched: Moved,
    /// Bytes of its shard that went.
    pub(crate) sent: Moved,
}

#[derive(Debug)]
struct Lease {
    id: u64,
    ended: Option<String>,
    stage: Stage,
}

/// Bytes moved that count like an entry: enough to show that a unit is being worked on, few
/// beside the real ones.
const PIECE: u64 = 1 << 20;

impl Held {
    pub(crate) fn new(job: Arc<Job>, unit: UnitId, range: UnitRange, lease: u64) -> Held {
        Held {
            job,
            unit,
            range,
            lease: Mutex::new(Lease { id: lease, ended: None, stage: Stage::Fetching }),
            dropped: CancellationToken::new(),
            solved: AtomicU64::new(0),
            fetched: Moved::default(),
            sent: Moved::default(),
        }
    }

    /// The lease, the newest if there have been several.
    pub(crate) fn lease(&self) -> u64 {
        self.state().id
    }

    pub(crate) fn stage(&self) -> Stage {
        self.state().stage
    }

    pub(crate) fn set_stage(&self, stage: Stage) {
        self.state().stage = stage;
    }

    /// The coordinator says that a lease has ended. What is not solved yet is dropped; a
    /// finished shard is kept, for it may still be wanted.
    pub(crate) fn end(&self, lease: u64, reason: &str) {
        let mut state = self.state();
        if state.id != lease || state.ended.is_some() {
            return;
        }
        state.ended = Some(reason.to_owned());
        if state.stage != Stage::Finished {
            tracing::warn!(unit = self.unit.0, job = self.job.short(), reason, "lease ended");
            self.dropped.cancel();
        }
    }

    /// Why the lease ended, if it has.
    pub(crate) fn ended(&self) -> Option<String> {
        self.state().ended.clone()
    }

    /// A new lease takes the place of the old one.
    pub(crate) fn renew(&self, lease: u64) {
        let mut state = self.state();
        (state.id, state.ended) = (lease, None);
    }

    /// Gives up what is not solved yet, because the worker stops.
    pub(crate) fn drop_unsolved(&self) {
        if self.stage() != Stage::Finished {
            self.dropped.cancel();
        }
    }

    /// Cancelled when nobody wants the unit solved any more.
    pub(crate) fn dropped(&self) -> &CancellationToken {
        &self.dropped
    }

    /// Entries solved. Rows that two units share count for both.
    pub(crate) fn solved(&self) -> u64 {
        self.solved.load(Ordering::Relaxed).min(self.range.entries)
    }

    /// Entries of other sections that came, or a few less: their shards are compressed.
    pub(crate) fn fetched(&self) -> u64 {
        self.fetched.bytes() / self.job.layout.entry_bytes().max(1)
    }

    /// How far the unit is, as the coordinator is told. Pieces of the shard that went count like
    /// an entry each: sending a large one over a slow line is work too.
    pub(crate) fn progress(&self) -> u64 {
        let raw = self.range.entries * self.job.layout.entry_bytes();
        let (pieces, sent) = (raw / PIECE + 1, self.sent.bytes());
        let sent = if sent == 0 { 0 } else { sent / PIECE + 1 };
        let most = self.range.entries.saturating_sub(pieces);
        self.solved().min(most) + sent.min(pieces)
    }

    fn state(&self) -> MutexGuard<'_, Lease> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Held {
    fn advance(&self, positions: u64) {
        self.solved.fetch_add(positions, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.dropped.is_cancelled()
    }
}

/// All units that this worker holds.
#[derive(Debug, Default)]
pub(crate) struct HeldUnits(Mutex<Vec<Arc<Held>>>);

impl HeldUnits {
    /// Holds a unit until the guard is dropped.
    pub(crate) fn hold(self: &Arc<Self>, held: Arc<Held>) -> Holding {
        self.list().push(Arc::clone(&held));
        Holding { all: Arc::clone(self), held }
    }

    /// All of them, the oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Held>> {
        self.list().clone()
    }

    /// What the coordinator wants to know of those whose lease goes on.
    pub(crate) fn progress(&self) -> Vec<LeaseProgress> {
        let all = self.all();
        let going_on = all.iter().filter(|held| held.ended().is_none());
        let progress = going_on.map(|held| LeaseProgress {
            job_digest: held.job.digest.0.to_vec(),
            lease: held.lease(),
            entries: held.progress(),
            fetched: held.fetched(),
        });
        progress.collect()
    }

    /// What the worker is doing, for people.
    pub(crate) fn doing(&self) -> Option<String> {
        let all = self.all();
        let parts = [
            (Stage::Solving, "solving"),
            (Stage::Fetching, "fetching for"),
            (Stage::Finished, "submitting"),
        ];
        let parts = parts.iter().filter_map(|(stage, doing)| {
            let units = all.iter().filter(|held| held.stage() == *stage);
            let units: Vec<String> = units.map(|held| held.unit.to_string()).collect();
            (!units.is_empty()).then(|| format!("{doing} {}", units.join(", ")))
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn list(&self) -> MutexGuard<'_, Vec<Arc<Held>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A unit while it is held.
#[derive(Debug)]
pub(crate) struct Holding {
    all: Arc<HeldUnits>,
    held: Arc<Held>,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.all.list().retain(|other| !Arc::ptr_eq(other, &self.held));
    }
}
