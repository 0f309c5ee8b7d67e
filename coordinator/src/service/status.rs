//! From the daemon's errors to status codes, as `retrotab.proto` describes them.

use retrotab_tablefmt::TableError;
use tonic::{Code, Status};

use crate::daemon::DaemonError;
use crate::error::CoordinatorError;

/// The status that tells a caller about an error.
pub fn to_status(error: DaemonError) -> Status {
    let code = code(&error);
    if matches!(code, Code::Internal | Code::Unavailable) {
        tracing::warn!(%error, "a call failed");
    }
    Status::new(code, error.to_string())
}

fn code(error: &DaemonError) -> Code {
    match error {
        DaemonError::UnknownWorker(_)
        | DaemonError::UnknownJob(_)
        | DaemonError::UnknownLease(_)
        | DaemonError::NotDone(_) => Code::NotFound,
        DaemonError::NotLeased { .. } | DaemonError::Request(_) => Code::InvalidArgument,
        DaemonError::Protocol { .. }
        | DaemonError::NotOpen { .. }
        | DaemonError::Description(_)
        | DaemonError::NameTaken { .. } => Code::FailedPrecondition,
        DaemonError::Job(error) => job_code(error),
    }
}

fn job_code(error: &CoordinatorError) -> Code {
    match error {
        CoordinatorError::BadShard { .. } | CoordinatorError::NoSuchEntries { .. } => {
            Code::InvalidArgument
        }
        CoordinatorError::Refused(_) => Code::NotFound,
        CoordinatorError::Stopped(_)
        | CoordinatorError::Untrusted { .. }
        | CoordinatorError::Plan(_)
        | CoordinatorError::OtherJob { .. } => Code::FailedPrecondition,
        // The unit goes out again.
        CoordinatorError::BadStoredShard { .. } => Code::Unavailable,
        // A full disk is freed some day, and a broken one replaced.
        CoordinatorError::Io { .. } | CoordinatorError::Table(TableError::Io { .. }) => {
            Code::Unavailable
        }
        CoordinatorError::Store(error) if error.is_passing() => Code::Unavailable,
        CoordinatorError::Store(_) | CoordinatorError::NoSharedStore => Code::FailedPrecondition,
        _ => Code::Internal,
    }
}
