//! What is looked at every few seconds and remembered for a while: the rate, for a plot, and
//! how full the disk is.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::MissedTickBehavior;
use tracing::warn;

use crate::clock::unix_millis;
use crate::metrics::Disk;
use crate::view::View;

/// Time between two samples.
pub const INTERVAL: Duration = Duration::from_secs(5);

/// Most samples that are kept: an hour.
pub const SAMPLES: usize = 720;

/// The rate at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sample {
    /// When, in milliseconds since 1970 by the wall clock.
    pub unix_millis: u64,
    /// Entries a second over all jobs.
    pub entries_per_second: f64,
    /// Registered workers.
    pub workers: usize,
}

/// What `/api/rates` gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rates {
    /// Time between two samples.
    pub interval_millis: u64,
    /// The newest last.
    pub samples: Vec<Sample>,
}

/// The samples of the last hour.
#[derive(Debug, Default)]
pub struct Samples {
    kept: Mutex<VecDeque<Sample>>,
    disk: Mutex<Option<Disk>>,
}

impl Samples {
    /// Takes a sample now.
    pub fn take(&self, view: &dyn View) {
        let jobs = view.jobs();
        let sample = Sample {
            unix_millis: unix_millis(),
            entries_per_second: jobs.iter().map(|job| job.entries_per_second).sum(),
            workers: view.workers().len(),
        };
        self.push(sample);
    }

    /// Adds a sample; the oldest goes if there are too many.
    pub fn push(&self, sample: Sample) {
        let mut kept = lock(&self.kept);
        kept.push_back(sample);
        while kept.len() > SAMPLES {
            kept.pop_front();
        }
    }

    /// Those taken later than a moment, in milliseconds since 1970.
    pub fn since(&self, moment: u64) -> Rates {
        let kept = lock(&self.kept);
        let later = kept.iter().filter(|sample| sample.unix_millis > moment).copied();
        Rates { interval_millis: INTERVAL.as_millis() as u64, samples: later.collect() }
    }

    /// The disk of the data folder, as it was a moment ago.
    pub fn disk(&self) -> Option<Disk> {
        *lock(&self.disk)
    }
}

/// Takes samples, and asks how full the disk of the data folder is, for as long as it is polled.
pub async fn keep(samples: Arc<Samples>, view: Arc<dyn View>, data: PathBuf) {
    let rates = async {
        let mut ticks = ticks();
        loop {
            ticks.tick().await;
            samples.take(view.as_ref());
        }
    };
    // Apart, because a network disk may keep it waiting.
    let disk = async {
        let mut ticks = ticks();
        loop {
            ticks.tick().await;
            let data = data.clone();
            let asked = tokio::task::spawn_blocking(move || Disk::of(&data)).await;
            let disk = asked.map_err(std::io::Error::other).flatten();
            if let Err(error) = &disk {
                warn!("cannot ask how full the disk of the data folder is: {error}");
            }
            *lock(&samples.disk) = disk.ok();
        }
    };
    tokio::join!(rates, disk);
}

fn ticks() -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_samples_go() {
        let samples = Samples::default();
        for moment in 1..=SAMPLES as u64 + 10 {
            let sample = Sample { unix_millis: moment, entries_per_second: 1.0, workers: 1 };
            samples.push(sample);
        }
        let all = samples.since(0).samples;
        assert_eq!(all.len(), SAMPLES);
        assert_eq!(all[0].unix_millis, 11);
        let newest = samples.since(SAMPLES as u64 + 8).samples;
        assert_eq!(newest.iter().map(|s| s.unix_millis).collect::<Vec<_>>(), [729, 730]);
    }
}
