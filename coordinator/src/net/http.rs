//! Serves the HTTP port, with TLS or without.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::limits::Limits;
use super::tls::{HANDSHAKE_TIMEOUT, ServerTls};

/// Who is at the other end of a connection; an extension of every HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Its address.
    pub address: SocketAddr,
    /// Whether it has shown a certificate that the authority of clients has signed.
    pub certificate: bool,
}

/// After a failed accept, for example for want of file descriptors, the next one waits.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// When the server is to stop, requests that are being answered may take so long.
const GRACE: Duration = Duration::from_secs(5);

/// Serves routes until `stop` is there, then answers what has been asked.
///
/// # Errors
/// If the certificates cannot be used.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    tls: Option<&ServerTls>,
    stop: impl Future<Output = ()>,
) -> Result<(), rustls::Error> {
    let acceptor = tls.map(ServerTls::for_http).transpose()?;
    let connections = Arc::new(Semaphore::new(limits.http_connections));
    let open = Arc::new(GracefulShutdown::new());
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, address, permit) = tokio::select! {
            () = &mut stop => break,
            (stream, address, permit) = async {
                let permit = connections.clone().acquire_owned().await;
                let (stream, address) = accept(&listener).await;
                (stream, address, permit)
            } => (stream, address, permit),
        };
        let connection = Connection {
            address,
            router: router.clone(),
            head_timeout: limits.http_head_timeout,
            open: open.clone(),
        };
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            connection.serve(stream, acceptor).await;
            drop(permit);
        });
    }
    drop(listener);
    if let Some(open) = Arc::into_inner(open) {
        let _ = tokio::time::timeout(GRACE, open.shutdown()).await;
    }
    Ok(())
}
