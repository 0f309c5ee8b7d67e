//! What a failure looks like, and the exit code it has.

use std::io;
use std::process::ExitCode;

use retrotab_coordinator::CoordinatorError;
use retrotab_player::subgames::SubgameError;
use retrotab_player::table::PlayTableError;
use retrotab_proto::tls::TlsFileError;
use retrotab_proto::token::TokenError;
use retrotab_tablefmt::TableError;
use retrotab_worker::hands::EquityError;
use retrotab_worker::remote::{ConnectError, WorkerError};

/// Exit code for the user's mistakes; clap uses it too.
const USERS: u8 = 2;
/// Exit code for everything else.
const OTHER: u8 = 1;

/// A mistake of the user's that no library has a name for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UserError(pub String);

/// Prints an error with its causes and gives its exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever read our output has seen enough, as with `head`.
        return ExitCode::SUCCESS;
    }
    eprintln!("retrotab: {}", message(error));
    ExitCode::from(if is_users(error) { USERS } else { OTHER })
}

/// An error with its causes, each said once: messages of the libraries often hold that of their
/// cause already.
pub fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_users(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<UserError>()
            || cause.is::<TokenError>()
            || cause.is::<TlsFileError>()
            || cause.is::<ConnectError>()
            || cause.is::<EquityError>()
            || cause.downcast_ref::<PlayTableError>().is_some_and(PlayTableError::is_users)
            || cause.downcast_ref::<SubgameError>().is_some_and(is_users_subgame)
            || cause.downcast_ref::<TableError>().is_some_and(TableError::is_users)
            || cause.downcast_ref::<WorkerError>().is_some_and(WorkerError::is_users)
            || cause.downcast_ref::<CoordinatorError>().is_some_and(CoordinatorError::is_users)
    })
}

fn is_users_subgame(error: &SubgameError) -> bool {
    !matches!(error, SubgameError::Damaged { .. } | SubgameError::File(_))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn causes_are_said_once() {
        let doing = "open it";
        let source = io::Error::other("the disk is on fire");
        let error = TableError::Io { path: "table".into(), doing, source };
        let error = Err::<(), _>(error).context("cannot go on").unwrap_err();
        assert_eq!(message(&error), "cannot go on: table: cannot open it: the disk is on fire");
    }
}
