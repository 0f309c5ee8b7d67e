//! A whole coordinator on loopback, and certificates for it.

#![allow(dead_code)] // Each test file uses a part of it.

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use retrotab_coordinator::daemon::{Daemon, DaemonOptions};
use retrotab_coordinator::net::auth::{Guard, Refusals};
use retrotab_coordinator::net::limits::ConnectionLimits;
use retrotab_coordinator::net::tls::{ClientCertificates, ServerTls};
use retrotab_coordinator::serve::{Serving, listen};
use retrotab_coordinator::service::Limits;
use retrotab_proto::tls::{Authority, Identity};
use retrotab_proto::token::Token;
use time::{Duration, OffsetDateTime};
use tokio::sync::oneshot;

pub const TOKEN: &str = "the-token-of-the-tests";

pub fn token() -> Token {
    Token::parse(TOKEN.as_bytes()).unwrap()
}

/// A coordinator on threads of its own, until it is dropped.
pub struct Server {
    pub grpc: SocketAddr,
    pub http: SocketAddr,
    pub refusals: Arc<Refusals>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _data: tempfile::TempDir,
}

impl Server {
    pub fn start(token: Option<Token>, tls: Option<ServerTls>) -> Server {
        Server::with(token, tls, ConnectionLimits::default())
    }

    pub fn with(
        token: Option<Token>,
        tls: Option<ServerTls>,
        connections: ConnectionLimits,
    ) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let certificates = tls.as_ref().map(ServerTls::client_certificates);
        let guard = Guard::new(token, certificates.unwrap_or(ClientCertificates::NotNeeded));
        let refusals = Arc::clone(guard.refusals());
        let (stop, stopped) = oneshot::channel::<()>();
        let (started, addresses) = std::sync::mpsc::channel();
        let data = folder.path().join("data");
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let any = "127.0.0.1:0".parse().unwrap();
                let (grpc, http) = (listen(any).await.unwrap(), listen(any).await.unwrap());
                let addresses = (grpc.local_addr().unwrap(), http.local_addr().unwrap());
                let daemon = Arc::new(Daemon::open(&data, DaemonOptions::default()).unwrap());
                started.send(addresses).unwrap();
                let limits = Limits::default();
                let serving = Serving { daemon, data, grpc, http, limits, connections, guard, tls };
                let told = async {
                    let _ = stopped.await;
                };
                serving.run(told).await.unwrap();
            });
        });
        let (grpc, http) = addresses.recv().unwrap();
        let (stop, thread) = (Some(stop), Some(thread));
        Server { grpc, http, refusals, stop, thread, _data: folder }
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.grpc.port())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the server has panicked");
    }
}

/// When a certificate is valid, in days from now.
pub type Days = std::ops::Range<i64>;
pub const NOW: Days = -1..30;

/// An authority and what it signs, in a folder.
pub struct Pki {
    folder: tempfile::TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Pki {
    pub fn new() -> Pki {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "authority of the tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("ca.pem"), &issuer.pem());
        Pki { folder, issuer }
    }

    pub fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    pub fn authority(&self) -> Authority {
        Authority::read(&self.ca()).unwrap()
    }

    fn signed(&self, host: &str, days: Days, usage: ExtendedKeyUsagePurpose) -> (PathBuf, PathBuf) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        let now = OffsetDateTime::now_utc();
        params.not_before = now + Duration::days(days.start);
        params.not_after = now + Duration::days(days.end);
        params.extended_key_usages = vec![usage];
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let path = self.folder.path().join(blake3::hash(key.public_key_raw()).to_string());
        let (certificate_path, key_path) = (path.with_extension("pem"), path.with_extension("key"));
        write(&certificate_path, &certificate.pem());
        write(&key_path, &key.serialize_pem());
        (certificate_path, key_path)
    }

    pub fn server(&self, host: &str, days: Days, client_ca: Option<&Path>) -> ServerTls {
        let (certificate, key) = self.signed(host, days, ExtendedKeyUsagePurpose::ServerAuth);
        ServerTls::read(&certificate, &key, client_ca).unwrap()
    }

    pub fn client(&self, days: Days) -> Identity {
        let (certificate, key) = self.signed("client", days, ExtendedKeyUsagePurpose::ClientAuth);
        Identity::read(&certificate, &key).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}
