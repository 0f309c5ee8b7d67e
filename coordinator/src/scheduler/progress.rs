//! Where a job stands.

use retrotab_tablefmt::layout::SectionId;

use crate::ids::WorkerId;

use super::{Scheduler, WorkerName};

/// Where a job stands. Entries of running units count as far as their workers have reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobProgress {
    /// Units of the job.
    pub units: u32,
    /// Units that are done.
    pub units_done: u32,
    /// Units being computed.
    pub units_running: u32,
    /// Entries of the job.
    pub entries: u64,
    /// Entries of units that are done.
    pub entries_done: u64,
    /// Entries computed in units that are not done.
    pub entries_running: u64,
    /// Every section, in order.
    pub sections: Vec<SectionProgress>,
    /// Every registered worker.
    pub workers: Vec<WorkerStatus>,
}

/// Where a section stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionProgress {
    /// The section.
    pub section: SectionId,
    /// Units of the section.
    pub units: u32,
    /// Units that are done.
    pub units_done: u32,
    /// Entries of the section.
    pub entries: u64,
    /// Entries of units that are done.
    pub entries_done: u64,
    /// Entries computed in units that are not done.
    pub entries_running: u64,
    /// Whether it can be worked on.
    pub state: SectionState,
}

/// Whether a section can be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionState {
    /// It needs sections that are not complete.
    Blocked,
    /// Its units are ready or running.
    Open,
    /// All its units are done.
    Complete,
}

/// A registered worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerStatus {
    /// Its id.
    pub worker: WorkerId,
    /// Its name.
    pub name: WorkerName,
    /// Leases it holds.
    pub leases: usize,
}

impl Scheduler {
    /// Where the job stands. Looks at all sections, workers and running units.
    pub fn progress(&self) -> JobProgress {
        let graph = self.frontier.graph();
        let mut sections: Vec<_> = graph.sections().map(|s| self.section_progress(s)).collect();
        let mut entries_running = 0;
        for unit in self.leases.running_units() {
            let reported = self.leases.of_unit(unit).iter().filter_map(|id| self.leases.get(*id));
            let furthest = reported.map(|lease| lease.progress).max().unwrap_or(0);
            sections[graph.range(unit).section.0 as usize].entries_running += furthest;
            entries_running += furthest;
        }
        let workers = self.workers.iter().map(|(worker, known)| WorkerStatus {
            worker,
            name: known.name.clone(),
            leases: known.held(),
        });
        JobProgress {
            units: graph.unit_count(),
            units_done: self.frontier.units_done(),
            units_running: self.frontier.units_running(),
            entries: graph.entries(),
            entries_done: sections.iter().map(|s| s.entries_done).sum(),
            entries_running,
            sections,
            workers: workers.collect(),
        }
    }

    fn section_progress(&self, section: SectionId) -> SectionProgress {
        let graph = self.frontier.graph();
        let (left, entries_done) = self.frontier.section(section);
        let units = graph.units_of(section).len() as u32;
        let state = match left {
            0 => SectionState::Complete,
            _ if self.frontier.is_open(section) => SectionState::Open,
            _ => SectionState::Blocked,
        };
        SectionProgress {
            section,
            units,
            units_done: units - left,
            entries: graph.section(section).entries,
            entries_done,
            entries_running: 0,
            state,
        }
    }
}
