//! The threads that compute.

use std::num::NonZeroUsize;

use anyhow::Context;

/// Lets everything in this process compute on `threads` threads, or on as many as the machine
/// has cores. Other threads hand computation to these and only wait for the disk themselves.
pub fn start(threads: Option<NonZeroUsize>) -> anyhow::Result<()> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.thread_name(|i| format!("solver-{i}")).build_global().context("cannot start threads")
}
