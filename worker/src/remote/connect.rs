//! How a worker reaches its coordinator: the one place that knows about addresses and secrets.

use std::time::Duration;

use retrotab_proto::v1::coordinator_client::CoordinatorClient;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

/// Where the coordinator is.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Its URL, for example `http://localhost:7070`.
    pub coordinator: String,
}

/// A coordinator that cannot be reached like this; no attempt was made.
#[derive(Debug, thiserror::Error)]
#[error("`{url}` is not the URL of a coordinator, such as http://localhost:7070: {what}")]
pub struct ConnectError {
    url: String,
    what: String,
}

/// Calls to the coordinator.
pub type Client = CoordinatorClient<InterceptedService<Channel, Credentials>>;

/// What every call carries to say who calls.
#[derive(Debug, Clone)]
pub struct Credentials;

impl Interceptor for Credentials {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        Ok(request)
    }
}

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

/// Prepares calls. Connections are made when they are needed, and made again when they break,
/// so this works while the coordinator is away.
///
/// # Errors
/// [`ConnectError`] if the URL makes no sense.
pub fn connect(connection: &Connection) -> Result<Client, ConnectError> {
    let url = &connection.coordinator;
    let error = |what: String| ConnectError { url: url.clone(), what };
    let endpoint = Endpoint::from_shared(url.clone()).map_err(|e| error(e.to_string()))?;
    if endpoint.uri().scheme_str() != Some("http") || endpoint.uri().host().is_none() {
        return Err(error("it does not start with http:// and a host".to_owned()));
    }
    let channel = endpoint
        .connect_timeout(CONNECT)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .keep_alive_while_idle(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .connect_lazy();
    Ok(CoordinatorClient::with_interceptor(channel, Credentials))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_that_make_no_sense_are_refused() {
        let try_it = |url: &str| connect(&Connection { coordinator: url.to_owned() });
        assert!(try_it("http://localhost:7070").is_ok());
        for url in ["", "localhost", "localhost:7070", "ftp://localhost", "http://", "a b"] {
            let error = try_it(url).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("http://localhost:7070"), "{url}: {error}");
        }
    }
}
