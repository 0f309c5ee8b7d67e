//! Files of a folder on a web server.
//!
//! Nothing that a server says is believed: an answer must be exactly the part of the file that
//! was asked for, of a file as long as the manifest says, under the ETag of the answers before.
//! Redirects are followed on the same host only (and from `http` to `https` of that host):
//! whoever runs the host decides what it serves, and nobody else.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};

use super::error::RemoteError;
use super::meter::Meter;

const CONNECTING: Duration = Duration::from_secs(15);
/// A server that sends nothing for so long has failed.
const SILENCE: Duration = Duration::from_secs(30);
/// A request that takes longer has failed. Requests are of a few MiB at the most.
const LONGEST_REQUEST: Duration = Duration::from_secs(300);
const REDIRECTS: usize = 5;
/// Longest text of a server that is repeated in a message.
const SHOWN: usize = 200;

/// The token of a server that wants to know who reads. It is never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer(HeaderValue);

impl Bearer {
    /// Of a token; `None` when it cannot be part of a request.
    pub fn new(token: &str) -> Option<Bearer> {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        value.set_sensitive(true);
        Some(Bearer(value))
    }
}

/// A folder on a web server.
#[derive(Debug)]
pub(super) struct HttpFolder {
    client: Client,
    /// With a slash at the end.
    base: Url,
    /// Sent to this server alone: redirects to others are refused.
    bearer: Option<Bearer>,
    /// ETags of the files that were read.
    tags: Mutex<HashMap<String, String>>,
}

impl HttpFolder {
    pub(super) fn open(text: &str, bearer: Option<Bearer>) -> Result<HttpFolder, RemoteError> {
        // It may hold a password where none belongs, so it is not told.
        let shown = text.split('@').next_back().unwrap_or_default();
        let bad = |what: &str| RemoteError::Url { url: shown.to_owned(), what: what.to_owned() };
        let mut base =
            Url::parse(text).map_err(|error| bad(&format!("this is no URL ({error})")))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(bad("it must begin with http:// or https://"));
        }
        if base.password().is_some() || !base.username().is_empty() {
            return Err(bad("passwords in URLs are not used"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(bad("nothing may follow the folder's name"));
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        crate::objects::provide_cryptography();
        let client = Client::builder()
            .user_agent(concat!("retrotab/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECTING)
            .read_timeout(SILENCE)
            .timeout(LONGEST_REQUEST)
            .redirect(Policy::custom(follow))
            .referer(false)
            .build();
        let client = client.map_err(|error| bad(&format!("there is no HTTP client: {error}")))?;
        Ok(HttpFolder { client, base, bearer, tags: Mutex::default() })
    }

    /// The URL of the folder, without a slash at the end.
    pub(super) fn url(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    fn file(&self, name: &str) -> Url {
        let mut url = self.base.clone();
        // Names are those of a checked manifest, or our own; a segment is escaped all the same.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push(name);
        }
        url
    }

    fn get(&self, url: Url) -> RequestBuilder {
        let request = self.client.get(url);
        match &self.bearer {
            None => request,
            Some(Bearer(value)) => request.header(header::AUTHORIZATION, value.clone()),
        }
    }

    /// A whole file of at most so many bytes.
    pub(super) async fn whole(
        &self,
        name: &str,
        most: u64,
        meter: &Meter,
    ) -> Result<Vec<u8>, RemoteError> {
        let url = self.file(name);
        meter.request();
        let answer = self.get(url.clone()).send().await;
        let answer =
            Answer { url, answer: answer.map_err(|error| unreachable(&self.file(name), &error))? };
        answer.check_status(StatusCode::OK)?;
        let claimed = answer.length();
        if claimed.is_some_and(|claimed| claimed > most) {
            let what = format!("it has {} bytes, more than {most}", claimed.unwrap_or_default());
            return Err(answer.lies(what));
        }
        let mut bytes = Vec::new();
        answer.read(most, claimed, &mut bytes, meter).await?;
        Ok(bytes)
    }

    /// Appends a part of a file, which must have `length` bytes altogether. After an error, what
    /// has been appended is the beginning of the part.
    pub(super) async fn part(
        &self,
        name: &str,
        part: Range<u64>,
        length: u64,
        bytes: &mut Vec<u8>,
        meter: &Meter,
    ) -> Result<(), RemoteError> {
        let url = self.file(name);
        let asked = format!("bytes={}-{}", part.start, part.end - 1);
        let mut request = self.get(url.clone()).header(header::RANGE, asked);
        let known = self.tag(name);
        if let Some(tag) = &known {
            request = request.header(header::IF_MATCH, tag);
        }
        meter.request();
        let answer = request.send().await.map_err(|error| unreachable(&url, &error))?;
        let answer = Answer { url, answer };
        answer.check_status(StatusCode::PARTIAL_CONTENT)?;
        answer.check_part(&part, length)?;
        self.check_tag(name, known.as_deref(), &answer)?;
        let wanted = part.end - part.start;
        answer.read(wanted, Some(wanted), bytes, meter).await
    }

    fn tag(&self, name: &str) -> Option<String> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// The tag must be that of the answers before; the first one is remembered. Weak tags say
    /// nothing of bytes.
    fn check_tag(
        &self,
        name: &str,
        known: Option<&str>,
        answer: &Answer,
    ) -> Result<(), RemoteError> {
        let found = answer.text(header::ETAG).filter(|tag| tag.starts_with('"'));
        match (known, found) {
            (Some(known), Some(found)) if known != found => {
                Err(answer.changed(format!("its ETag was {known} and is {}", short(found))))
            }
            (None, Some(found)) => {
                let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
                let first = tags.entry(name.to_owned()).or_insert_with(|| found.to_owned());
                // Another request may have been faster.
                match first == found {
                    true => Ok(()),
                    false => Err(answer.changed("it has two ETags".to_owned())),
                }
            }
            _ => Ok(()),
        }
    }
}

fn follow(attempt: Attempt<'_>) -> Action {
    let Some(first) = attempt.previous().first() else { return attempt.stop() };
    let to = attempt.url();
    let same_host = to.host_str() == first.host_str();
    let same_port = to.scheme() == first.scheme()
        && to.port_or_known_default() == first.port_or_known_default();
    let is_safer = first.scheme() == "http" && to.scheme() == "https" && to.port().is_none();
    match same_host && (same_port || is_safer) && attempt.previous().len() <= REDIRECTS {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

/// An answer whose body has not been read.
struct Answer {
    url: Url,
    answer: Response,
}

impl Answer {
    fn url(&self) -> String {
        self.url.to_string()
    }

    fn lies(&self, what: String) -> RemoteError {
        RemoteError::Lies { url: self.url(), what }
    }

    fn changed(&self, what: String) -> RemoteError {
        RemoteError::Changed { url: self.url(), what }
    }

    fn headers(&self) -> &HeaderMap {
        self.answer.headers()
    }

    fn text(&self, name: HeaderName) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// What Content-Length says, unless it is no number.
    fn length(&self) -> Option<u64> {
        self.text(header::CONTENT_LENGTH)?.parse().ok()
    }

    fn check_status(&self, wanted: StatusCode) -> Result<(), RemoteError> {
        let (url, status) = (self.url(), self.answer.status());
        let code = status.as_u16();
        match status {
            _ if status == wanted => {}
            StatusCode::OK => return Err(RemoteError::NoRanges { url }),
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                return Err(RemoteError::Missing { url, status: code });
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(RemoteError::Refused { url, status: code });
            }
            StatusCode::PRECONDITION_FAILED => {
                return Err(self.changed("its ETag is another one".to_owned()));
            }
            StatusCode::RANGE_NOT_SATISFIABLE => {
                return Err(self.lies("the file is shorter than the manifest says".to_owned()));
            }
            _ if status.is_redirection() => {
                let to = short(self.text(header::LOCATION).unwrap_or("nowhere"));
                return Err(RemoteError::Redirected { url, to });
            }
            _ if matches!(code, 408 | 429 | 500..) => {
                return Err(RemoteError::Unreachable { url, why: format!("status {code}") });
            }
            _ => return Err(RemoteError::Refused { url, status: code }),
        }
        match self.headers().get(header::CONTENT_ENCODING) {
            Some(coding) if coding != "identity" => {
                Err(self.lies("it encodes the file, though nobody asked it to".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// It must be the part that was asked for.
    fn check_part(&self, part: &Range<u64>, length: u64) -> Result<(), RemoteError> {
        let Some(found) = self.text(header::CONTENT_RANGE) else {
            return Err(self.lies("it does not say which part of the file it gives".to_owned()));
        };
        let expected = format!("bytes {}-{}/{length}", part.start, part.end - 1);
        if found != expected {
            let what = format!("it gives `{}` instead of `{expected}`", short(found));
            return Err(self.lies(what));
        }
        match self.length() {
            Some(claimed) if claimed != part.end - part.start => {
                let wanted = part.end - part.start;
                Err(self.lies(format!("a part of {wanted} bytes is said to have {claimed}")))
            }
            _ => Ok(()),
        }
    }

    /// Appends the body, which must have `exactly` so many bytes, and at `most` so many.
    async fn read(
        mut self,
        most: u64,
        exactly: Option<u64>,
        bytes: &mut Vec<u8>,
        meter: &Meter,
    ) -> Result<(), RemoteError> {
        let mut got = 0;
        let ended = loop {
            match self.answer.chunk().await {
                Ok(Some(chunk)) => {
                    got += chunk.len() as u64;
                    meter.bytes(chunk.len() as u64);
                    if got > most {
                        return Err(self.lies(format!("it sends more than {most} bytes")));
                    }
                    bytes.extend_from_slice(&chunk);
                }
                Ok(None) => break None,
                Err(error) => break Some(reason(&error)),
            }
        };
        let wanted = exactly.unwrap_or(got);
        match ended {
            None if got == wanted => Ok(()),
            ended => {
                let why = ended.unwrap_or_else(|| "the answer ends there".to_owned());
                Err(RemoteError::Stopped { url: self.url(), got, wanted: wanted.max(got), why })
            }
        }
    }
}

fn unreachable(url: &Url, error: &reqwest::Error) -> RemoteError {
    RemoteError::Unreachable { url: url.to_string(), why: reason(error) }
}

/// What is behind an error: its deepest cause says most, and holds no URL.
fn reason(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    if error.is_timeout() { "it takes too long".to_owned() } else { short(&cause.to_string()) }
}

/// A text of a server as it may be shown: short and printable.
fn short(text: &str) -> String {
    text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_checked() {
        for (text, what) in [
            ("", "no URL"),
            ("tables/stack3", "no URL"),
            ("ftp://host/x", "http://"),
            ("http://", "no URL"),
            ("https://me:secret@host/x", "passwords"),
            ("https://host/x?y", "nothing may follow"),
            ("https://host/x#y", "nothing may follow"),
        ] {
            let error = HttpFolder::open(text, None).unwrap_err();
            let said = error.to_string();
            assert!(error.is_users() && said.contains(what), "{text}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
        for text in ["http://host/a/b", "http://host/a/b/"] {
            let folder = HttpFolder::open(text, None).unwrap();
            assert_eq!(folder.url(), "http://host/a/b");
            assert_eq!(folder.file("000.u16.zst").as_str(), "http://host/a/b/000.u16.zst");
            assert_eq!(folder.file("../x?y").as_str(), "http://host/a/b/..%2Fx%3Fy");
        }
        assert_eq!(
            HttpFolder::open("http://host", None).unwrap().file("f").as_str(),
            "http://host/f"
        );
    }
}
