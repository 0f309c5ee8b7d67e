//! How fast something grows.

use std::collections::VecDeque;
use std::time::Duration;

use crate::ids::Tick;

/// Over which time rates are taken.
const WINDOW: Duration = Duration::from_secs(60);
/// Two samples are at least so far apart, which bounds their number.
const STEP: Duration = Duration::from_secs(1);

/// The rate of a growing count over the last minute.
#[derive(Debug, Default)]
pub(super) struct Meter {
    samples: VecDeque<(Tick, u64)>,
}

impl Meter {
    /// The count is `count` now. One that has shrunk, as when work was lost, starts afresh.
    pub(super) fn note(&mut self, now: Tick, count: u64) {
        if self.samples.back().is_some_and(|&(_, last)| count < last) {
            self.samples.clear();
        }
        if self.samples.back().is_some_and(|&(at, _)| now.since(at) < STEP) {
            return;
        }
        self.samples.push_back((now, count));
        while self.samples.front().is_some_and(|&(at, _)| now.since(at) > WINDOW) {
            self.samples.pop_front();
        }
    }

    /// Growth a second; 0 while nothing is known.
    pub(super) fn rate(&self, now: Tick) -> f64 {
        let (Some(&(from, first)), Some(&(_, last))) = (self.samples.front(), self.samples.back())
        else {
            return 0.0;
        };
        let time = now.since(from).as_secs_f64();
        if time < STEP.as_secs_f64() { 0.0 } else { (last - first) as f64 / time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Tick {
        Tick(Duration::from_secs(seconds))
    }

    #[test]
    fn rates_follow_the_last_minute() {
        let mut meter = Meter::default();
        assert_eq!(meter.rate(at(0)), 0.0);
        for second in 0..=100 {
            meter.note(at(second), if second < 40 { 0 } else { 10 * (second - 40) });
        }
        assert_eq!(meter.rate(at(100)), 10.0);
        // Nothing more comes: the rate falls.
        assert_eq!(meter.rate(at(160)), 5.0);
        meter.note(at(161), 600);
        assert!(meter.samples.len() < 63);
        meter.note(at(162), 0);
        assert_eq!(meter.rate(at(162)), 0.0);
    }
}
