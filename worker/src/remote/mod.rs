//! A worker of a coordinator on the network: leases units, solves them, submits their shards.
//!
//! `leasing` asks for units. Each is a task of its own (`unit`): its inputs are fetched
//! (`inputs`, through the `cache`), it is solved when its turn comes (`solving`, on threads
//! of its own), its shard is handed in (`submit`). So the next unit's inputs come while one is
//! solved, and another is on its way to the coordinator. Meanwhile `heartbeat` tells the
//! coordinator how far the units are.
//!
//! The coordinator may go away and come back at any time. All calls are made again after a
//! while; finished shards are kept. If it has forgotten the worker, the worker registers again
//! and claims what it holds (`session`).
//!
//! Two seams are meant for change: [`connect()`] knows how the coordinator is reached, and a
//! [`ShardTransport`] moves shards.

mod backoff;
mod cache;
mod connect;
mod description;
mod error;
mod explain;
mod heartbeat;
mod held;
mod inputs;
mod leasing;
mod options;
mod session;
mod shared;
mod solving;
mod streaming;
mod submit;
mod transport;
mod unit;
mod values;

use std::path::Path;
use std::sync::Arc;

use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::{DeregisterRequest, RegisterRequest, RegisterResponse};
use retrotab_tablefmt::objects::{SharedStore, StoreOptions};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, debug, info, info_span};

use crate::stack::{Isa, Resources};
use cache::ShardCache;
use inputs::Inputs;
use leasing::{IdleReason, Leasing};
use session::{LAST_CALL, Registration, Session};
use solving::Solving;
use streaming::within;
use unit::{Rest, Workshop};

pub use backoff::is_passing;
pub use connect::{Client, ConnectError, ConnectOptions, Credentials, TlsOptions, connect};
pub use description::DescriptionError;
pub use error::{CacheError, WorkerError};
pub use explain::explain;
pub use options::{CACHE_BYTES, Leave, WorkerOptions};
pub use shared::Shared;
pub use streaming::Streaming;
pub use transport::{Moved, ShardDigest, ShardName, ShardStream, ShardTransport};

/// Bytes that shards on the network take: windows, chunks being written, and the like.
const NETWORK_MEMORY: u64 = 32 << 20;

/// Works for a coordinator until `stop` is cancelled, or as
/// [`leave`](WorkerOptions::leave) says. Then leases are given back and finished shards handed
/// in, if that takes no more than seconds.
///
/// # Errors
/// [`WorkerError`] if the worker cannot work as it was told to. A coordinator that is away is no
/// error.
pub async fn run(options: WorkerOptions, stop: CancellationToken) -> Result<(), WorkerError> {
    let span = info_span!("worker", name = options.name);
    run_as(options, stop.child_token()).instrument(span).await
}

async fn run_as(options: WorkerOptions, stop: CancellationToken) -> Result<(), WorkerError> {
    let client = connect(&options.connection)?;
    let folder = Folder::open(options.cache.as_deref())?;
    let cache = ShardCache::open(folder.path(), options.cache_bytes)?;
    let resources = Resources {
        memory: options.memory.saturating_sub(NETWORK_MEMORY),
        scratch: cache.folder().to_owned(),
        isa: Isa::detect(),
    };
    let solving = Solving::start(options.threads.get(), resources)?;
    let session = Arc::new(Session::new(client.clone(), introduction(&options), stop));
    session.register(&Registration::default()).await;
    if !session.stop.is_cancelled() {
        let transport = transport(client, &session.registration().answer)?;
        let inputs = Inputs::new(Arc::clone(&session), Arc::clone(&transport), cache);
        let workshop = Workshop {
            session: Arc::clone(&session),
            transport,
            inputs: Arc::new(inputs),
            solving,
            gone: Notify::new(),
            rest: Rest::default(),
        };
        work(Arc::new(workshop), options.leave).await;
        deregister(&session).await;
    }
    session.take_failure().map_or(Ok(()), Err)
}

/// What the worker says of itself.
fn introduction(options: &WorkerOptions) -> RegisterRequest {
    RegisterRequest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol_version: PROTOCOL_VERSION,
        threads: options.threads.get().try_into().unwrap_or(u32::MAX),
        memory: options.memory,
        host: options.host.clone(),
        name: options.name.clone(),
    }
}

/// How shards are moved, as the coordinator wants it.
fn transport(
    client: Client,
    answer: &RegisterResponse,
) -> Result<Arc<dyn ShardTransport>, WorkerError> {
    if answer.store_url.is_empty() {
        return Ok(Arc::new(Streaming::new(client)));
    }
    let store = SharedStore::open(&answer.store_url, &StoreOptions::default())?;
    Ok(Arc::new(Shared::new(client, store)))
}

async fn work(workshop: Arc<Workshop>, leave: Leave) {
    let session = Arc::clone(&workshop.session);
    let idle: Arc<IdleReason> = Arc::default();
    let leasing = Leasing::new(workshop, leave, Arc::clone(&idle));
    tokio::select! {
        () = leasing.run() => {}
        () = heartbeat::beat(&session, || idle.get()) => {}
    }
}

async fn deregister(session: &Session) {
    let worker = session.registration().answer.worker;
    let mut client = session.client.clone();
    match within(LAST_CALL, client.deregister(DeregisterRequest { worker })).await {
        Ok(_) => info!("deregistered"),
        Err(status) => debug!("cannot deregister: {}", backoff::describe(&status)),
    }
}

/// The folder for shards and scratch files.
enum Folder<'a> {
    Given(&'a Path),
    /// Removed in the end.
    Temporary(TempDir),
}

impl<'a> Folder<'a> {
    fn open(given: Option<&'a Path>) -> Result<Folder<'a>, CacheError> {
        if let Some(folder) = given {
            return Ok(Folder::Given(folder));
        }
        let folder = tempfile::Builder::new().prefix("retrotab-worker-").tempdir();
        let error = |source| CacheError::new(std::env::temp_dir(), "make a folder in it", source);
        Ok(Folder::Temporary(folder.map_err(error)?))
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Given(folder) => folder,
            Folder::Temporary(folder) => folder.path(),
        }
    }
}
