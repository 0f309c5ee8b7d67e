//! Serves the HTTP port, with TLS or without.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::limits::ConnectionLimits;
use super::tls::{HANDSHAKE_TIMEOUT, ServerTls};

/// Who is at the other end of a connection; an extension of every HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// Its address.
    pub address: SocketAddr,
    /// Whether it has proved who it is.
    pub certificate: Certificate,
}

/// Whether a caller has a certificate that the authority of clients has signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// It has.
    Shown,
    /// It has none, or was not asked.
    NotShown,
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
    limits: &ConnectionLimits,
    tls: Option<&ServerTls>,
    stop: impl Future<Output = ()>,
) -> Result<(), rustls::Error> {
    let acceptor = tls.map(ServerTls::for_http).transpose()?;
    let connections = Arc::new(Semaphore::new(limits.http_connections));
    let open = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            // Only who closes a semaphore gets an error, and nobody does.
            let permit = connections.clone().acquire_owned().await;
            (permit, accept(&listener).await)
        };
        let (permit, (stream, address)) = tokio::select! {
            () = &mut stop => break,
            next = next => next,
        };
        let connection = Connection {
            address,
            router: router.clone(),
            head_timeout: limits.http_head_timeout,
            watcher: open.watcher(),
        };
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            connection.serve(stream, acceptor).await;
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, open.shutdown()).await.is_err() {
        tracing::info!("some HTTP requests took too long to be answered before the end");
    }
    Ok(())
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot take an HTTP connection; trying again");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

struct Connection {
    address: SocketAddr,
    router: Router,
    head_timeout: Duration,
    watcher: Watcher,
}

impl Connection {
    async fn serve(self, stream: TcpStream, acceptor: Option<TlsAcceptor>) {
        let address = self.address;
        let served = match acceptor {
            None => self.answer(stream, Certificate::NotShown).await,
            Some(acceptor) => {
                match tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => {
                        let certificate = match stream.get_ref().1.peer_certificates() {
                            Some(_) => Certificate::Shown,
                            None => Certificate::NotShown,
                        };
                        self.answer(stream, certificate).await
                    }
                    Ok(Err(error)) => Err(error.into()),
                    Err(_) => Err("the TLS handshake took too long".into()),
                }
            }
        };
        if let Err(error) = served {
            tracing::debug!(%address, error, "an HTTP connection has ended");
        }
    }

    /// Answers the requests of a connection until it is closed.
    async fn answer(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        certificate: Certificate,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let caller = Caller { address: self.address, certificate };
        let routes = self.router.map_request(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(caller);
            request
        });
        let mut server = auto::Builder::new(TokioExecutor::new()).http1_only();
        server.http1().timer(TokioTimer::new()).header_read_timeout(self.head_timeout);
        let service = TowerToHyperService::new(routes);
        let connection = server.serve_connection(TokioIo::new(stream), service).into_owned();
        self.watcher.watch(connection).await
    }
}
