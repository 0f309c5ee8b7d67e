//! Trying again later, and which failures are worth it.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::explain::hint_about_tls;

/// First wait; a random part of up to as much comes on top.
const SHORTEST: Duration = Duration::from_millis(200);
/// Waits double up to this.
const LONGEST: Duration = Duration::from_secs(20);

/// Waits between attempts: randomised, each longer than the one before.
pub(crate) struct Backoff(ExponentialBackoff);

impl Backoff {
    pub(crate) fn new() -> Backoff {
        let builder = ExponentialBuilder::new().with_min_delay(SHORTEST).with_max_delay(LONGEST);
        // Seeded anew: the crate's own seed is always the same one, and workers that lost their
        // coordinator together must not come back together.
        let builder = builder.with_jitter().with_jitter_seed(fastrand::u64(..));
        Backoff(builder.without_max_times().build())
    }

    /// The next wait.
    pub(crate) fn delay(&mut self) -> Duration {
        self.0.next().unwrap_or(LONGEST)
    }

    /// Waits, but not when there is nothing to wait for any more.
    pub(crate) async fn wait(&mut self, over: &CancellationToken) {
        let delay = self.delay();
        let _ = tokio::time::timeout(delay, over.cancelled()).await;
    }
}

/// What to do about a call that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failed {
    /// The same call may succeed later: the coordinator is away, or busy.
    ForNow,
    /// It will not succeed, but others may.
    ForGood,
    /// No call of this worker will ever succeed.
    Always,
}

/// What to do about a call that failed.
pub(crate) fn failed(status: &Status) -> Failed {
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => Failed::Always,
        Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            Failed::ForGood
        }
        // Broken connections have many codes.
        _ => Failed::ForNow,
    }
}

/// Whether the same call may succeed later, made by a user rather than a worker: the coordinator
/// is away, restarting or busy.
pub fn is_passing(status: &Status) -> bool {
    failed(status) == Failed::ForNow
}

/// What went wrong, for people: code and message, and what is behind a broken connection.
pub(crate) fn describe(status: &Status) -> String {
    let mut text = status.message().to_owned();
    if text.is_empty() {
        text = status.code().to_string();
    }
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    match hint_about_tls(status) {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound_and_differ() {
        let waits = |n: usize| {
            let mut backoff = Backoff::new();
            (0..n).map(|_| backoff.delay()).collect::<Vec<_>>()
        };
        let (one, two) = (waits(30), waits(30));
        assert_ne!(one, two);
        for (i, wait) in one.iter().enumerate() {
            let least = SHORTEST.saturating_mul(1 << i.min(20)).min(LONGEST);
            assert!(*wait >= least && *wait <= 2 * LONGEST, "{i}: {wait:?}");
        }
    }
}
