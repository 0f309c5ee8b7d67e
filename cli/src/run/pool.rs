//! The threads that compute.

use std::num::NonZeroUsize;

use anyhow::Context;

/// A pool of `threads` threads, or of as many as the machine has cores.
pub fn build(threads: Option<NonZeroUsize>) -> anyhow::Result<rayon::ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.thread_name(|i| format!("solver-{i}")).build().context("cannot start threads")
}
