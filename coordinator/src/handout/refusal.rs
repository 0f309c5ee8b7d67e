//! Requests that cannot be answered.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Json, Response};
use retrotab_tablefmt::TableError;
use serde_json::json;

/// Why a request is not answered.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no such table.
    NoTable,
    /// The table has no such file.
    NoFile,
    /// What is asked for makes no sense.
    Asked(String),
    /// A file has changed since it was opened, so it is not what it was announced to be.
    Changed,
    /// A table cannot be read; what is wrong is for the log, not for whoever asks.
    Broken,
}

impl Refusal {
    /// Says what a failed look-up means for whoever asked; what is wrong with the table itself
    /// is logged.
    pub(super) fn of_table(error: &TableError, name: &str) -> Refusal {
        if error.is_users() {
            return Refusal::Asked(error.to_string());
        }
        tracing::error!(table = name, %error, "a table cannot be read");
        Refusal::Broken
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Refusal::NoTable => (StatusCode::NOT_FOUND, "no such table; / lists them".to_owned()),
            Refusal::NoFile => (StatusCode::NOT_FOUND, "the table has no such file".to_owned()),
            Refusal::Asked(what) => (StatusCode::BAD_REQUEST, what),
            Refusal::Changed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the file has changed since it was opened; the server must be restarted".to_owned(),
            ),
            Refusal::Broken => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the table cannot be read here; its keeper finds more in the log".to_owned(),
            ),
        };
        (status, Json(json!({ "error": text }))).into_response()
    }
}
