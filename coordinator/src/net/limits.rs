//! How much a connection may use up.

use std::time::Duration;

use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::tls::ServerTls;

/// What one connection, or all to the HTTP port, may use up.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Most calls of one gRPC connection at a time; more wait at the caller.
    pub streams: u32,
    /// Bytes of one upload that may be on the way, so that a long way is no slow one.
    pub stream_window: u32,
    /// Bytes of all uploads of one connection that may be on the way.
    pub connection_window: u32,
    /// Longest frame of HTTP/2 that is taken: with the short ones of the standard a shard comes
    /// in thousands of pieces.
    pub frame_bytes: u32,
    /// Most bytes of a call's headers.
    pub header_bytes: u32,
    /// An idle connection is asked so often whether its other end is there.
    pub keepalive: Duration,
    /// A connection that does not answer for so long is closed.
    pub keepalive_timeout: Duration,
    /// Most time until a call is answered; uploads are the longest. An answer that is a stream
    /// may go on longer.
    pub call_timeout: Duration,
    /// Most connections to the HTTP port at a time; more wait.
    pub http_connections: usize,
    /// Most time for the head of an HTTP request, and between two requests.
    pub http_head_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits {
            streams: 128,
            stream_window: 4 << 20,
            connection_window: 8 << 20,
            frame_bytes: 1 << 20,
            header_bytes: 16 << 10,
            keepalive: Duration::from_secs(20),
            keepalive_timeout: Duration::from_secs(20),
            call_timeout: Duration::from_secs(60 * 60),
            http_connections: 256,
            http_head_timeout: Duration::from_secs(30),
        }
    }
}

/// Calls of one connection that were given up before they were served; more close it, for it
/// only wants to keep the coordinator busy.
const RESET_STREAMS: usize = 32;

/// A gRPC server with these limits: add an [`AuthLayer`](super::auth::AuthLayer) and services.
///
/// # Errors
/// If the certificates cannot be used.
pub fn grpc_server(
    limits: &ConnectionLimits,
    tls: Option<&ServerTls>,
) -> Result<Server, tonic::transport::Error> {
    let server = Server::builder()
        .http2_keepalive_interval(Some(limits.keepalive))
        .http2_keepalive_timeout(Some(limits.keepalive_timeout))
        .max_concurrent_streams(limits.streams)
        .initial_stream_window_size(limits.stream_window)
        .initial_connection_window_size(limits.connection_window)
        .max_frame_size(limits.frame_bytes)
        .http2_max_header_list_size(limits.header_bytes)
        .http2_max_pending_accept_reset_streams(Some(RESET_STREAMS))
        .http2_max_local_error_reset_streams(Some(RESET_STREAMS))
        .timeout(limits.call_timeout);
    match tls {
        None => Ok(server),
        Some(tls) => server.tls_config(tls.for_grpc()),
    }
}

/// The connections to a gRPC server with these limits.
pub fn grpc_connections(listener: TcpListener, limits: &ConnectionLimits) -> TcpIncoming {
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    incoming.with_keepalive(Some(limits.keepalive))
}
