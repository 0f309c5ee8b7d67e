//! Which unit a worker gets.

use std::cmp::Reverse;

use retrotab_tablefmt::layout::SectionId;

use crate::ids::{Tick, UnitId, WorkerId};

use super::Scheduler;
use super::workers::Worker;

impl Scheduler {
    /// The first ready unit of the best section for a worker; one that it has lost before
    /// only if there is no other.
    pub(super) fn choose_ready(&self, worker: WorkerId) -> Option<UnitId> {
        let known = self.workers.get(worker)?;
        let fresh = |section: &SectionId| {
            let mut units = self.frontier.ready_of(*section);
            units.find(|unit| !known.lost.contains(unit))
        };
        if let Some(unit) = known.home.as_ref().and_then(fresh) {
            return Some(unit);
        }
        let sections = self.sections_for(known);
        let any = |section: &SectionId| self.frontier.ready_of(*section).next();
        sections.iter().find_map(fresh).or_else(|| sections.iter().find_map(any))
    }

    /// The sections in which a worker may start a unit: the one it works in, then the others
    /// that are worth joining. Of these, first where nobody is at work, in the order of the
    /// plan, so that no section keeps those behind it waiting; then where most is left for
    /// each worker.
    fn sections_for(&self, worker: &Worker) -> Vec<SectionId> {
        let ready = self.frontier.ready_sections();
        let mut sections: Vec<_> = ready
            .filter(|section| worker.home == Some(*section) || self.is_worth_joining(*section))
            .collect();
        sections.sort_by_key(|section| {
            let share = match u64::from(self.workers.in_section(*section)) {
                0 => u64::MAX,
                workers => self.frontier.entries_ready(*section) / (workers + 1),
            };
            (worker.home != Some(*section), Reverse(share), *section)
        });
        sections
    }

    /// Whether a further worker in a section would have its inputs before the work is done.
    ///
    /// With `w` workers each computes a `w`-th of what is left, and each fetches the needed
    /// section through the link that all share, which takes `w` times as long as for one.
    fn is_worth_joining(&self, section: SectionId) -> bool {
        let workers = u128::from(self.workers.in_section(section)) + 1;
        let fetched = u128::from(self.frontier.graph().largest_need(section));
        let left = u128::from(self.frontier.entries_ready(section));
        let speed = u128::from(self.policy.fetch_speed);
        workers == 1 || workers * workers * fetched <= left * speed
    }

    /// The running unit without a copy that will take longest, if this worker could likely
    /// overtake the one that has it.
    pub(super) fn choose_copy(&self, worker: WorkerId) -> Option<UnitId> {
        let known = self.workers.get(worker)?;
        let latest = Tick(self.now.0.checked_sub(self.policy.copy_after)?);
        let mut slowest = None;
        for (_, lease) in self.leases.alone_since(latest) {
            let range = self.frontier.graph().range(lease.unit);
            let remaining = lease.remaining(self.now, range.entries);
            let worth_it = lease.worker != worker
                && !known.lost.contains(&lease.unit)
                && self.may_end_again(lease.unit)
                && remaining
                    > self.pace.time_for(range.entries + self.detour(known, range.section));
            if worth_it && slowest.is_none_or(|(longest, _)| remaining > longest) {
                slowest = Some((remaining, lease.unit));
            }
        }
        slowest.map(|(_, unit)| unit)
    }

    /// Entries that a worker could compute while it fetches what it lacks for a section.
    fn detour(&self, worker: &Worker, section: SectionId) -> u64 {
        if worker.home == Some(section) {
            return 0;
        }
        self.frontier.graph().largest_need(section) / self.policy.fetch_speed.max(1)
    }

    /// Whether another lease of the unit may end without a result, and the job go on.
    fn may_end_again(&self, unit: UnitId) -> bool {
        let unit = &self.units[unit.0 as usize];
        unit.failures < self.policy.attempts && unit.losses < self.policy.losses
    }
}
