//! Publishing at a running coordinator: what is said about it, and trying again.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::OfferTableHeader;
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::publish::{self, Published};
use retrotab_worker::remote::{Client, connect, explain};
use tonic::{Code, Status};

use super::sending::{Done, Meter, SendError, Sending};
use super::{NO_URL, public_urls, tell};
use crate::args::PublishArgs;
use crate::failure::UserError;
use crate::run::interrupt::{self, Interrupt};
use crate::run::report;

/// How soon Ctrl-C is noticed.
const LOOK: Duration = Duration::from_millis(50);
/// How often it is tried again when nothing gets through, and the waits between.
const ATTEMPTS: usize = 8;
const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(10);

/// Publishes a table at a coordinator and says so.
pub fn publish(args: &PublishArgs) -> anyhow::Result<()> {
    let stop = interrupt::catch()?;
    let remote = args.caller.connect_options(&args.to)?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    // What is wrong with the URL is said before the table is read.
    let client = runtime.block_on(async { connect(&remote) })?;
    let urls = public_urls(args);
    publish::check_urls(&urls)?;
    let name = args.name.clone().map_or_else(|| name_of(&args.dir), Ok)?;
    let (manifest, bytes) = check(args, &stop)?;
    let header = OfferTableHeader {
        protocol_version: PROTOCOL_VERSION,
        name: name.clone(),
        replace: args.replace,
        urls,
        manifest_bytes: bytes.len() as u64,
    };
    let files = manifest.files().cloned().collect();
    let bar = report::bar(manifest.bytes(), "copying");
    let meter = Meter::new(bar.clone());
    let sending = Sending { dir: args.dir.clone(), header, manifest: bytes, files, meter };
    let done = runtime.block_on(async {
        tokio::select! {
            done = persist(client, &sending, &remote.url) => done,
            () = told(&stop) => Err(TableError::Stopped.into()),
        }
    })?;
    bar.finish_and_clear();
    let written = [done.sent, done.texts].concat();
    let (removed, copied) = (done.removed, sending.meter.bytes());
    tell(&format!("{name} at {}", args.to), &Published { manifest, written, removed, copied });
    println!("note       the coordinator hands it out on its HTTP port, as /tables/{name}");
    if args.public_url.is_empty() {
        println!("{NO_URL}");
    }
    Ok(())
}

/// The name of a table's folder.
fn name_of(dir: &Path) -> anyhow::Result<String> {
    let real = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let name = real.file_name().and_then(|name| name.to_str());
    let what = || UserError(format!("{}: the folder has no name; give --name", dir.display()));
    Ok(name.ok_or_else(what)?.to_owned())
}

/// What is damaged is not handed on.
fn check(args: &PublishArgs, stop: &Interrupt) -> anyhow::Result<(Manifest, Vec<u8>)> {
    let (manifest, _) = Manifest::read(&args.dir)?;
    let bar = report::bar(manifest.bytes(), "checking");
    let checked = publish::check(&args.dir, &mut |bytes| {
        bar.inc(bytes);
        if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    Ok(checked)
}

async fn told(stop: &Interrupt) {
    while !stop.is_set() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Tries until the table is published, or it is clear that it cannot be. A coordinator that has
/// answered once may be away for a while.
async fn persist(mut client: Client, sending: &Sending, url: &str) -> anyhow::Result<Done> {
    let mut done = Done::default();
    let mut waits = waits();
    let mut before = 0;
    loop {
        let failed = match sending.attempt(&mut client, &mut done).await {
            Ok(()) => return Ok(done),
            Err(SendError::Local(error)) => return Err(error.into()),
            Err(SendError::Call(status)) => status,
        };
        let bytes = sending.meter.bytes();
        if bytes > std::mem::replace(&mut before, bytes) {
            waits = self::waits();
        }
        let may_pass = done.was_answered && passes(&failed, &mut done);
        match waits.next().filter(|_| may_pass) {
            Some(wait) => {
                tracing::warn!("{}; going on in a moment", explain(&failed, url));
                tokio::time::sleep(wait).await;
            }
            None => return Err(refused(&failed, url)),
        }
    }
}

fn waits() -> ExponentialBackoff {
    let builder = ExponentialBuilder::new().with_min_delay(SHORTEST).with_max_delay(LONGEST);
    builder.with_max_times(ATTEMPTS).build()
}

/// Whether the same may succeed later.
fn passes(status: &Status, done: &mut Done) -> bool {
    match status.code() {
        // The coordinator has restarted.
        Code::NotFound | Code::Cancelled | Code::DeadlineExceeded => true,
        // What an earlier attempt had left may have been damaged.
        Code::DataLoss => std::mem::take(&mut done.went_on),
        _ => status.source().is_some(),
    }
}

fn refused(status: &Status, url: &str) -> anyhow::Error {
    match status.code() {
        Code::Unimplemented => {
            anyhow!("the coordinator at {url} takes no tables: it is an older retrotab")
        }
        _ => crate::submit::refused(status, url),
    }
}
