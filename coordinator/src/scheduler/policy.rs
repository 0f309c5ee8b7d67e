//! The numbers by which the scheduler decides.

use std::time::Duration;

/// The numbers by which the scheduler decides. They change when work is done and by whom,
/// never what the table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How long a lease lasts without progress.
    pub lease_time: Duration,
    /// After how many leases of one unit that ended without a result the job stops.
    pub attempts: u32,
    /// How many leases one worker may hold at a time.
    pub leases_per_worker: usize,
    /// How long a unit must have been running before an idle worker may get a copy of it.
    pub copy_after: Duration,
    /// How long a worker gets nothing after a failure; doubled by each further failure in a
    /// row. Keeps a broken worker from failing every unit while good ones are at work.
    pub back_off: Duration,
    /// The longest back-off.
    pub longest_back_off: Duration,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            lease_time: Duration::from_secs(60),
            attempts: 5,
            leases_per_worker: 2,
            copy_after: Duration::from_secs(10),
            back_off: Duration::from_secs(1),
            longest_back_off: Duration::from_secs(60),
        }
    }
}

impl Policy {
    /// For one worker in the coordinator's own process: its failures are the job's.
    pub fn one_process() -> Policy {
        Policy { attempts: 1, back_off: Duration::ZERO, ..Policy::default() }
    }

    /// The back-off after the `failures`-th failure in a row.
    pub(super) fn back_off_after(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.back_off.saturating_mul(doubled).min(self.longest_back_off)
    }
}
