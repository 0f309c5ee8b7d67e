//! `retrotab coordinator`: hand out work until told to stop.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::daemon::{Daemon, DaemonOptions};
use retrotab_coordinator::job::Recovery;
use retrotab_coordinator::net::limits::ConnectionLimits;
use retrotab_coordinator::scheduler::Policy;
use retrotab_coordinator::serve::{self, Serving};
use retrotab_coordinator::service::Limits;
use retrotab_tablefmt::objects::{SharedStore, StoreOptions};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::CoordinatorArgs;
use crate::serve::{allow_many_connections, picture};

/// How long what is under way when the coordinator stops may take to end.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Serves until Ctrl-C or SIGTERM.
pub fn coordinator(args: &CoordinatorArgs) -> anyhow::Result<()> {
    allow_many_connections();
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    let ended = runtime.block_on(run(args));
    // A folder that is still being opened need not be waited for: what it holds survives worse.
    runtime.shutdown_timeout(LAST_WORDS);
    ended
}

async fn run(args: &CoordinatorArgs) -> anyhow::Result<()> {
    let mut stop = Box::pin(told_to_stop()?);
    let protection = args.protection.read()?;
    protection.check([args.listen, args.http])?;
    // Before the folder is opened: an address that is taken is said at once.
    let (grpc, http) = (serve::listen(args.listen).await?, serve::listen(args.http).await?);
    let (data, mut options) = (args.data.clone(), options(args));
    let url = args.store.clone();
    let opening = tokio::task::spawn_blocking(move || -> anyhow::Result<Daemon> {
        options.store = url.map(|url| store(&url)).transpose()?;
        Daemon::open(&data, options).map_err(with_advice)
    });
    let (limits, connections) = (Limits::default(), ConnectionLimits::default());
    let (guard, tls) = (protection.guard(), protection.tls);
    let opening = serve::while_opening(http, &guard, &connections, tls.as_ref(), opening);
    let (http, opened) = tokio::select! {
        opened = opening => opened?,
        () = &mut stop => return Ok(()),
    };
    let daemon = Arc::new(opened??);
    let (address, page) = (grpc.local_addr()?, http.local_addr()?);
    let data = args.data.clone();
    tracing::info!(%address, http = %page, data = %data.display(), "coordinator started");
    let serving = Serving { daemon, data, grpc, http, limits, connections, guard, tls };
    serving.run(stop).await?;
    tracing::info!("coordinator stopped");
    Ok(())
}

/// Says how a state that is missing or damaged is made anew.
fn with_advice(error: CoordinatorError) -> anyhow::Error {
    match error {
        CoordinatorError::StateDamaged { .. } | CoordinatorError::StateMissing { .. } => {
            anyhow::Error::from(error).context("start the coordinator once with --rebuild")
        }
        error => error.into(),
    }
}

/// The shared store, which must be there.
fn store(url: &str) -> anyhow::Result<SharedStore> {
    let store = SharedStore::open(url, &StoreOptions::default())?;
    store.probe()?;
    Ok(store)
}

fn options(args: &CoordinatorArgs) -> DaemonOptions {
    let lease_time = Duration::from_secs(args.lease_seconds.into());
    let policy = Policy { lease_time, ..Policy::default() };
    let recovery = if args.rebuild { Recovery::RebuildAlways } else { Recovery::Refuse };
    DaemonOptions { policy, recovery, draw: Some(picture), ..DaemonOptions::default() }
}

/// Ends when the user or the system wants the process to stop; the second time it exits at once.
pub fn told_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot catch Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot catch SIGTERM")?;
    let mut told = async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    Ok(async move {
        told().await;
        tracing::info!("stopping; once more to stop at once");
        tokio::spawn(async move {
            told().await;
            // 128 + SIGINT, as shells expect.
            std::process::exit(130);
        });
    })
}
