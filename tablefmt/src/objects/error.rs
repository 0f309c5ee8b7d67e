//! What can go wrong with a shared store.

use std::error::Error as _;

use object_store::client::{HttpError, HttpErrorKind};

use crate::error::TableError;

/// What can go wrong with a shared store. Messages say where, what, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL, or a setting that goes with it, makes no sense.
    #[error(
        "{url}: {what}; a store is given as s3://BUCKET/FOLDER, gs://BUCKET/FOLDER, \
         az://CONTAINER/FOLDER or file:///FOLDER"
    )]
    Url {
        /// What was given.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// The bucket or the shared folder does not exist.
    #[error("{url}: there is no such {kind}; make it (or mount its disk), or correct the URL")]
    NoPlace {
        /// URL of the store.
        url: String,
        /// `bucket` or `folder`.
        kind: &'static str,
    },
    /// A shard is not in the store.
    #[error("{object}: missing")]
    Missing {
        /// The object.
        object: String,
    },
    /// The credentials are missing, wrong, or not enough.
    #[error(
        "{object}: cannot {doing}: access is refused: {why}; check the credentials and settings \
         in the environment (AWS_..., GOOGLE_... or AZURE_...) and what they are allowed to do"
    )]
    Refused {
        /// The store or object.
        object: String,
        /// What was being done.
        doing: &'static str,
        /// What the other side said.
        why: String,
    },
    /// Nobody answers, or the other side has trouble, in spite of repetitions.
    #[error(
        "{object}: cannot {doing}: the store does not answer as it should: {why}; check the \
         network and the endpoint, then try again"
    )]
    Unreachable {
        /// The store or object.
        object: String,
        /// What was being done.
        doing: &'static str,
        /// How it failed.
        why: String,
    },
    /// An object does not hold what its name says.
    #[error("{object}: corrupt: {what}")]
    Corrupt {
        /// The object.
        object: String,
        /// What is wrong.
        what: String,
    },
    /// The store refuses for another reason.
    #[error(
        "{object}: cannot {doing}: {why}; check the URL, and region and endpoint in the \
         environment"
    )]
    Failed {
        /// The store or object.
        object: String,
        /// What was being done.
        doing: &'static str,
        /// What the other side said.
        why: String,
    },
    /// A file or folder.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl StoreError {
    /// Whether the mistake is the user's.
    pub fn is_users(&self) -> bool {
        match self {
            StoreError::Url { .. } | StoreError::NoPlace { .. } => true,
            StoreError::Table(error) => error.is_users(),
            _ => false,
        }
    }

    /// Whether it may pass by itself, so that trying again later makes sense.
    pub fn is_passing(&self) -> bool {
        matches!(self, StoreError::Unreachable { .. } | StoreError::Table(TableError::Io { .. }))
    }
}

/// For `map_err`: what was being done with which object of which bucket.
pub(super) fn at(
    url: &str,
    object: &str,
    doing: &'static str,
) -> impl FnOnce(object_store::Error) -> StoreError {
    move |error| {
        use object_store::Error as E;
        let why = reason(&error);
        let object = object.to_owned();
        let status = status(&error);
        match &error {
            _ if says(&error, &NO_BUCKET) => {
                StoreError::NoPlace { url: url.to_owned(), kind: "bucket" }
            }
            E::NotFound { .. } => StoreError::Missing { object },
            E::PermissionDenied { .. } | E::Unauthenticated { .. } => {
                StoreError::Refused { object, doing, why }
            }
            _ if matches!(status, Some(401 | 403)) => StoreError::Refused { object, doing, why },
            _ if status == Some(416) => {
                let what = "it is shorter than it must be".to_owned();
                StoreError::Corrupt { object, what }
            }
            _ if says(&error, &METADATA_SERVICES) => {
                let why = "there are none, and this machine has no service that gives them";
                StoreError::Refused { object, doing, why: why.to_owned() }
            }
            _ if is_unreachable(&error, status) => StoreError::Unreachable { object, doing, why },
            _ => StoreError::Failed { object, doing, why },
        }
    }
}

/// How S3 and Google (`NoSuchBucket`) and Azure say that there is no bucket.
const NO_BUCKET: [&str; 3] =
    ["NoSuchBucket", "The specified bucket does not exist", "ContainerNotFound"];

/// Where credentials are looked for if there are none in the environment: addresses that only
/// machines in a cloud have.
const METADATA_SERVICES: [&str; 2] = ["169.254.169.254", "metadata.google.internal"];

fn says(error: &object_store::Error, words: &[&str]) -> bool {
    let text = error.to_string();
    words.iter().any(|word| text.contains(word))
}

/// The HTTP status of the answer, if there was one. It is known from the text alone, for the type
/// of these errors is private.
fn status(error: &object_store::Error) -> Option<u16> {
    let text = error.to_string();
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

fn is_unreachable(error: &object_store::Error, status: Option<u16>) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(http) = inner.downcast_ref::<HttpError>() {
            return http.kind() != HttpErrorKind::Decode;
        }
        cause = inner.source();
    }
    matches!(status, Some(408 | 429 | 500..))
}

/// Longest reason that is told.
const LONGEST: usize = 300;

/// What is behind an error, in few words: the message in the XML of the answer, if there is one.
fn reason(error: &object_store::Error) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let between = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0)
    };
    let words = match (between("Message"), between("Code")) {
        (Some(message), Some(code)) => format!("{message} ({code})"),
        _ => text.clone(),
    };
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = words.trim().trim_end_matches('.');
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words.to_owned(),
    }
}
