//! From the daemon's errors to status codes, as `retrotab.proto` describes them.

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::publish::PublishError;
use tonic::{Code, Status};

use crate::daemon::DaemonError;
use crate::error::CoordinatorError;
use crate::publishing::PublishingError;

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
        | DaemonError::Description(_) => Code::FailedPrecondition,
        DaemonError::NameTaken { .. } => Code::AlreadyExists,
        DaemonError::Garbled { .. } => Code::Aborted,
        DaemonError::TooManyWorkers(_) => Code::ResourceExhausted,
        DaemonError::Publishing(error) => publishing_code(error),
        DaemonError::Job(error) => job_code(error),
    }
}

fn publishing_code(error: &PublishingError) -> Code {
    use PublishingError as E;
    match error {
        E::Refused(PublishError::Different { .. } | PublishError::OtherFile { .. }) => {
            Code::AlreadyExists
        }
        E::Refused(_) | E::Name(_) | E::Manifest(_) | E::NotWanted(_) => Code::InvalidArgument,
        E::Unknown(_) => Code::NotFound,
        E::Superseded(_) => Code::Aborted,
        E::Busy(_) => Code::FailedPrecondition,
        E::TooMany(_) => Code::ResourceExhausted,
        E::Bad { .. } => Code::DataLoss,
        E::Table(TableError::Io { .. } | TableError::Stopped) => Code::Unavailable,
        E::Table(_) | E::NotServed(_) => Code::Internal,
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
