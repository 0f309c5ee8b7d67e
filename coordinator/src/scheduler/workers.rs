//! Workers as the scheduler sees them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::ids::{LeaseId, Tick, UnitId, WorkerId};

use super::answers::WorkerName;

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) name: WorkerName,
    pub(super) leases: BTreeSet<LeaseId>,
    /// Failures since the last shard.
    pub(super) failures: u32,
    /// Gets nothing before this moment.
    pub(super) not_before: Tick,
    /// Units it has lost; others should try these first.
    pub(super) lost: HashSet<UnitId>,
}

#[derive(Debug, Default)]
pub(super) struct Workers {
    next: u64,
    all: BTreeMap<WorkerId, Worker>,
}

impl Workers {
    pub(super) fn add(&mut self, name: &str) -> WorkerId {
        let id = WorkerId(self.next);
        self.next += 1;
        let worker = Worker {
            name: name.into(),
            leases: BTreeSet::new(),
            failures: 0,
            not_before: Tick::default(),
            lost: HashSet::new(),
        };
        self.all.insert(id, worker);
        id
    }

    pub(super) fn get(&self, id: WorkerId) -> Option<&Worker> {
        self.all.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: WorkerId) -> Option<&mut Worker> {
        self.all.get_mut(&id)
    }

    pub(super) fn remove(&mut self, id: WorkerId) -> Option<Worker> {
        self.all.remove(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.all.iter().map(|(id, worker)| (*id, worker))
    }
}
