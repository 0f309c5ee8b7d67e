//! From a URL and the environment to a client.

use std::fmt::Debug;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as ObjectPath;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};
use url::Url;

use super::error::StoreError;

/// How a store is reached.
#[derive(Clone)]
pub struct StoreOptions {
    /// Names and values of settings, as in the environment: those that begin with `AWS_`,
    /// `GOOGLE_` or `AZURE_`, whichever the URL is for, give credentials, region and endpoint.
    pub environment: Vec<(String, String)>,
    /// How often a request is repeated that was not answered, or with "try again". The waits
    /// between are random, about 0.1 s at first and twice as long each time.
    pub retries: usize,
    /// Bytes of stored shards that are kept in memory for readers of buckets.
    pub kept: u64,
}

impl Default for StoreOptions {
    /// The environment of the process, 8 repetitions (half a minute), 32 MiB.
    fn default() -> StoreOptions {
        let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((key.into_string().ok()?, value.into_string().ok()?))
        };
        let environment = std::env::vars_os().filter_map(text).collect();
        StoreOptions { environment, retries: 8, kept: 32 << 20 }
    }
}

impl Debug for StoreOptions {
    /// Without the values of settings: some are secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (retries, kept) = (self.retries, self.kept);
        write!(f, "StoreOptions {{ retries: {retries}, kept: {kept}, .. }}")
    }
}

/// What a URL leads to.
pub(super) enum Location {
    Folder(PathBuf),
    Bucket(Box<dyn ObjectStore>, ObjectPath),
}

/// A request that takes longer has failed. Requests are of 8 MiB at the most.
const LONGEST_REQUEST: (&str, &str) = ("timeout", "120 seconds");
const LONGEST_BACK_OFF: Duration = Duration::from_secs(10);
/// After this time no request is repeated any more.
const LONGEST_RETRYING: Duration = Duration::from_secs(120);

pub(super) fn connect(text: &str, options: &StoreOptions) -> Result<Location, StoreError> {
    // The URL may hold a password where none belongs, so it is not told.
    let shown = text.split('@').next_back().unwrap_or_default();
    let bad = |what: &str| StoreError::Url { url: shown.to_owned(), what: what.to_owned() };
    let url = Url::parse(text).map_err(|error| bad(&format!("this is no URL ({error})")))?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("nothing may follow the folder's name"));
    }
    if url.password().is_some() || !url.username().is_empty() {
        return Err(bad("credentials belong in the environment, not in the URL"));
    }
    if url.scheme() == "file" {
        let folder = url.to_file_path().map_err(|()| bad("it must begin with file:///"))?;
        return Ok(Location::Folder(folder));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(bad("the name of the bucket is missing"));
    }
    let prefix = ObjectPath::from_url_path(url.path()).map_err(|e| bad(&e.to_string()))?;
    provide_cryptography();
    let client = client(&url, options).ok_or_else(|| bad("no such kind of store is known"))?;
    Ok(Location::Bucket(client.map_err(|error| bad(&error.to_string()))?, prefix))
}

type Client = Result<Box<dyn ObjectStore>, object_store::Error>;

/// The client for a URL's scheme; `None` if it is another.
fn client(url: &Url, options: &StoreOptions) -> Option<Client> {
    // The builders have the same methods, but no trait.
    macro_rules! built {
        ($builder:ty, $prefix:literal) => {{
            let set = |builder: $builder, (key, value)| builder.with_config(key, value);
            let builder = settings(options, $prefix).fold(<$builder>::new(), set);
            let builder = builder.with_url(url.as_str()).with_retry(retry(options));
            Some(builder.build().map(|client| Box::new(client) as Box<dyn ObjectStore>))
        }};
    }
    match url.scheme() {
        "s3" => built!(AmazonS3Builder, "AWS_"),
        "gs" => built!(GoogleCloudStorageBuilder, "GOOGLE_"),
        "az" => built!(MicrosoftAzureBuilder, "AZURE_"),
        _ => None,
    }
}

/// The settings that a builder knows. Others in the environment are other programs'.
fn settings<'a, K: FromStr>(
    options: &'a StoreOptions,
    prefix: &'a str,
) -> impl Iterator<Item = (K, &'a str)> {
    let ours = options.environment.iter().filter(move |(key, _)| key.starts_with(prefix));
    let ours = ours.map(|(key, value)| (key.to_ascii_lowercase(), value.as_str()));
    let first = (LONGEST_REQUEST.0.to_owned(), LONGEST_REQUEST.1);
    std::iter::once(first).chain(ours).filter_map(|(key, value)| Some((key.parse().ok()?, value)))
}

fn retry(options: &StoreOptions) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { max_backoff: LONGEST_BACK_OFF, ..BackoffConfig::default() },
        max_retries: options.retries,
        retry_timeout: LONGEST_RETRYING,
    }
}

/// The HTTP client takes the process's TLS provider. If the program has set one, it stays.
pub(crate) fn provide_cryptography() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
