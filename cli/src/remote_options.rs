//! Where the coordinator is, and what proves who speaks to whom.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use retrotab_coordinator::net::auth::Guard;
use retrotab_coordinator::net::exposure::{self, Consent, TokenRule, Transport};
use retrotab_coordinator::net::tls::{ClientCertificates, ServerTls};
use retrotab_proto::tls::{Authority, Identity};
use retrotab_proto::token::Token;
use retrotab_worker::remote::{ConnectOptions, TlsOptions};

use crate::failure::UserError;

/// Where the coordinator is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Coordinator")]
pub struct RemoteOptions {
    /// The coordinator, for example http://host:7420, or https://host:7420 if it serves TLS.
    #[arg(
        long,
        value_name = "URL",
        env = "RETROTAB_COORDINATOR",
        default_value = "http://127.0.0.1:7420"
    )]
    pub coordinator: String,
    #[command(flatten)]
    caller: CallerOptions,
}

/// What proves to a coordinator who we are, and to us who it is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Coordinator")]
pub struct CallerOptions {
    /// The token that the coordinator asks for.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// The authority that has signed the coordinator's certificate.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_CA")]
    tls_ca: Option<PathBuf>,
    /// Our own certificate, if the coordinator asks for one.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of our own certificate.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Name in the coordinator's certificate, if it is not the URL's host.
    #[arg(long, value_name = "NAME", env = "RETROTAB_TLS_DOMAIN")]
    tls_domain: Option<String>,
    /// Speak to another machine even without a token and TLS.
    #[arg(long)]
    insecure: bool,
}

impl RemoteOptions {
    /// Reads the files.
    pub fn connect_options(&self) -> anyhow::Result<ConnectOptions> {
        self.caller.connect_options(&self.coordinator)
    }
}

impl CallerOptions {
    /// Reads the files; for the coordinator at `url`.
    pub fn connect_options(&self, url: &str) -> anyhow::Result<ConnectOptions> {
        let identity = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let identity = identity.map(|(certificate, key)| Identity::read(certificate, key));
        Ok(ConnectOptions {
            url: url.to_owned(),
            token: self.token_file.as_deref().map(Token::read).transpose()?,
            tls: TlsOptions {
                ca: self.tls_ca.as_deref().map(Authority::read).transpose()?,
                identity: identity.transpose()?,
                domain: self.tls_domain.clone(),
            },
            insecure: self.insecure,
        })
    }
}

/// What a coordinator asks callers for, and how it proves who it is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Protection")]
pub struct ProtectionOptions {
    /// Every call but those about health must show the token in this file.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Serve TLS with this certificate.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Callers must have a certificate that this authority has signed.
    #[arg(long, value_name = "FILE", env = "RETROTAB_TLS_CLIENT_CA", requires = "tls_cert")]
    tls_client_ca: Option<PathBuf>,
    /// Let other machines call even without a token and TLS.
    #[arg(long)]
    insecure: bool,
}

/// [`ProtectionOptions`] with the files read.
pub struct Protection {
    token: Option<Token>,
    /// For both ports.
    pub tls: Option<ServerTls>,
    consent: Consent,
}

impl ProtectionOptions {
    /// Reads the files.
    pub fn read(&self) -> anyhow::Result<Protection> {
        let pair = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let client_ca = self.tls_client_ca.as_deref();
        let tls = pair.map(|(certificate, key)| ServerTls::read(certificate, key, client_ca));
        Ok(Protection {
            token: self.token_file.as_deref().map(Token::read).transpose()?,
            tls: tls.transpose()?,
            consent: if self.insecure { Consent::Insecure } else { Consent::NotGiven },
        })
    }
}

impl Protection {
    /// Whether the addresses may be served like this; warns of what the user should know.
    pub fn check(&self, addresses: [SocketAddr; 2]) -> anyhow::Result<()> {
        let token = if self.token.is_some() { TokenRule::Needed } else { TokenRule::NotNeeded };
        let transport = match self.tls.as_ref().map(ServerTls::client_certificates) {
            None => Transport::Plaintext,
            Some(ClientCertificates::NotNeeded) => Transport::Tls,
            Some(ClientCertificates::Needed) => Transport::MutualTls,
        };
        for address in addresses {
            let checked = exposure::check(address, transport, token, self.consent);
            if let Some(warning) = checked.map_err(|error| UserError(error.to_string()))? {
                tracing::warn!("{warning}");
            }
        }
        Ok(())
    }

    /// Who may call.
    pub fn guard(&self) -> Guard {
        let certificates = self.tls.as_ref().map(ServerTls::client_certificates);
        let certificates = certificates.unwrap_or(ClientCertificates::NotNeeded);
        Guard::new(self.token.clone(), certificates)
    }
}
