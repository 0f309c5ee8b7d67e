//! How much a caller may use up at a time.

use std::time::Duration;

use retrotab_proto::CHUNK_BYTES;
use retrotab_proto::v1::coordinator_server::{Coordinator, CoordinatorServer};
use tonic::transport::Server;
use tower::layer::util::{Identity, Stack};

use super::auth::{AuthLayer, Guard};
use super::tls::ServerTls;

/// What one caller may use up.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Most bytes of a message: a chunk, and what surrounds it.
    pub message_bytes: usize,
    /// Most calls of one connection at a time; more wait at the caller.
    pub streams: u32,
    /// Most bytes of a call's headers.
    pub header_bytes: u32,
    /// An idle connection is asked whether its other end is there so often.
    pub keepalive: Duration,
    /// A connection that does not answer for so long is closed.
    pub keepalive_timeout: Duration,
    /// Most time for a call; uploads are the longest. A stream to the caller may go on longer
    /// once it has begun.
    pub request_timeout: Duration,
    /// Most time between two chunks of an upload.
    pub chunk_timeout: Duration,
    /// Most connections to the HTTP port at a time; more wait.
    pub http_connections: usize,
    /// Most time for the head of an HTTP request.
    pub http_head_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes: CHUNK_BYTES + (64 << 10),
            streams: 64,
            header_bytes: 16 << 10,
            keepalive: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
            request_timeout: Duration::from_secs(30 * 60),
            chunk_timeout: Duration::from_secs(60),
            http_connections: 256,
            http_head_timeout: Duration::from_secs(20),
        }
    }
}

/// Calls of one connection that were given up before they were served; more close it, for it
/// only wants to keep the coordinator busy.
const RESET_STREAMS: usize = 32;

/// A gRPC server with these limits, behind a guard: add services and serve.
///
/// # Errors
/// If the certificates cannot be used.
pub fn grpc_server(
    limits: &Limits,
    guard: Guard,
    tls: Option<&ServerTls>,
) -> Result<Server<Stack<AuthLayer, Identity>>, tonic::transport::Error> {
    let server = Server::builder()
        .tcp_nodelay(true)
        .tcp_keepalive(Some(limits.keepalive))
        .http2_keepalive_interval(Some(limits.keepalive))
        .http2_keepalive_timeout(Some(limits.keepalive_timeout))
        .max_concurrent_streams(limits.streams)
        .http2_max_header_list_size(limits.header_bytes)
        .http2_max_pending_accept_reset_streams(Some(RESET_STREAMS))
        .http2_max_local_error_reset_streams(Some(RESET_STREAMS))
        .timeout(limits.request_timeout);
    let server = match tls {
        None => server,
        Some(tls) => server.tls_config(tls.for_grpc())?,
    };
    Ok(server.layer(AuthLayer::new(guard)))
}

/// The coordinator's service with the limit on the size of a message.
pub fn coordinator_service<T: Coordinator>(service: T, limits: &Limits) -> CoordinatorServer<T> {
    CoordinatorServer::new(service).max_decoding_message_size(limits.message_bytes)
}
