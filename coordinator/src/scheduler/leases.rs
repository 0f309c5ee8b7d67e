//! Leases: who has which unit until when, and how earlier leases ended.
//!
//! A lease that has ended is remembered, because its holder may still come with a shard or a
//! heartbeat. Their number is bounded: a unit has a bounded number of failed leases, one
//! completed one and few copies.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::ids::{LeaseId, Tick, UnitId, WorkerId};

use super::answers::{Ended, WorkerName};

#[derive(Debug, Clone)]
pub(super) struct Lease {
    pub(super) unit: UnitId,
    pub(super) worker: WorkerId,
    pub(super) worker_name: WorkerName,
    pub(super) granted: Tick,
    pub(super) deadline: Tick,
    /// Entries computed, as its holder says.
    pub(super) progress: u64,
    /// Entries of other sections fetched for the unit, as its holder says.
    pub(super) fetched: u64,
    /// `None` while it is active.
    pub(super) ended: Option<Ended>,
}

impl Lease {
    /// How much longer it will run at the pace so far; without progress, for ever.
    pub(super) fn remaining(&self, now: Tick, entries: u64) -> Duration {
        match self.progress {
            0 => Duration::MAX,
            done => {
                let left = entries.saturating_sub(done) as f64 / done as f64;
                let pace = now.since(self.granted).as_secs_f64();
                Duration::try_from_secs_f64(pace * left).unwrap_or(Duration::MAX)
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Leases {
    next: LeaseId,
    all: HashMap<LeaseId, Lease>,
    /// Active leases of every running unit: one, or two when there is a copy.
    by_unit: HashMap<UnitId, Vec<LeaseId>>,
    by_deadline: BTreeSet<(Tick, LeaseId)>,
    /// Active leases whose unit has no other, by when they were granted.
    alone: BTreeSet<(Tick, LeaseId)>,
}

impl Leases {
    pub(super) fn new(first: LeaseId) -> Leases {
        Leases {
            next: first,
            all: HashMap::new(),
            by_unit: HashMap::new(),
            by_deadline: BTreeSet::new(),
            alone: BTreeSet::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn next_id(&self) -> LeaseId {
        self.next
    }

    pub(super) fn get(&self, lease: LeaseId) -> Option<&Lease> {
        self.all.get(&lease)
    }

    /// Active leases of a unit.
    pub(super) fn of_unit(&self, unit: UnitId) -> &[LeaseId] {
        self.by_unit.get(&unit).map_or(&[], Vec::as_slice)
    }

    pub(super) fn next_deadline(&self) -> Option<Tick> {
        self.by_deadline.first().map(|&(deadline, _)| deadline)
    }

    /// An active lease whose time is over.
    pub(super) fn expired(&self, now: Tick) -> Option<LeaseId> {
        self.by_deadline.first().filter(|(deadline, _)| *deadline <= now).map(|&(_, id)| id)
    }

    /// Active leases whose unit has no other and that were granted no later than `latest`,
    /// the earliest first.
    pub(super) fn alone_since(&self, latest: Tick) -> impl Iterator<Item = (LeaseId, &Lease)> {
        let alone = self.alone.iter().take_while(move |(granted, _)| *granted <= latest);
        alone.map(|(_, id)| (*id, &self.all[id]))
    }

    /// Units that have active leases.
    pub(super) fn running_units(&self) -> impl Iterator<Item = UnitId> {
        self.by_unit.keys().copied()
    }

    pub(super) fn grant(
        &mut self,
        unit: UnitId,
        (worker, worker_name): (WorkerId, WorkerName),
        now: Tick,
        deadline: Tick,
    ) -> LeaseId {
        let id = self.next;
        self.next = id.next();
        let lease = Lease {
            unit,
            worker,
            worker_name,
            granted: now,
            deadline,
            progress: 0,
            fetched: 0,
            ended: None,
        };
        self.all.insert(id, lease);
        self.by_deadline.insert((deadline, id));
        self.by_unit.entry(unit).or_default().push(id);
        self.refresh_alone(unit);
        id
    }

    /// Notes how many entries of its unit a lease has brought.
    pub(super) fn note_progress(&mut self, id: LeaseId, entries: u64) {
        if let Some(lease) = self.all.get_mut(&id) {
            lease.progress = entries;
        }
    }

    /// Notes how many entries were fetched for a lease's unit.
    pub(super) fn note_fetched(&mut self, id: LeaseId, entries: u64) {
        if let Some(lease) = self.all.get_mut(&id) {
            lease.fetched = entries;
        }
    }

    /// Moves the end of an active lease.
    pub(super) fn renew(&mut self, id: LeaseId, deadline: Tick) {
        let Some(lease) = self.all.get_mut(&id) else { return };
        self.by_deadline.remove(&(lease.deadline, id));
        lease.deadline = deadline;
        self.by_deadline.insert((deadline, id));
    }

    /// Ends an active lease and remembers how.
    pub(super) fn end(&mut self, id: LeaseId, ended: Ended) {
        let Some(lease) = self.all.get_mut(&id) else { return };
        lease.ended = Some(ended);
        let (unit, granted, deadline) = (lease.unit, lease.granted, lease.deadline);
        self.by_deadline.remove(&(deadline, id));
        self.alone.remove(&(granted, id));
        if let Some(active) = self.by_unit.get_mut(&unit) {
            active.retain(|other| *other != id);
            if active.is_empty() {
                self.by_unit.remove(&unit);
            }
        }
        self.refresh_alone(unit);
    }

    /// Forgets a lease that has ended.
    pub(super) fn forget(&mut self, id: LeaseId) {
        self.all.remove(&id);
    }

    /// Corrects a lease that had ended before its holder's shard came.
    pub(super) fn mark_completed(&mut self, id: LeaseId) {
        if let Some(lease) = self.all.get_mut(&id) {
            lease.ended = Some(Ended::Completed);
        }
    }

    fn refresh_alone(&mut self, unit: UnitId) {
        let active = self.by_unit.get(&unit).map_or(&[][..], Vec::as_slice);
        for id in active {
            let key = (self.all[id].granted, *id);
            if active.len() == 1 {
                self.alone.insert(key);
            } else {
                self.alone.remove(&key);
            }
        }
    }
}
