//! Which addresses may be served without protection.

use std::fmt;
use std::net::SocketAddr;

/// How bytes travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Anybody on the way can read and change them.
    Plaintext,
    /// Encrypted; callers need no certificate.
    Tls,
    /// Encrypted, and only between holders of certificates.
    MutualTls,
}

/// Whether callers need the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRule {
    /// Everybody may call.
    NotNeeded,
    /// Every call but those about health needs it.
    Needed,
}

/// What the user said about missing protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Nothing.
    NotGiven,
    /// `--insecure`.
    Insecure,
}

/// An address must not be served like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{address} can be reached from other machines, and without a token anybody could call it; \
     give --token-file, or --tls-cert, --tls-key and --tls-client-ca (`retrotab token` and \
     `retrotab certs` make them), or listen on 127.0.0.1, or give --insecure if the network \
     itself keeps others out"
)]
pub struct ExposureError {
    /// The address.
    pub address: SocketAddr,
}

/// Something about an address that may be served, but that the user should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExposureWarning {
    /// `--insecure` was needed: no token, no encryption.
    Unprotected(SocketAddr),
    /// The token travels in the clear.
    TokenInTheClear(SocketAddr),
    /// Encrypted, but everybody may call.
    Anybody(SocketAddr),
}

impl fmt::Display for ExposureWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExposureWarning::Unprotected(address) => write!(
                f,
                "{address} is served without a token and without TLS: whoever reaches it can \
                 submit and cancel jobs and give wrong results"
            ),
            ExposureWarning::TokenInTheClear(address) => write!(
                f,
                "{address} is served without TLS: whoever can read the network's traffic can \
                 read the token"
            ),
            ExposureWarning::Anybody(address) => write!(
                f,
                "{address} is served with TLS but needs neither a token nor a client's \
                 certificate: whoever reaches it can submit and cancel jobs"
            ),
        }
    }
}

/// Whether an address may be served, and what the user should know of it: without a token,
/// plaintext is for this machine alone, unless the user wants it otherwise.
///
/// # Errors
/// [`ExposureError`] if others could call without any proof.
pub fn check(
    address: SocketAddr,
    transport: Transport,
    token: TokenRule,
    consent: Consent,
) -> Result<Option<ExposureWarning>, ExposureError> {
    // An IPv4 address written as one of IPv6 is that IPv4 address.
    if address.ip().to_canonical().is_loopback() {
        return Ok(None);
    }
    match (transport, token, consent) {
        (Transport::Plaintext, TokenRule::NotNeeded, Consent::NotGiven) => {
            Err(ExposureError { address })
        }
        (Transport::Plaintext, TokenRule::NotNeeded, Consent::Insecure) => {
            Ok(Some(ExposureWarning::Unprotected(address)))
        }
        (Transport::Plaintext, TokenRule::Needed, _) => {
            Ok(Some(ExposureWarning::TokenInTheClear(address)))
        }
        (Transport::Tls, TokenRule::NotNeeded, _) => Ok(Some(ExposureWarning::Anybody(address))),
        (Transport::Tls, TokenRule::Needed, _) | (Transport::MutualTls, _, _) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: [&str; 4] = ["127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"];
    const OPEN: [&str; 6] =
        ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[fe80::1]:1", "[::ffff:10.0.0.1]:1", "128.0.0.1:1"];

    fn checked(
        address: &str,
        transport: Transport,
        token: TokenRule,
        consent: Consent,
    ) -> Result<Option<ExposureWarning>, ExposureError> {
        check(address.parse().unwrap(), transport, token, consent)
    }

    #[test]
    fn this_machine_alone_needs_no_protection() {
        for address in LOOPBACK {
            for transport in [Transport::Plaintext, Transport::Tls, Transport::MutualTls] {
                for token in [TokenRule::NotNeeded, TokenRule::Needed] {
                    let checked = checked(address, transport, token, Consent::NotGiven);
                    assert_eq!(checked, Ok(None), "{address}");
                }
            }
        }
    }

    #[test]
    fn open_addresses_need_a_token_tls_or_consent() {
        use Consent::{Insecure, NotGiven};
        use TokenRule::{Needed, NotNeeded};
        for text in OPEN {
            let address = text.parse().unwrap();
            let refused = checked(text, Transport::Plaintext, NotNeeded, NotGiven).unwrap_err();
            let message = refused.to_string();
            for hint in [text, "--token-file", "--tls-cert", "127.0.0.1", "--insecure"] {
                assert!(message.contains(hint), "{hint}: {message}");
            }
            for (transport, token, consent, warning) in [
                (
                    Transport::Plaintext,
                    NotNeeded,
                    Insecure,
                    Some(ExposureWarning::Unprotected(address)),
                ),
                (
                    Transport::Plaintext,
                    Needed,
                    NotGiven,
                    Some(ExposureWarning::TokenInTheClear(address)),
                ),
                (Transport::Tls, NotNeeded, NotGiven, Some(ExposureWarning::Anybody(address))),
                (Transport::Tls, Needed, NotGiven, None),
                (Transport::MutualTls, NotNeeded, NotGiven, None),
                (Transport::MutualTls, Needed, NotGiven, None),
            ] {
                assert_eq!(checked(text, transport, token, consent), Ok(warning), "{text}");
            }
        }
    }
}
