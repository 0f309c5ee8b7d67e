//! Where the time comes from.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::ids::Tick;

/// A monotonic clock.
pub trait Clock: Send + Sync {
    /// The time since some fixed moment.
    fn now(&self) -> Tick;
}

/// The system's monotonic clock. It does not follow changes of the date.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Tick {
        Tick(self.start.elapsed())
    }
}

/// The date, in milliseconds since 1970. Only told to people: nothing is decided by it.
pub fn unix_millis() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    time.map_or(0, |time| time.as_millis() as u64)
}

/// A clock that is moved by hand: for tests and simulations.
#[derive(Debug, Default)]
pub struct ManualClock {
    now: Mutex<Duration>,
}

impl ManualClock {
    /// Moves the time on.
    pub fn pass(&self, time: Duration) {
        *self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += time;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Tick {
        Tick(*self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
