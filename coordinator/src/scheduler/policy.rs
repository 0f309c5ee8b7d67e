//! The numbers by which the scheduler decides.

use std::time::Duration;

/// The numbers by which the scheduler decides. They change when work is done and by whom,
/// never what the table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// How long a lease lasts without progress.
    pub lease_time: Duration,
    /// After how many failures of one unit (reported by its workers, or bad shards) the job
    /// stops.
    pub attempts: u32,
    /// After how many leases of one unit that were lost (out of time, or with their worker)
    /// the job stops. Far more than failures: workers are stopped, moved and cut off for
    /// reasons of their own. Still bounded, for a unit may be what kills them.
    pub losses: u32,
    /// How many leases one worker may hold at a time when it asks for a unit. What it
    /// reclaims may make them twice as many.
    pub leases_per_worker: usize,
    /// How many entries can be fetched, by all workers together, in the time in which one
    /// worker computes one. Where fetching is dear, few workers share a section. See
    /// [`fetch_speed_of_link`](Self::fetch_speed_of_link); for a store that serves any number
    /// of workers at once it is `u64::MAX`. The default is a compromise: on a link of
    /// 10 Gbit/s a fleet loses 10 % by it, on one of 1 Gbit/s 30 %.
    pub fetch_speed: u64,
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
            losses: 20,
            leases_per_worker: 2,
            fetch_speed: 20,
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

    /// How many leases one worker may hold when it reclaims: what it was computing, and as
    /// many finished shards that wait for the coordinator to come back.
    pub(super) fn reclaimed_leases_per_worker(&self) -> usize {
        self.leases_per_worker.saturating_mul(2)
    }

    /// The [`fetch_speed`](Self::fetch_speed) of a link of the coordinator, for stack tables:
    /// an entry is 13 bits on the link, and a worker of one core computes 15 million a second.
    pub const fn fetch_speed_of_link(bits_per_second: u64) -> u64 {
        bits_per_second / (13 * 15_000_000)
    }

    /// The back-off after the `failures`-th failure in a row.
    pub(super) fn back_off_after(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.back_off.saturating_mul(doubled).min(self.longest_back_off)
    }
}
