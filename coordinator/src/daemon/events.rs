//! What happened last in a job, for people.

use std::collections::VecDeque;

use retrotab_proto::v1::JobEvent;
use retrotab_tablefmt::layout::TableLayout;

use crate::clock::unix_millis;
use crate::scheduler::Event;

/// Events that are remembered.
const KEPT: usize = 200;

/// The last events of a job.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    events: VecDeque<JobEvent>,
}

impl EventLog {
    /// Notes something.
    pub(super) fn note(&mut self, text: String, warning: bool) {
        self.events.push_back(JobEvent { unix_millis: unix_millis(), text, warning });
        if self.events.len() > KEPT {
            self.events.pop_front();
        }
    }

    /// Notes what the scheduler decided, except that single units are done: there are too many.
    pub(super) fn hear(&mut self, layout: &TableLayout, event: &Event) {
        match event {
            Event::AttemptFailed { unit, worker, reason, .. } => {
                self.note(format!("unit {unit} on {worker}: {reason}"), true);
            }
            Event::UnitDone { .. } => {}
            Event::UnitReopened { unit } => {
                self.note(format!("unit {unit} must be computed again"), true);
            }
            Event::SectionDone { section } => {
                let section = layout.sections.get(section.0 as usize);
                let name = section.map_or("", |section| section.name.as_str());
                self.note(format!("section {name} is done"), false);
            }
            Event::JobFinished => self.note("all units are done".to_owned(), false),
            Event::JobStopped(stop) => self.note(format!("the job has stopped: {stop}"), true),
        }
    }

    /// The events, the newest last.
    pub(super) fn list(&self) -> Vec<JobEvent> {
        self.events.iter().cloned().collect()
    }
}
