//! Certificates and private keys for TLS, read from PEM files and checked before use.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use rustls::{InconsistentKeys, RootCertStore};
use rustls_pki_types::pem::{self, PemObject};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tonic::transport;

use crate::secret_file::{self, SecretFileError};

/// No certificate or key file is larger, not even a system's bundle of all authorities.
const MAX_FILE: u64 = 4 << 20;

/// What can be wrong with certificates and keys.
#[derive(Debug, thiserror::Error)]
pub enum TlsFileError {
    /// The file with the certificates cannot be read.
    #[error("certificate {}: cannot read it: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file with the key cannot be used.
    #[error("private key {0}")]
    Key(#[from] SecretFileError),
    /// It does not hold what it must.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The key is not that of the certificate.
    #[error(
        "the private key {} is not the one of the certificate {}; give the two that were made \
         together", key.display(), certificate.display()
    )]
    Mismatch {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
    },
}

/// The certificates of an authority: who has a certificate signed by it is believed.
#[derive(Clone)]
pub struct Authority {
    pem: Arc<[u8]>,
    roots: Arc<RootCertStore>,
}

impl Authority {
    /// Reads the certificates of one or more authorities from a PEM file.
    ///
    /// # Errors
    /// [`TlsFileError`].
    pub fn read(path: &Path) -> Result<Authority, TlsFileError> {
        let (pem, certificates) = read_certificates(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            roots.add(certificate).map_err(content(path, "it holds a bad certificate"))?;
        }
        Ok(Authority { pem: pem.into(), roots: roots.into() })
    }

    /// For tonic.
    pub fn certificate(&self) -> transport::Certificate {
        transport::Certificate::from_pem(&self.pem)
    }

    /// For rustls.
    pub fn roots(&self) -> Arc<RootCertStore> {
        self.roots.clone()
    }
}

/// A certificate with its private key: proves who one is. The key is never shown.
#[derive(Clone)]
pub struct Identity {
    certificate_pem: Arc<[u8]>,
    key_pem: Arc<[u8]>,
    certified: Arc<CertifiedKey>,
}

impl Identity {
    /// Reads a certificate, with those between it and the authority if there are any, and its
    /// key from PEM files.
    ///
    /// # Errors
    /// [`TlsFileError`], also if others than owner and group can read the key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Identity, TlsFileError> {
        let (certificate_pem, chain) = read_certificates(certificate)?;
        let key_pem = secret_file::read(key, MAX_FILE)?;
        let private = PrivateKeyDer::from_pem_slice(&key_pem).map_err(|error| match error {
            pem::Error::NoItemsFound => no_item(key, "private key"),
            error => content(key, "it is not a private key in PEM form")(error),
        })?;
        let certified = CertifiedKey::from_der(chain, private, &ring::default_provider());
        let certified = certified.map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                TlsFileError::Mismatch { certificate: certificate.into(), key: key.into() }
            }
            error => content(key, "it cannot be used with its certificate")(error),
        })?;
        Ok(Identity {
            certificate_pem: certificate_pem.into(),
            key_pem: key_pem.into(),
            certified: certified.into(),
        })
    }

    /// For tonic.
    pub fn identity(&self) -> transport::Identity {
        transport::Identity::from_pem(&self.certificate_pem, &self.key_pem)
    }

    /// For rustls.
    pub fn certified(&self) -> Arc<CertifiedKey> {
        self.certified.clone()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Authority({} certificates)", self.roots.len())
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(not shown)")
    }
}

/// Makes ring the cryptography of this process, unless another one was chosen. Libraries that
/// are linked in may bring a second one; then TLS works only after a choice.
pub fn choose_cryptography() {
    // An error means that there was a choice before, which is as good.
    let _ = ring::default_provider().install_default();
}

type Certificates = Vec<CertificateDer<'static>>;

fn read_certificates(path: &Path) -> Result<(Vec<u8>, Certificates), TlsFileError> {
    let unreadable = |source| TlsFileError::Unreadable { path: path.to_owned(), source };
    if !path.metadata().map_err(unreadable)?.is_file() {
        let what = "it is not a regular file".to_owned();
        return Err(TlsFileError::Content { path: path.to_owned(), what });
    }
    let mut pem = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1).read_to_end(&mut pem).map_err(unreadable)?;
    if pem.len() as u64 > MAX_FILE {
        let what = format!("it has more than {MAX_FILE} bytes; is it the right file?");
        return Err(TlsFileError::Content { path: path.to_owned(), what });
    }
    let certificates: Result<Certificates, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let certificates =
        certificates.map_err(content(path, "it holds a bad certificate in PEM form"))?;
    if certificates.is_empty() {
        return Err(no_item(path, "certificate"));
    }
    Ok((pem, certificates))
}

fn no_item(path: &Path, kind: &str) -> TlsFileError {
    let what = format!("it holds no {kind} in PEM form; `retrotab certs` makes such files");
    TlsFileError::Content { path: path.to_owned(), what }
}

/// For `map_err`: what is wrong with what a file holds.
fn content<E: fmt::Display>(path: &Path, what: &str) -> impl FnOnce(E) -> TlsFileError {
    move |error| TlsFileError::Content { path: path.to_owned(), what: format!("{what}: {error}") }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            let folder = Folder(tempfile::tempdir().unwrap());
            for name in ["a", "b"] {
                let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
                folder.put(&format!("{name}.pem"), &made.cert.pem());
                folder.put(&format!("{name}.key"), &made.signing_key.serialize_pem());
            }
            folder
        }

        fn put(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            path
        }

        fn identity(&self, certificate: &str, key: &str) -> Result<Identity, String> {
            let (certificate, key) = (self.0.path().join(certificate), self.0.path().join(key));
            Identity::read(&certificate, &key).map_err(|error| error.to_string())
        }
    }

    #[test]
    fn a_certificate_and_its_key_are_an_identity() {
        let folder = Folder::new();
        let identity = folder.identity("a.pem", "a.key").unwrap();
        assert_eq!(format!("{identity:?}"), "Identity(not shown)");
        let authority = Authority::read(&folder.0.path().join("b.pem")).unwrap();
        assert_eq!(authority.roots().len(), 1);
    }

    #[test]
    fn each_mistake_has_its_message() {
        let folder = Folder::new();
        folder.put("empty", "");
        let damaged = "-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n";
        folder.put("damaged", damaged);
        folder.put("damaged.key", &damaged.replace("CERTIFICATE", "PRIVATE KEY"));
        folder.put("wrong", &damaged.replace("????", "AAAA"));
        folder.put(
            "wrong.key",
            &damaged.replace("????", "AAAA").replace("CERTIFICATE", "PRIVATE KEY"),
        );
        for (certificate, key, says) in [
            ("none.pem", "a.key", "none.pem: cannot read it"),
            ("a.pem", "none.key", "none.key: cannot read it"),
            ("a.pem", "b.key", "not the one of the certificate"),
            ("a.key", "a.key", "holds no certificate"),
            ("a.pem", "a.pem", "holds no private key"),
            ("empty", "a.key", "holds no certificate"),
            ("damaged", "a.key", "bad certificate"),
            ("a.pem", "damaged.key", "not a private key"),
            ("a.pem", "wrong.key", "cannot be used"),
            (".", "a.key", "not a regular file"),
        ] {
            let error = folder.identity(certificate, key).unwrap_err();
            assert!(error.contains(says), "{certificate} {key}: {error}");
        }
        let error = Authority::read(&folder.0.path().join("wrong")).unwrap_err().to_string();
        assert!(error.contains("bad certificate"), "{error}");
        let key = folder.0.path().join("a.key");
        fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
        let error = folder.identity("a.pem", "a.key").unwrap_err();
        assert!(error.contains("0644") && error.contains("a.key"), "{error}");
    }
}
