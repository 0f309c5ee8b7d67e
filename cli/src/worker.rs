//! `retrotab worker`: compute for a coordinator.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context;
use retrotab_worker::remote::{self, CACHE_BYTES, Leave, WorkerOptions};
use tokio_util::sync::CancellationToken;

use crate::args::WorkerArgs;
use crate::run::{default_memory, interrupt};

/// How soon Ctrl-C is noticed.
const LOOK: Duration = Duration::from_millis(50);

/// Computes for a coordinator until told to stop.
pub fn worker(args: &WorkerArgs) -> anyhow::Result<()> {
    let options = options(args)?;
    let stop = interrupt::catch()?;
    // These threads only talk to the network; the worker has its own ones to compute on.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("network")
        .enable_all()
        .build()
        .context("cannot start threads")?;
    runtime.block_on(async {
        let told = CancellationToken::new();
        let when_told = async {
            while !stop.is_set() {
                tokio::time::sleep(LOOK).await;
            }
            told.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            done = remote::run(options, told.clone()) => Ok(done?),
            () = when_told => unreachable!("it waits for ever"),
        }
    })
}

fn options(args: &WorkerArgs) -> anyhow::Result<WorkerOptions> {
    let threads = match args.threads {
        Some(threads) => threads,
        None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    let name = args.name.clone().unwrap_or_else(|| std::process::id().to_string());
    Ok(WorkerOptions {
        connection: args.remote.connect_options()?,
        threads,
        memory: args.memory.map_or_else(default_memory, |memory| memory.as_u64()),
        cache: args.cache.clone(),
        cache_bytes: args.cache_bytes.map_or(CACHE_BYTES, |bytes| bytes.as_u64()),
        host: gethostname::gethostname().to_string_lossy().into_owned(),
        name,
        leave: if args.until_finished { Leave::WhenFinished } else { Leave::Never },
    })
}
