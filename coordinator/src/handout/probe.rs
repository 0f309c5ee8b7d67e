//! Values by asking.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Json;
use retrotab_tablefmt::lookup::{Asked, Found};
use serde::Deserialize;

use super::refusal::Refusal;
use super::{Handout, ServedTable};

/// Longest text of a position, in bytes.
const LONGEST: usize = 400;

/// The position asked for.
#[derive(Deserialize)]
pub(super) struct Question {
    /// In words.
    position: Option<String>,
    /// As a board of the stick game.
    board: Option<String>,
}

pub(super) async fn probe(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
    Query(question): Query<Question>,
) -> Result<Json<serde_json::Value>, Refusal> {
    let served = handout.table(&name)?;
    // Only who closes a semaphore gets an error, and nobody does.
    let _permit = handout.probes.acquire().await;
    // Decoding a frame takes long enough to keep other requests waiting, and the disk longer.
    let found = tokio::task::spawn_blocking(move || look_up(&served, &question)).await;
    let found = found.map_err(|error| {
        tracing::error!(table = name, %error, "bug: a look-up has panicked");
        Refusal::Broken
    })?;
    Ok(Json(found?.json()))
}

fn look_up(served: &ServedTable, question: &Question) -> Result<Found, Refusal> {
    let refuse = |what: &str| Err(Refusal::Asked(what.to_owned()));
    let (text, is_board) = match (&question.position, &question.board) {
        (Some(text), None) => (text, false),
        (None, Some(text)) => (text, true),
        _ => return refuse("either `position` or `board` is needed, such as ?position=WORDS"),
    };
    if text.len() > LONGEST {
        return refuse("no position is that long");
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let asked = if is_board { Asked::Board(text) } else { Asked::Words(&words) };
    let found = served.lookup.find(&served.table, asked);
    found.map_err(|error| Refusal::of_table(&error, &served.name))
}
