//! How a coordinator is reached: the one place that knows about addresses and secrets.

use std::net::IpAddr;
use std::time::Duration;

use retrotab_proto::tls::{Authority, Identity, choose_cryptography};
use retrotab_proto::token::Token;
use retrotab_proto::v1::coordinator_client::CoordinatorClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{GrpcMethod, Request, Status};

/// Where the coordinator is, and what proves who it and the caller are.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Its URL, for example `http://localhost:7420`, or with `https` for TLS.
    pub url: String,
    /// The token it asks for.
    pub token: Option<Token>,
    /// For `https` URLs.
    pub tls: TlsOptions,
    /// Whether plaintext without a token may go to other machines.
    pub insecure: bool,
}

/// How a TLS connection is made.
#[derive(Debug, Clone, Default)]
pub struct TlsOptions {
    /// Who has signed the coordinator's certificate.
    pub ca: Option<Authority>,
    /// The caller's own certificate, if the coordinator asks for one.
    pub identity: Option<Identity>,
    /// Name in the coordinator's certificate, if it is not the URL's host.
    pub domain: Option<String>,
}

impl TlsOptions {
    fn are_given(&self) -> bool {
        self.ca.is_some() || self.identity.is_some() || self.domain.is_some()
    }
}

impl ConnectOptions {
    /// Plaintext without a token.
    pub fn plain(url: impl Into<String>) -> ConnectOptions {
        let (url, tls) = (url.into(), TlsOptions::default());
        ConnectOptions { url, token: None, tls, insecure: false }
    }
}

/// A coordinator that cannot be reached like this; no attempt was made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL makes no sense.
    #[error(
        "`{url}` is not the URL of a coordinator, such as http://localhost:7420 or \
         https://host:7420: {what}"
    )]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// Plaintext to another machine.
    #[error(
        "{url} is on another machine, and without TLS and a token anybody on the way could \
         answer in its place; give --token-file, or an https:// URL and --tls-ca, or --insecure \
         if the network itself keeps others out"
    )]
    Exposed {
        /// The URL.
        url: String,
    },
    /// `https` without an authority.
    #[error(
        "{url} needs --tls-ca: the certificate of the authority that has signed the \
         coordinator's (`ca.pem` of `retrotab certs`)"
    )]
    NoAuthority {
        /// The URL.
        url: String,
    },
    /// Options for TLS, but no TLS.
    #[error("options for TLS are given, but {url} does not start with https://")]
    TlsNotUsed {
        /// The URL.
        url: String,
    },
    /// The certificates cannot be used.
    #[error("{url}: TLS cannot be used: {what}")]
    Tls {
        /// The URL.
        url: String,
        /// Why not.
        what: String,
    },
}

/// Calls to the coordinator.
pub type Client = CoordinatorClient<InterceptedService<Channel, Credentials>>;

/// What every call carries: the token, and how long it may take.
#[derive(Debug, Clone)]
pub struct Credentials {
    bearer: Option<MetadataValue<Ascii>>,
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(bearer) = &self.bearer {
            request.metadata_mut().insert("authorization", bearer.clone());
        }
        let method = request.extensions().get::<GrpcMethod<'_>>().map(GrpcMethod::method);
        let is_long = method.is_some_and(|method| LONG_CALLS.contains(&method));
        if !is_long && !request.metadata().contains_key("grpc-timeout") {
            request.set_timeout(CALL);
        }
        Ok(request)
    }
}

/// Calls that take as long as a shard or a file takes; silence on the connection ends them.
const LONG_CALLS: [&str; 6] =
    ["SubmitShard", "SubmitStored", "FetchShard", "OfferTable", "SendTableFile", "FinishTable"];
/// How long other calls may take, if the caller does not say otherwise.
const CALL: Duration = Duration::from_secs(60);
/// How long it may take until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);
/// After so much silence the other side is asked whether it is still there.
const PING: Duration = Duration::from_secs(10);
/// How long it may take to answer that.
const PONG: Duration = Duration::from_secs(20);
/// Bytes of one shard that may be on the way, so that a long way is no slow one.
const STREAM_WINDOW: u32 = 4 << 20;
/// Bytes of all shards that may be on the way.
const CONNECTION_WINDOW: u32 = 8 << 20;
/// Longest frame of HTTP/2 that is taken: with the short ones of the standard a shard comes in
/// thousands of pieces.
const FRAME: u32 = 1 << 20;
/// Longest message taken from the coordinator: a job with all its sections, or a chunk.
const MESSAGE: usize = 16 << 20;

/// Prepares calls. Connections are made when they are needed, and made again when they break,
/// so this works while the coordinator is away. Must be called on a tokio runtime.
///
/// # Errors
/// [`ConnectError`] if the options make no sense.
pub fn connect(options: &ConnectOptions) -> Result<Client, ConnectError> {
    let channel = endpoint(options)?
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(FRAME)
        .connect_lazy();
    let credentials = Credentials { bearer: options.token.as_ref().map(Token::bearer) };
    let client = CoordinatorClient::with_interceptor(channel, credentials);
    Ok(client.max_decoding_message_size(MESSAGE))
}

fn endpoint(options: &ConnectOptions) -> Result<Endpoint, ConnectError> {
    let url = options.url.clone();
    let bad = |what: String| ConnectError::Url { url: url.clone(), what };
    let endpoint = Endpoint::from_shared(url.clone()).map_err(|error| bad(error.to_string()))?;
    let uri = endpoint.uri();
    let host = uri.host().ok_or_else(|| bad("it names no host".to_owned()))?;
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(bad("it has a path".to_owned()));
    }
    match uri.scheme_str() {
        Some("https") => tls(endpoint, options),
        Some("http") if options.tls.are_given() => Err(ConnectError::TlsNotUsed { url }),
        Some("http") if is_this_machine(host) => Ok(endpoint),
        Some("http") if options.token.is_none() && !options.insecure => {
            Err(ConnectError::Exposed { url })
        }
        Some("http") => {
            if options.token.is_some() {
                tracing::warn!(
                    url,
                    "the token goes over the network without TLS: whoever can read the traffic \
                     can read it"
                );
            }
            Ok(endpoint)
        }
        _ => Err(bad("it does not start with http:// or https://".to_owned())),
    }
}

fn tls(endpoint: Endpoint, options: &ConnectOptions) -> Result<Endpoint, ConnectError> {
    choose_cryptography();
    let (url, tls) = (options.url.clone(), &options.tls);
    let Some(ca) = &tls.ca else { return Err(ConnectError::NoAuthority { url }) };
    let mut config = ClientTlsConfig::new().ca_certificate(ca.certificate()).timeout(CONNECT);
    if let Some(identity) = &tls.identity {
        config = config.identity(identity.identity());
    }
    if let Some(domain) = &tls.domain {
        config = config.domain_name(domain);
    }
    let bad = |error| ConnectError::Tls { url, what: super::explain::causes(&error) };
    endpoint.tls_config(config).map_err(bad)
}

/// Whether a host is certainly this machine. Names other than `localhost` are not looked up.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match address {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(options: &ConnectOptions) -> String {
        connect(options).map(|_| ()).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn addresses_that_make_no_sense_are_refused() {
        for url in ["http://localhost:7420", "http://127.0.0.1:1/", "http://[::1]:1"] {
            assert!(connect(&ConnectOptions::plain(url)).is_ok(), "{url}");
        }
        for url in [
            "",
            "localhost",
            "localhost:7420",
            "ftp://localhost",
            "http://",
            "a b",
            "http://localhost:1/path",
            "http://localhost:1?x=y",
        ] {
            let error = error(&ConnectOptions::plain(url));
            assert!(error.contains("https://host:7420"), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn plaintext_to_other_machines_needs_a_token_or_consent() {
        for url in [
            "http://coordinator:7420",
            "http://10.0.0.1:7420",
            "http://[fe80::1]:1",
            "http://localhost.example:1",
        ] {
            let plain = ConnectOptions::plain(url);
            let message = error(&plain);
            assert!(message.contains(url) && message.contains("--insecure"), "{message}");
            assert!(connect(&ConnectOptions { insecure: true, ..plain.clone() }).is_ok());
            let token = Some(Token::parse(b"0123456789abcdef").unwrap());
            assert!(connect(&ConnectOptions { token, ..plain }).is_ok());
        }
    }

    #[tokio::test]
    async fn options_for_tls_and_the_url_must_fit() {
        assert!(error(&ConnectOptions::plain("https://coordinator:7420")).contains("--tls-ca"));
        let tls = TlsOptions { domain: Some("name".to_owned()), ..TlsOptions::default() };
        let options = ConnectOptions { tls, ..ConnectOptions::plain("http://localhost:1") };
        assert!(error(&options).contains("does not start with https://"));
    }

    #[test]
    fn calls_carry_the_token_and_a_time() {
        let bearer = Some(Token::parse(b"0123456789abcdef").unwrap().bearer());
        let mut credentials = Credentials { bearer };
        let mut call = |method: &'static str, own: Option<Duration>| {
            let mut request = Request::new(());
            request.extensions_mut().insert(GrpcMethod::new("retrotab.v1.Coordinator", method));
            own.into_iter().for_each(|time| request.set_timeout(time));
            let request = credentials.call(request).unwrap();
            let authorization = request.metadata().get("authorization").unwrap();
            assert_eq!(authorization, "Bearer 0123456789abcdef");
            let time = request.metadata().get("grpc-timeout");
            time.map(|time| time.to_str().unwrap().to_owned())
        };
        assert_eq!(call("Lease", None).as_deref(), Some("60000000u"));
        assert_eq!(call("Lease", Some(Duration::from_secs(1))).as_deref(), Some("1000000u"));
        assert_eq!(call("SubmitShard", None), None);
    }
}
