//! Who may ask over HTTP.

mod protected;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use retrotab_coordinator::net::auth::Refusal;
use retrotab_coordinator::net::limits::ConnectionLimits;
use retrotab_proto::tls::Identity;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use protected::{NOW, Pki, Server, TOKEN, token};

/// What the server answers to a request, until it closes the connection.
async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> String {
    // A server that has seen enough closes early.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(path: &str, header: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{header}\r\n")
}

fn status(answer: &str) -> u16 {
    let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer}"))
}

async fn plain(server: &Server, path: &str, header: &str) -> String {
    exchange(TcpStream::connect(server.http).await.unwrap(), &get(path, header)).await
}

/// A TLS connection, with a client's certificate or without.
fn connector(pki: &Pki, identity: Option<Identity>) -> TlsConnector {
    retrotab_proto::tls::choose_cryptography();
    let config = rustls::ClientConfig::builder().with_root_certificates(pki.authority().roots());
    let config = match identity {
        None => config.with_no_client_auth(),
        Some(identity) => config.with_client_cert_resolver(Arc::new(
            rustls::sign::SingleCertAndKey::from(identity.certified()),
        )),
    };
    TlsConnector::from(Arc::new(config))
}

async fn over_tls(server: &Server, connector: &TlsConnector, request: &str) -> String {
    let stream = TcpStream::connect(server.http).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    exchange(connector.connect(name, stream).await.unwrap(), request).await
}

#[tokio::test]
async fn only_health_is_told_to_everybody() {
    let server = Server::start(Some(token()), None);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(status(&plain(&server, path, "").await), 200, "{path}");
    }
    for path in ["/", "/metrics", "/api/status", "/none", "/healthz/..", "/healthz?/../"] {
        let expected = if path.starts_with("/healthz?") { 200 } else { 401 };
        assert_eq!(status(&plain(&server, path, "").await), expected, "{path}");
    }
    let answer = plain(&server, "/", "").await;
    assert!(answer.to_lowercase().contains("www-authenticate: basic"), "{answer}");
    assert!(answer.contains("needs a token"), "{answer}");
}

#[tokio::test]
async fn the_token_opens_as_bearer_and_as_password() {
    let server = Server::start(Some(token()), None);
    let basic = |pair: String| format!("Authorization: Basic {}\r\n", STANDARD.encode(pair));
    for header in [format!("Authorization: Bearer {TOKEN}\r\n"), basic(format!("anybody:{TOKEN}"))]
    {
        assert_eq!(status(&plain(&server, "/metrics", &header).await), 200);
    }
    for header in [basic("anybody:wrong".to_owned()), "Authorization: Bearer wrong\r\n".to_owned()]
    {
        assert_eq!(status(&plain(&server, "/metrics", &header).await), 401);
    }
    assert_eq!(server.refusals.count(Refusal::WrongToken), 2);
    assert_eq!(server.refusals.count(Refusal::NoToken), 0);
}

#[tokio::test]
async fn pages_come_over_tls() {
    let pki = Pki::new();
    let server = Server::start(None, Some(pki.server("127.0.0.1", NOW, None)));
    let connector = connector(&pki, None);
    assert_eq!(status(&over_tls(&server, &connector, &get("/", "")).await), 200);
    // Plaintext gets no page, and breaks nothing.
    assert!(!plain(&server, "/", "").await.contains("HTTP/1.1 200"));
    assert_eq!(status(&over_tls(&server, &connector, &get("/", "")).await), 200);
}

#[tokio::test]
async fn with_mutual_tls_only_health_is_told_without_a_certificate() {
    let (pki, other) = (Pki::new(), Pki::new());
    let server = Server::start(None, Some(pki.server("127.0.0.1", NOW, Some(&pki.ca()))));
    let none = connector(&pki, None);
    assert_eq!(status(&over_tls(&server, &none, &get("/healthz", "")).await), 200);
    let answer = over_tls(&server, &none, &get("/metrics", "")).await;
    assert_eq!(status(&answer), 403);
    assert!(answer.contains("client certificate"), "{answer}");
    let right = connector(&pki, Some(pki.client(NOW)));
    assert_eq!(status(&over_tls(&server, &right, &get("/metrics", "")).await), 200);
    let wrong = connector(&pki, Some(other.client(NOW)));
    let stream = TcpStream::connect(server.http).await.unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    // With TLS 1.3 the client learns of it only when it reads.
    if let Ok(stream) = wrong.connect(name, stream).await {
        assert_eq!(exchange(stream, &get("/healthz", "")).await, "");
    }
}

#[tokio::test]
async fn who_does_not_ask_is_let_go() {
    let http_head_timeout = Duration::from_millis(50);
    let limits = ConnectionLimits { http_head_timeout, ..ConnectionLimits::default() };
    let server = Server::with(None, None, limits);
    for begun in ["", "GET / HTTP/1.1\r\n"] {
        let stream = TcpStream::connect(server.http).await.unwrap();
        // Ends only when the server closes the connection.
        assert!(!exchange(stream, begun).await.contains("200"));
    }
}
