//! Encrypted connections: the server's certificate, and whose certificates it asks for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use retrotab_proto::tls::{Authority, Identity, TlsFileError, choose_cryptography};
use rustls::ServerConfig;
use rustls::server::WebPkiClientVerifier;
use tokio_rustls::TlsAcceptor;
use tonic::transport::ServerTlsConfig;

/// A connection whose handshake takes longer is given up.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether callers need certificates of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientCertificates {
    /// They need none.
    NotNeeded,
    /// Mutual TLS.
    Needed,
}

/// Proves who the coordinator is, and asks callers who they are.
#[derive(Debug, Clone)]
pub struct ServerTls {
    identity: Identity,
    clients: Option<Authority>,
}

impl ServerTls {
    /// With a certificate and its key; with `client_ca`, callers need a certificate that this
    /// authority has signed.
    ///
    /// # Errors
    /// [`TlsFileError`].
    pub fn read(
        certificate: &Path,
        key: &Path,
        client_ca: Option<&Path>,
    ) -> Result<ServerTls, TlsFileError> {
        let identity = Identity::read(certificate, key)?;
        Ok(ServerTls { identity, clients: client_ca.map(Authority::read).transpose()? })
    }

    /// Whether callers need certificates.
    pub fn client_certificates(&self) -> ClientCertificates {
        match self.clients {
            None => ClientCertificates::NotNeeded,
            Some(_) => ClientCertificates::Needed,
        }
    }

    /// For the gRPC port. A caller without a certificate, where one is needed, gets no
    /// connection.
    pub fn for_grpc(&self) -> ServerTlsConfig {
        choose_cryptography();
        let config = ServerTlsConfig::new().identity(self.identity.identity());
        let config = config.timeout(HANDSHAKE_TIMEOUT);
        match &self.clients {
            None => config,
            Some(authority) => config.client_ca_root(authority.certificate()),
        }
    }

    /// For the HTTP port. A caller without a certificate gets a connection, for its health is
    /// asked about by programs that have none; [`Guard`](super::auth::Guard) refuses the rest.
    ///
    /// # Errors
    /// If the files cannot be used for TLS after all.
    pub fn for_http(&self) -> Result<TlsAcceptor, rustls::Error> {
        choose_cryptography();
        let builder = ServerConfig::builder();
        let builder = match &self.clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let verifier = WebPkiClientVerifier::builder(authority.roots());
                let verifier = verifier.allow_unauthenticated().build();
                let general = |error| rustls::Error::General(format!("{error}"));
                builder.with_client_cert_verifier(verifier.map_err(general)?)
            }
        };
        let resolver = rustls::sign::SingleCertAndKey::from(self.identity.certified());
        let mut config = builder.with_cert_resolver(Arc::new(resolver));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
