//! Looking at a table: forms to look positions up, and the statistics of the whole table.
//!
//! The page and its parts come from the program; nothing is asked of the internet. Statistics
//! take a reading of the whole table, which is done when they are first asked for, for one
//! table at a time, and kept.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, header};
use axum::routing::get;
use bytes::Bytes;
use retrotab_tablefmt::stats::{TableStats, statistics};
use retrotab_tablefmt::{Table, TableError};

use crate::http::parts::{self, HTML, IMAGE, Part, SCRIPT, STYLE};

use super::refusal::Refusal;
use super::{Handout, ServedTable};

/// Draws statistics as SVG; `None` when it cannot.
pub type Draw = fn(&TableStats) -> Option<Vec<u8>>;

/// What is kept of the statistics of a table.
pub(super) struct Look {
    json: Bytes,
    picture: Option<Bytes>,
}

impl Look {
    fn at(table: &Table, draw: Option<Draw>) -> Result<Look, TableError> {
        let stats = statistics(table, |_| ())?;
        let json = stats.json(&table.manifest().table).to_string().into();
        let picture = draw.and_then(|draw| draw(&stats)).map(Bytes::from);
        Ok(Look { json, picture })
    }
}

/// Path, type and text of the parts of the page.
const FILES: [Part; 10] = [
    ("/assets/look/look.css", STYLE, include_str!("assets/look/look.css")),
    ("/assets/look/icon.svg", IMAGE, include_str!("../http/assets/icon.svg")),
    // Asked for by browsers on pages that name none.
    ("/favicon.ico", IMAGE, include_str!("../http/assets/icon.svg")),
    ("/assets/look/dom.js", SCRIPT, include_str!("../http/assets/dom.js")),
    ("/assets/look/main.js", SCRIPT, include_str!("assets/look/main.js")),
    ("/assets/look/text.js", SCRIPT, include_str!("assets/look/text.js")),
    ("/assets/look/stack.js", SCRIPT, include_str!("assets/look/stack.js")),
    ("/assets/look/hands.js", SCRIPT, include_str!("assets/look/hands.js")),
    ("/assets/look/sticks.js", SCRIPT, include_str!("assets/look/sticks.js")),
    ("/assets/look/stats.js", SCRIPT, include_str!("assets/look/stats.js")),
];
const PAGE: &str = include_str!("assets/look/look.html");

/// The pages, what they ask for, and their parts.
pub(super) fn routes() -> Router<Arc<Handout>> {
    parts::routes(&FILES)
        .route("/tables/{name}/look", get(page))
        .route("/tables/{name}/stats.json", get(json))
        .route("/tables/{name}/stats.svg", get(picture))
}

type Typed<T> = ([(HeaderName, &'static str); 1], T);

async fn page(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
) -> Result<Typed<&'static str>, Refusal> {
    handout.table(&name)?;
    Ok(([(header::CONTENT_TYPE, HTML)], PAGE))
}

async fn json(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
) -> Result<Typed<Bytes>, Refusal> {
    let json = look(&handout, &name, |look| look.json.clone()).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], json))
}

async fn picture(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
) -> Result<Typed<Bytes>, Refusal> {
    let picture = look(&handout, &name, |look| look.picture.clone()).await?;
    Ok(([(header::CONTENT_TYPE, IMAGE)], picture.ok_or(Refusal::NoFile)?))
}

/// Takes something of the statistics of a table, which are made if nobody has asked before.
async fn look<T>(handout: &Handout, name: &str, take: impl Fn(&Look) -> T) -> Result<T, Refusal> {
    let served = handout.table(name)?;
    if let Some(look) = served.look.get() {
        return Ok(take(look));
    }
    // Only who closes a semaphore gets an error, and nobody does.
    let turn = Arc::clone(&handout.looking).acquire_owned().await;
    // Somebody else may have made them meanwhile.
    if let Some(look) = served.look.get() {
        return Ok(take(look));
    }
    let (table, draw) = (Arc::clone(&served), handout.draw);
    // What is begun is finished and kept, also if whoever asked does not wait for it.
    let made = tokio::task::spawn_blocking(move || make(&table, draw).map(|()| drop(turn))).await;
    let made = made.map_err(|error| {
        tracing::error!(table = name, %error, "bug: the statistics have panicked");
        Refusal::Broken
    })?;
    made.map_err(|error| Refusal::of_table(&error, name))?;
    served.look.get().map(take).ok_or(Refusal::Broken)
}

fn make(served: &ServedTable, draw: Option<Draw>) -> Result<(), TableError> {
    let look = Look::at(&served.table, draw)?;
    // Whoever has the turn is the only one.
    let _ = served.look.set(look);
    Ok(())
}
