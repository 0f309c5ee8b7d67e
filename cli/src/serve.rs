//! `retrotab serve`: hand finished tables out over HTTP until told to stop.

use std::sync::Arc;

use anyhow::Context;
use retrotab_coordinator::handout::{self, Handout};
use retrotab_coordinator::serve::listen;
use retrotab_tablefmt::stats::TableStats;
use rustix::process::{Resource, Rlimit};

use crate::args::ServeArgs;
use crate::coordinator::told_to_stop;
use crate::stats::plot::{self, Picture};

/// Serves until Ctrl-C or SIGTERM.
pub fn serve(args: &ServeArgs) -> anyhow::Result<()> {
    allow_many_connections();
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    let ended = runtime.block_on(run(args));
    // Tables are only read: nothing under way need be waited for.
    runtime.shutdown_background();
    ended
}

/// Every connection and every data file takes a file descriptor, and the usual limit is for
/// programs that have a few.
pub fn allow_many_connections() {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let wanted = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = rustix::process::setrlimit(Resource::Nofile, wanted) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
}

async fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let mut stop = Box::pin(told_to_stop()?);
    let listener = listen(args.http).await?;
    let (dirs, cache) = (args.dirs.clone(), args.cache.as_u64());
    let opening = tokio::task::spawn_blocking(move || Handout::open(&dirs, cache));
    let handout = tokio::select! {
        opened = opening => opened??,
        () = &mut stop => return Ok(()),
    };
    let handout = handout.drawn_by(picture);
    for served in handout.tables() {
        tracing::info!(name = served.name(), table = %served.manifest().table, "table");
    }
    tracing::info!(http = %listener.local_addr()?, "serving tables");
    handout::serve(listener, Arc::new(handout), stop).await;
    tracing::info!("stopped serving");
    Ok(())
}

/// The statistics of a table as SVG.
pub fn picture(stats: &TableStats) -> Option<Vec<u8>> {
    let drawn = plot::draw(stats, Picture::Svg);
    drawn.inspect_err(|error| tracing::error!(%error, "statistics cannot be drawn")).ok()
}
