//! Why a call failed, in words that help.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError, InvalidMessage};
use tonic::{Code, Status};

/// Why a call to the coordinator at `url` failed, and, where it is known, what to do. A status
/// without a source is the coordinator's own answer; with one, there was no answer.
pub fn explain(status: &Status, url: &str) -> String {
    let Some(cause) = status.source() else {
        // It is the coordinator that says so.
        return status.message().to_owned();
    };
    let text = causes(cause);
    match hint(status, cause, url) {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    }
}

/// An error with its causes, without those that say nothing or repeat others.
pub(super) fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for cause in chain(error).map(ToString::to_string) {
        if cause == "transport error" || text.contains(&cause) {
            continue;
        }
        text = if text.is_empty() { cause } else { format!("{text}: {cause}") };
    }
    if text.is_empty() { "the connection failed".to_owned() } else { text }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

/// What to do about a failed call, if it is TLS that has failed.
pub(super) fn hint_about_tls(status: &Status) -> Option<String> {
    let cause = status.source()?;
    let hint = chain(cause).find_map(as_rustls).and_then(tls_hint);
    hint.or_else(|| alert_in_text(&causes(cause)))
}

fn hint(status: &Status, cause: &(dyn Error + 'static), url: &str) -> Option<String> {
    if let Some(error) = chain(cause).find_map(as_rustls) {
        return tls_hint(error);
    }
    if let Some(hint) = alert_in_text(&causes(cause)) {
        return Some(hint);
    }
    let system = chain(cause).filter_map(|cause| cause.downcast_ref::<io::Error>());
    let kinds: Vec<io::ErrorKind> = system.map(io::Error::kind).collect();
    let has = |kind| kinds.contains(&kind);
    if has(io::ErrorKind::ConnectionRefused) {
        return Some("is the coordinator running, and is the port right?".to_owned());
    }
    let is_plain = url.starts_with("http://");
    let has_ended = has(io::ErrorKind::ConnectionReset)
        || has(io::ErrorKind::BrokenPipe)
        || has(io::ErrorKind::UnexpectedEof)
        || has(io::ErrorKind::ConnectionAborted);
    let is_strange = matches!(status.code(), Code::Internal | Code::Unknown | Code::Cancelled)
        || chain(cause).any(|cause| cause.is::<h2::Error>());
    if !is_plain && (has_ended || is_strange) {
        // What the coordinator said before it hung up can get lost.
        let what = "the coordinator has closed the connection: perhaps it asks for a client \
                    certificate (--tls-cert, --tls-key), or does not accept this client \
                    certificate, which must be in force and signed by the authority that the \
                    coordinator was given (--tls-client-ca)";
        return Some(what.to_owned());
    }
    if is_plain && (has_ended || is_strange) {
        return Some(format!(
            "something answers there, but not as a coordinator without TLS does: if it serves \
             TLS, write https://{} and give --tls-ca",
            url.trim_start_matches("http://")
        ));
    }
    None
}

/// A TLS error, which travels inside those of the system.
fn as_rustls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref().or_else(|| {
        let inner = error.downcast_ref::<io::Error>()?.get_ref()?;
        inner.downcast_ref()
    })
}

fn tls_hint(error: &rustls::Error) -> Option<String> {
    use rustls::Error as Tls;
    let hint = match error {
        Tls::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the coordinator does not serve TLS on this port: write http://, or start it with \
             --tls-cert and --tls-key"
        }
        Tls::InvalidCertificate(
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. },
        ) => "check this machine's clock, or make new certificates with `retrotab certs`",
        Tls::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => {
            "another authority has signed the coordinator's certificate: give the `ca.pem` that \
             was made with it (--tls-ca)"
        }
        Tls::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => {
            "the coordinator's certificate is for other hosts: make one for this host with \
             `retrotab certs --host`, or say which name it has (--tls-domain)"
        }
        Tls::AlertReceived(alert) => return alert_hint(&alert_name(*alert)),
        _ => return None,
    };
    Some(hint.to_owned())
}

fn alert_name(alert: AlertDescription) -> String {
    format!("{alert:?}")
}

/// HTTP/2 keeps only the text of what ended a connection, so alerts that come after the
/// handshake, as all about client certificates do in TLS 1.3, are known by their names alone.
fn alert_in_text(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("received fatal alert: ")?;
    let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    alert_hint(name)
}

fn alert_hint(name: &str) -> Option<String> {
    use AlertDescription::{
        BadCertificate, CertificateExpired, CertificateRequired, CertificateUnknown, DecryptError,
        UnknownCA,
    };
    let refusals =
        [UnknownCA, BadCertificate, DecryptError, CertificateExpired, CertificateUnknown];
    let hint = if name == alert_name(CertificateRequired) {
        "the coordinator asks for a client certificate: give --tls-cert and --tls-key"
    } else if refusals.into_iter().any(|alert| name == alert_name(alert)) {
        "the coordinator does not accept this client certificate: it must be in force, and \
         signed by the authority that the coordinator was given (--tls-client-ca)"
    } else {
        return None;
    };
    Some(hint.to_owned())
}
