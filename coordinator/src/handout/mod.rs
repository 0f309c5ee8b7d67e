//! Finished tables over HTTP: downloads, and values by asking.
//!
//! | path | what |
//! |---|---|
//! | `/`, `/tables/` | the list of tables, for people (`pages`) |
//! | `/tables` | JSON: the tables |
//! | `/tables/NAME/` | a table, for people (`pages`) |
//! | `/tables/NAME/look` | forms to look positions up, and statistics, for people (`look`) |
//! | `/tables/NAME/stats.json`, `/tables/NAME/stats.svg` | the statistics of the whole table |
//! | `/tables/NAME/FILE` | a file of the table, with Range and a digest as ETag (`files`) |
//! | `/tables/NAME/probe?position=WORDS` | JSON: what the table says of a position (`probe`) |
//! | `/tables/NAME/probe?board=BOARD` | the same for a board of the stick game |
//! | `/openapi.json` | all this for programs |
//! | `/healthz` | 200 while the process lives |
//!
//! `http://HOST/tables/NAME` is what `retrotab fetch` and `retrotab probe` take: its folder looks
//! like one that `retrotab publish` writes. Words of a position stand apart by spaces (`+` or
//! `%20`): `position=..1.0+.2.`, `position=AsKs+2d2c`, `position=1+2+3`. Errors are JSON with a
//! text, `{"error": "..."}`. Everything is only read, by anybody: pages of other origins may
//! ask, too.
//!
//! A coordinator hands published tables out in the same way beside its dashboard, which has `/`
//! and `/healthz` of its own.

mod files;
mod look;
mod open;
pub mod pages;
mod probe;
mod refusal;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use axum::Router;
use axum::extract::State;
use axum::http::{Method, header};
use axum::response::Json;
use axum::routing::get;
use retrotab_tablefmt::lookup::Lookup;
use retrotab_tablefmt::{Table, manifest::Manifest};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::cors::{Any, CorsLayer};

use crate::http::harden;
use crate::net;
use crate::net::limits::ConnectionLimits;
use files::ServedFile;
use look::Look;
use refusal::Refusal;

pub use look::Draw;
pub use open::HandoutError;

/// The description of the paths for programs.
const OPENAPI: &str = include_str!("assets/openapi.json");

/// The tables that are handed out.
pub struct Handout {
    tables: RwLock<BTreeMap<String, Arc<ServedTable>>>,
    /// Positions that are looked up at a time: each may take a frame's room to decode.
    probes: Semaphore,
    /// Held by whoever reads a whole table for its statistics.
    looking: Arc<Semaphore>,
    draw: Option<Draw>,
}

/// A table that is handed out.
pub struct ServedTable {
    name: String,
    table: Table,
    lookup: Lookup,
    files: BTreeMap<String, ServedFile>,
    /// Made when it is first asked for.
    look: OnceLock<Look>,
}

impl ServedTable {
    /// Its name in URLs: letters, digits, `-`, `_`, `.`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What is known of the table.
    pub fn manifest(&self) -> &Manifest {
        self.table.manifest()
    }

    /// Names of the files that can be downloaded.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

impl Handout {
    /// Statistics are drawn by this.
    #[must_use]
    pub fn drawn_by(mut self, draw: Draw) -> Handout {
        self.draw = Some(draw);
        self
    }

    /// The tables, by name.
    pub fn tables(&self) -> impl Iterator<Item = Arc<ServedTable>> + use<> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        tables.values().cloned().collect::<Vec<_>>().into_iter()
    }

    /// The table of a name.
    pub fn find(&self, name: &str) -> Option<Arc<ServedTable>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn table(&self, name: &str) -> Result<Arc<ServedTable>, Refusal> {
        self.find(name).ok_or(Refusal::NoTable)
    }
}

/// All paths.
pub fn router(handout: Arc<Handout>) -> Router {
    let rest = Router::new()
        .merge(pages::root())
        .route("/healthz", get(async || "ok\n"))
        .layer(axum::middleware::map_response(harden));
    rest.with_state(Arc::clone(&handout)).merge(routes(handout))
}

/// The paths without `/` and `/healthz`, for a server that has them already.
pub fn routes(handout: Arc<Handout>) -> Router {
    let reading = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers([header::RANGE, header::IF_RANGE, header::IF_MATCH, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::CONTENT_RANGE, header::ACCEPT_RANGES]);
    let openapi = async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI);
    pages::routes()
        .merge(look::routes())
        .route("/tables", get(list))
        .route("/tables/{name}/probe", get(probe::probe))
        .route("/tables/{name}/{file}", get(files::download))
        .route("/openapi.json", get(openapi))
        .layer(axum::middleware::map_response(harden))
        .layer(reading)
        .with_state(handout)
}

/// Most connections at a time.
const CONNECTIONS: usize = 4096;

/// Serves tables until `stop` is done.
pub async fn serve(listener: TcpListener, handout: Arc<Handout>, stop: impl Future<Output = ()>) {
    let limits = ConnectionLimits { http_connections: CONNECTIONS, ..ConnectionLimits::default() };
    let served = net::http::serve(listener, router(handout), &limits, None, stop).await;
    if let Err(error) = served {
        // Only certificates can be wrong, and there are none.
        tracing::error!(%error, "bug: tables cannot be served");
    }
}

/// A table in the list.
#[derive(Serialize)]
struct Listed {
    name: String,
    table: String,
    positions: u64,
    entries: u64,
    bytes: u64,
    identity: String,
    files: Vec<String>,
}

async fn list(State(handout): State<Arc<Handout>>) -> Json<Vec<Listed>> {
    let listed = |served: Arc<ServedTable>| {
        let manifest = served.manifest();
        Listed {
            name: served.name.clone(),
            table: manifest.table.to_string(),
            positions: manifest.positions,
            entries: manifest.entries,
            bytes: manifest.bytes(),
            identity: manifest.identity.clone(),
            files: served.file_names().map(str::to_owned).collect(),
        }
    };
    Json(handout.tables().map(listed).collect())
}
