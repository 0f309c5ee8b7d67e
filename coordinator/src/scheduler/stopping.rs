//! How a job stops before it is finished, and how it goes on.

use crate::ids::Tick;

use super::{Ended, Event, Refused, Scheduler, Status, Stop, StopReason};

impl Scheduler {
    /// A user wants no more of the job. Its leases end and no more are granted; shards that
    /// still come are kept. Does nothing if the job is finished or has stopped already.
    pub fn cancel(&mut self, now: Tick) {
        self.advance(now);
        if self.status() == Status::Running {
            self.stop_job(Stop { unit: None, reason: StopReason::Cancelled });
        }
    }

    /// Goes on with a job that was cancelled or stopped by failures; these are forgotten, so
    /// every unit has all its attempts again. Does nothing if the job has not stopped. What
    /// the state says of the stop is the driver's to remove.
    ///
    /// # Errors
    /// [`Refused::Untrusted`] after a conflict.
    pub fn resume(&mut self, now: Tick) -> Result<(), Refused> {
        self.advance(now);
        let Some(stop) = &self.stop else { return Ok(()) };
        if let (StopReason::Conflict(_), Some(unit)) = (&stop.reason, stop.unit) {
            return Err(Refused::Untrusted(unit));
        }
        self.stop = None;
        for unit in &mut self.units {
            (unit.failures, unit.losses) = (0, 0);
        }
        self.note_if_finished();
        Ok(())
    }

    /// Ends the job and its leases. They are remembered: a shard that comes after all is as
    /// good as before, and no failure of theirs hides why the job stopped.
    pub(super) fn stop_job(&mut self, stop: Stop) {
        for unit in self.leases.running_units().collect::<Vec<_>>() {
            for lease in self.leases.of_unit(unit).to_vec() {
                self.end(lease, Ended::JobStopped);
            }
            self.put_back_if_idle(unit);
        }
        self.events.push(Event::JobStopped(stop.clone()));
        self.stop = Some(stop);
    }

    pub(super) fn note_if_finished(&mut self) {
        if self.status() == Status::Finished {
            self.events.push(Event::JobFinished);
        }
    }
}
