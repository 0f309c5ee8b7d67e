//! Only who knows the token may call.
//!
//! A [`Guard`] looks at the headers of a request. [`AuthLayer`] puts it before a gRPC server,
//! [`guard_http`] before the routes of the HTTP port. Calls about health are free: who starts
//! and stops processes has to ask without knowing secrets.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::extract::State;
use axum::http::header::{AUTHORIZATION, HeaderMap, WWW_AUTHENTICATE};
use axum::http::{Request, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{Either, Ready, ready};
use retrotab_proto::token::Token;
use tonic::Status;
use tonic::transport::server::{TcpConnectInfo, TlsConnectInfo};
use tower::{Layer, Service};

use super::http::{Caller, Certificate};
use super::tls::ClientCertificates;

/// gRPC calls that need no token.
const FREE_SERVICE: &str = "/grpc.health.v1.Health/";
/// HTTP paths that need no token.
const FREE_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// Why a call was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It shows no token, or not in a form that is understood.
    NoToken,
    /// It shows another token.
    WrongToken,
    /// HTTP only: the connection has no client certificate.
    NoCertificate,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NoToken => {
                "this coordinator needs a token: give the file that it was started with \
                 (--token-file FILE or RETROTAB_TOKEN_FILE; over HTTP `Authorization: Bearer \
                 TOKEN`, or in a browser any name with the token as the password)"
            }
            Refusal::WrongToken => {
                "the token is not the one of this coordinator: give the same file that it was \
                 started with (--token-file FILE or RETROTAB_TOKEN_FILE)"
            }
            Refusal::NoCertificate => {
                "this coordinator needs a client certificate: `retrotab certs --client NAME` \
                 makes one"
            }
        })
    }
}

/// How many calls were refused since the start.
#[derive(Debug, Default)]
pub struct Refusals {
    no_token: AtomicU64,
    wrong_token: AtomicU64,
    no_certificate: AtomicU64,
}

impl Refusals {
    /// Calls refused for a reason.
    pub fn count(&self, refusal: Refusal) -> u64 {
        self.counter(refusal).load(Ordering::Relaxed)
    }

    fn counter(&self, refusal: Refusal) -> &AtomicU64 {
        match refusal {
            Refusal::NoToken => &self.no_token,
            Refusal::WrongToken => &self.wrong_token,
            Refusal::NoCertificate => &self.no_certificate,
        }
    }

    /// Counts a refusal and tells the log; of many ever fewer, for the log must not be a way
    /// to fill the disk.
    fn add(&self, refusal: Refusal, caller: Option<SocketAddr>) {
        let count = self.counter(refusal).fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            let caller = caller.map_or("unknown".to_owned(), |address| address.to_string());
            tracing::warn!(%caller, reason = ?refusal, count, "refused a call");
        }
    }
}

/// Decides who may call. Clones share their counters.
#[derive(Debug, Clone)]
pub struct Guard {
    token: Option<Arc<Token>>,
    certificates: ClientCertificates,
    refusals: Arc<Refusals>,
}

impl Guard {
    /// Without a token everybody may call. Where certificates are needed, the gRPC port has
    /// refused a caller without one before there is a call; the HTTP port refuses the calls.
    pub fn new(token: Option<Token>, certificates: ClientCertificates) -> Guard {
        Guard { token: token.map(Arc::new), certificates, refusals: Arc::default() }
    }

    /// What was refused.
    pub fn refusals(&self) -> &Arc<Refusals> {
        &self.refusals
    }

    fn check_token(&self, given: Option<Vec<u8>>) -> Result<(), Refusal> {
        match (&self.token, given) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(Refusal::NoToken),
            (Some(token), Some(given)) if token.matches(&given) => Ok(()),
            (Some(_), Some(_)) => Err(Refusal::WrongToken),
        }
    }

    fn check_grpc<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        if request.uri().path().starts_with(FREE_SERVICE) {
            return Ok(());
        }
        let checked = self.check_token(bearer(request.headers()));
        checked.inspect_err(|&refusal| self.refusals.add(refusal, grpc_caller(request)))
    }

    fn check_http<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        if FREE_PATHS.contains(&request.uri().path()) {
            return Ok(());
        }
        let caller = request.extensions().get::<Caller>();
        let certified = caller.is_some_and(|caller| caller.certificate == Certificate::Shown);
        let checked = match self.certificates {
            ClientCertificates::Needed if !certified => Err(Refusal::NoCertificate),
            _ => {
                let headers = request.headers();
                self.check_token(bearer(headers).or_else(|| password(headers)))
            }
        };
        let address = caller.map(|caller| caller.address);
        checked.inspect_err(|&refusal| self.refusals.add(refusal, address))
    }
}

fn grpc_caller<B>(request: &Request<B>) -> Option<SocketAddr> {
    let extensions = request.extensions();
    let plain = extensions.get::<TcpConnectInfo>().and_then(TcpConnectInfo::remote_addr);
    let tls = extensions.get::<TlsConnectInfo<TcpConnectInfo>>();
    plain.or_else(|| tls?.get_ref().remote_addr())
}

/// What follows the name of a scheme in the header `Authorization`, if there is exactly one.
fn credentials<'a>(headers: &'a HeaderMap, scheme: &str) -> Option<&'a [u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?.as_bytes(), values.next()) else {
        return None;
    };
    let (name, rest) = value.split_at_checked(scheme.len())?;
    let rest = rest.strip_prefix(b" ")?;
    name.eq_ignore_ascii_case(scheme.as_bytes()).then(|| rest.trim_ascii())
}

fn bearer(headers: &HeaderMap) -> Option<Vec<u8>> {
    credentials(headers, "Bearer").map(<[u8]>::to_vec)
}

/// The password that a browser sends, whatever the user's name.
fn password(headers: &HeaderMap) -> Option<Vec<u8>> {
    let pair = STANDARD.decode(credentials(headers, "Basic")?).ok()?;
    let colon = pair.iter().position(|&byte| byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}

/// Puts a [`Guard`] before a whole gRPC server.
#[derive(Debug, Clone)]
pub struct AuthLayer(Guard);

impl AuthLayer {
    /// Every call passes this guard.
    pub fn new(guard: Guard) -> AuthLayer {
        AuthLayer(guard)
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = AuthService<S>;

    fn layer(&self, inner: S) -> AuthService<S> {
        AuthService { guard: self.0.clone(), inner }
    }
}

/// A gRPC server behind a [`Guard`].
#[derive(Debug, Clone)]
pub struct AuthService<S> {
    guard: Guard,
    inner: S,
}

impl<S, B> Service<Request<B>> for AuthService<S>
where
    S: Service<Request<B>, Response = Response<tonic::body::Body>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        match self.guard.check_grpc(&request) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(refusal) => {
                let status = Status::unauthenticated(refusal.to_string());
                Either::Right(ready(Ok(status.into_http())))
            }
        }
    }
}

/// Puts a guard before routes of the HTTP port:
/// `router.layer(axum::middleware::from_fn_with_state(guard, guard_http))`.
pub async fn guard_http(
    State(guard): State<Guard>,
    request: axum::extract::Request,
    next: Next,
) -> axum::response::Response {
    match guard.check_http(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            // Makes a browser ask for name and password.
            let ask = [(WWW_AUTHENTICATE, "Basic realm=\"retrotab\", charset=\"UTF-8\"")];
            match refusal {
                // No password helps here.
                Refusal::NoCertificate => {
                    (StatusCode::FORBIDDEN, refusal.to_string() + "\n").into_response()
                }
                _ => (StatusCode::UNAUTHORIZED, ask, refusal.to_string() + "\n").into_response(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "the:token-of-the-test";

    fn guard() -> Guard {
        Guard::new(Some(Token::parse(TOKEN.as_bytes()).unwrap()), ClientCertificates::NotNeeded)
    }

    fn request(path: &str, headers: &[&str]) -> Request<()> {
        let mut request = Request::builder().uri(format!("http://coordinator{path}"));
        for header in headers {
            request = request.header(AUTHORIZATION, *header);
        }
        request.body(()).unwrap()
    }

    fn basic(pair: &str) -> String {
        format!("Basic {}", STANDARD.encode(pair))
    }

    #[test]
    fn only_the_token_opens() {
        let guard = guard();
        let call = |headers: &[&str]| guard.check_grpc(&request("/any/Call", headers));
        let right = format!("Bearer {TOKEN}");
        assert_eq!(call(&[&right]), Ok(()));
        assert_eq!(call(&[&format!("bEARER  {TOKEN} ")]), Ok(()));
        for none in ["", "Bearer", TOKEN, &format!("Bearer{TOKEN}"), &basic(&format!("x:{TOKEN}"))]
        {
            assert_eq!(call(&[none]), Err(Refusal::NoToken), "{none}");
        }
        for wrong in ["Bearer ", "Bearer x", &format!("{right}x"), &right[..right.len() - 1]] {
            assert_eq!(call(&[wrong]), Err(Refusal::WrongToken), "{wrong}");
        }
        assert_eq!(call(&[]), Err(Refusal::NoToken));
        assert_eq!(call(&[&right, &right]), Err(Refusal::NoToken), "one header has to decide");
        assert_eq!(guard.refusals().count(Refusal::NoToken), 7);
        assert_eq!(guard.clone().refusals().count(Refusal::WrongToken), 4);
    }

    #[test]
    fn browsers_give_the_token_as_the_password() {
        let guard = guard();
        let call = |header: &str| guard.check_http(&request("/", &[header]));
        assert_eq!(call(&basic(&format!("anybody:{TOKEN}"))), Ok(()));
        assert_eq!(call(&basic(&format!(":{TOKEN}"))), Ok(()));
        assert_eq!(call(&format!("Bearer {TOKEN}")), Ok(()));
        assert_eq!(call(&basic("anybody:other")), Err(Refusal::WrongToken));
        assert_eq!(call(&basic("no colon")), Err(Refusal::NoToken));
        assert_eq!(call("Basic ????"), Err(Refusal::NoToken));
    }

    #[test]
    fn health_is_free_and_nothing_that_looks_like_it() {
        let guard = guard();
        for path in ["/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"] {
            assert_eq!(guard.check_grpc(&request(path, &[])), Ok(()));
        }
        for path in FREE_PATHS {
            assert_eq!(guard.check_http(&request(path, &[])), Ok(()));
        }
        for path in ["/grpc.health.v1.HealthX/Check", "/healthz", "/grpc.health.v1.Health", "/"] {
            assert!(guard.check_grpc(&request(path, &[])).is_err(), "{path}");
        }
        for path in ["/healthz/", "/healthzz", "/readyz/x", "/", "//healthz", "/HEALTHZ"] {
            assert!(guard.check_http(&request(path, &[])).is_err(), "{path}");
        }
    }

    #[test]
    fn without_a_token_everybody_may_call() {
        let guard = Guard::new(None, ClientCertificates::NotNeeded);
        assert_eq!(guard.check_grpc(&request("/any/Call", &["Bearer x"])), Ok(()));
        assert_eq!(guard.check_http(&request("/", &[])), Ok(()));
    }

    #[test]
    fn where_certificates_are_needed_http_calls_need_one_and_the_token() {
        let token = Token::parse(TOKEN.as_bytes()).unwrap();
        let guard = Guard::new(Some(token), ClientCertificates::Needed);
        let call = |certificate: Certificate, headers: &[&str]| {
            let mut request = request("/", headers);
            let address = "10.0.0.1:1".parse().unwrap();
            request.extensions_mut().insert(Caller { address, certificate });
            guard.check_http(&request)
        };
        let right = format!("Bearer {TOKEN}");
        assert_eq!(call(Certificate::Shown, &[&right]), Ok(()));
        assert_eq!(call(Certificate::Shown, &[]), Err(Refusal::NoToken));
        assert_eq!(call(Certificate::NotShown, &[&right]), Err(Refusal::NoCertificate));
        assert_eq!(guard.check_http(&request("/", &[&right])), Err(Refusal::NoCertificate));
        assert_eq!(guard.check_http(&request("/healthz", &[])), Ok(()));
    }
}
