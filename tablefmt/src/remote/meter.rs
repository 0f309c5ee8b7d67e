//! How much was asked of servers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts requests and the bytes of their answers.
#[derive(Debug, Default)]
pub struct Meter {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    pub(super) fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes that came, without headers.
    pub fn received(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
