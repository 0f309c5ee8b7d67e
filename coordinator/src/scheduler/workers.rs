//! Workers as the scheduler sees them.

use std::collections::{BTreeMap, HashMap, HashSet};

use retrotab_tablefmt::layout::SectionId;

use crate::ids::{LeaseId, Tick, UnitId, WorkerId};

use super::answers::WorkerName;

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) name: WorkerName,
    /// Active leases, with the sections of their units.
    leases: BTreeMap<LeaseId, SectionId>,
    /// Where its last unit was: it has the inputs of that section.
    pub(super) home: Option<SectionId>,
    /// Failures since the last shard.
    pub(super) failures: u32,
    /// Gets nothing before this moment.
    pub(super) not_before: Tick,
    /// Units it has lost; others should try these first.
    pub(super) lost: HashSet<UnitId>,
}

impl Worker {
    /// How many leases it holds.
    pub(super) fn held(&self) -> usize {
        self.leases.len()
    }

    /// Its active leases.
    pub(super) fn leases(&self) -> impl Iterator<Item = LeaseId> {
        self.leases.keys().copied()
    }

    fn is_in(&self, section: SectionId) -> bool {
        self.leases.values().any(|of| *of == section)
    }
}

#[derive(Debug, Default)]
pub(super) struct Workers {
    next: u64,
    all: BTreeMap<WorkerId, Worker>,
    /// By section, workers that hold leases of its units; none is zero.
    crowds: HashMap<SectionId, u32>,
}

impl Workers {
    pub(super) fn add(&mut self, name: &str) -> WorkerId {
        let id = WorkerId(self.next);
        self.next += 1;
        let worker = Worker {
            name: name.into(),
            leases: BTreeMap::new(),
            home: None,
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

    /// Forgets a worker whose leases have all ended.
    pub(super) fn remove(&mut self, id: WorkerId) {
        let removed = self.all.remove(&id);
        debug_assert!(removed.is_none_or(|worker| worker.leases.is_empty()));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.all.iter().map(|(id, worker)| (*id, worker))
    }

    /// Workers that hold leases of a section's units.
    pub(super) fn in_section(&self, section: SectionId) -> u32 {
        self.crowds.get(&section).copied().unwrap_or(0)
    }

    /// A worker begins a unit of a section.
    pub(super) fn start(&mut self, id: WorkerId, lease: LeaseId, section: SectionId) {
        let Some(worker) = self.all.get_mut(&id) else { return };
        if !worker.is_in(section) {
            *self.crowds.entry(section).or_default() += 1;
        }
        worker.leases.insert(lease, section);
        worker.home = Some(section);
    }

    /// A worker's lease has ended.
    pub(super) fn end(&mut self, id: WorkerId, lease: LeaseId) {
        let Some(worker) = self.all.get_mut(&id) else { return };
        let Some(section) = worker.leases.remove(&lease) else { return };
        if worker.is_in(section) {
            return;
        }
        if let Some(crowd) = self.crowds.get_mut(&section) {
            *crowd -= 1;
            if *crowd == 0 {
                self.crowds.remove(&section);
            }
        }
    }
}
