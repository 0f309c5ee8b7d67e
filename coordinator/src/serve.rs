//! The coordinator's process: service, clockwork and merging, until it is told to stop.

use std::future::{Future, pending};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use retrotab_proto::DESCRIPTORS;
use retrotab_proto::v1::coordinator_server::CoordinatorServer;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::daemon::Daemon;
use crate::handout;
use crate::http::samples::{self, Samples};
use crate::http::{self, Site};
use crate::metrics::CallLayer;
use crate::net;
use crate::net::auth::{AuthLayer, Guard, guard_http};
use crate::net::limits::{ConnectionLimits, grpc_connections, grpc_server};
use crate::net::tls::ServerTls;
use crate::service::{Limits, Service};
use crate::view::View;

/// How often leases and silent workers are looked at.
const TICK: Duration = Duration::from_millis(500);
/// How often finished jobs are looked for.
const MERGE: Duration = Duration::from_millis(200);
/// How long a failed merge rests.
const MERGE_AGAIN: Duration = Duration::from_secs(5);

/// A coordinator that cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; is another program using the port?")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The system does not let the port be used.
    #[error("{address}: the port cannot be handed on: {source}")]
    Port {
        /// The address.
        address: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The network service failed.
    #[error("the gRPC service failed: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// The certificates cannot be used.
    #[error("TLS cannot be used for the HTTP port: {0}")]
    Tls(#[from] rustls::Error),
    /// The descriptors for reflection do not decode: a bug.
    #[error("bug: server reflection: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// What is served, and where.
pub struct Serving {
    /// The jobs and workers.
    pub daemon: Arc<Daemon>,
    /// The folder of the daemon.
    pub data: PathBuf,
    /// For gRPC.
    pub grpc: TcpListener,
    /// For browsers and Prometheus.
    pub http: TcpListener,
    /// What callers can make the coordinator hold.
    pub limits: Limits,
    /// What a connection may use up.
    pub connections: ConnectionLimits,
    /// Who may call.
    pub guard: Guard,
    /// Encrypts both ports.
    pub tls: Option<ServerTls>,
}

/// Says on the HTTP port that the process lives and is not ready, until `opening` is done. Calls
/// over gRPC wait meanwhile. Gives the port back, and what `opening` gives.
///
/// # Errors
/// [`ServeError`].
pub async fn while_opening<T>(
    http: TcpListener,
    guard: &Guard,
    connections: &ConnectionLimits,
    tls: Option<&ServerTls>,
    opening: impl Future<Output = T>,
) -> Result<(TcpListener, T), ServeError> {
    let address = http.local_addr();
    let (now, later) = twice(http).map_err(|source| ServeError::Port {
        address: address.map_or_else(|_| "the HTTP port".to_owned(), |a| a.to_string()),
        source,
    })?;
    let guarded = axum::middleware::from_fn_with_state(guard.clone(), guard_http);
    let (done, stop) = tokio::sync::oneshot::channel::<()>();
    let stop = async { stop.await.unwrap_or_default() };
    let served = net::http::serve(now, http::opening().layer(guarded), connections, tls, stop);
    let opened = async {
        let opened = opening.await;
        drop(done);
        opened
    };
    let (served, opened) = tokio::join!(served, opened);
    served?;
    Ok((later, opened))
}

/// The same port, to be listened at by one after the other.
fn twice(listener: TcpListener) -> std::io::Result<(TcpListener, TcpListener)> {
    let listener = listener.into_std()?;
    let other = listener.try_clone()?;
    Ok((TcpListener::from_std(listener)?, TcpListener::from_std(other)?))
}

impl Serving {
    /// Serves until `stop` is done.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let stopping = Arc::new(AtomicBool::new(false));
        let clockwork = Clockwork::start(&self.daemon, &stopping);
        let served = tokio::select! {
            served = self.serve() => served,
            () = stop => Ok(()),
        };
        // A merge in the middle of a large table ends now; the next start goes on with it. Calls
        // are made again by whoever gets no answer.
        stopping.store(true, Ordering::Relaxed);
        clockwork.join().await;
        served
    }

    /// Serves both ports until one of them cannot be served any more.
    async fn serve(self) -> Result<(), ServeError> {
        let (tls, guard) = (self.tls.as_ref(), self.guard);
        let server = grpc_server(&self.connections, tls)?;
        let view: Arc<dyn View> = Arc::clone(&self.daemon) as Arc<dyn View>;
        let (metrics, samples) = (Arc::clone(self.daemon.metrics()), Arc::<Samples>::default());
        let site = Site { view: Arc::clone(&view), metrics, samples: Arc::clone(&samples) };
        let guarded = axum::middleware::from_fn_with_state(guard.clone(), guard_http);
        let tables = handout::routes(Arc::clone(self.daemon.publishing().handout()));
        let router = http::router(site).merge(tables).layer(guarded);
        let site = net::http::serve(self.http, router, &self.connections, tls, pending());
        let calls = grpc_connections(self.grpc, &self.connections);
        tokio::select! {
            served = grpc(server, self.daemon, calls, self.limits, guard) => served,
            served = site => Ok(served?),
            () = samples::keep(samples, view, self.data) => Ok(()),
        }
    }
}

async fn grpc(
    server: Server,
    daemon: Arc<Daemon>,
    connections: TcpIncoming,
    limits: Limits,
    guard: Guard,
) -> Result<(), ServeError> {
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<CoordinatorServer<Service>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let served = server
        .layer(CallLayer::new(Arc::clone(daemon.metrics())))
        .layer(AuthLayer::new(guard))
        .add_service(health_service)
        .add_service(reflection)
        .add_service(Service::new(daemon, limits).into_server())
        .serve_with_incoming(connections);
    Ok(served.await?)
}

/// What goes on without being called for, on two threads of its own.
struct Clockwork(Vec<tokio::task::JoinHandle<()>>);

impl Clockwork {
    fn start(daemon: &Arc<Daemon>, stopping: &Arc<AtomicBool>) -> Clockwork {
        let (ticked, merged) = (Arc::clone(daemon), Arc::clone(daemon));
        let (ticks, merges) = (Arc::clone(stopping), Arc::clone(stopping));
        Clockwork(vec![
            tokio::task::spawn_blocking(move || {
                while !ticks.load(Ordering::Relaxed) {
                    ticked.tick();
                    std::thread::sleep(TICK);
                }
            }),
            tokio::task::spawn_blocking(move || {
                while !merges.load(Ordering::Relaxed) {
                    let again = merged.merge_finished(&merges);
                    rest(if again { MERGE_AGAIN } else { MERGE }, &merges);
                }
            }),
        ])
    }

    async fn join(self) {
        for handle in self.0 {
            if let Err(error) = handle.await {
                tracing::error!(%error, "bug: the clockwork has stopped");
            }
        }
    }
}

/// Sleeps, but not much longer than until the process is told to stop.
fn rest(time: Duration, stopping: &AtomicBool) {
    let start = std::time::Instant::now();
    while start.elapsed() < time && !stopping.load(Ordering::Relaxed) {
        std::thread::sleep(MERGE.min(time));
    }
}

/// Listens on an address.
///
/// # Errors
/// [`ServeError::Listen`].
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}
