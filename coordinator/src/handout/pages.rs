//! What people see.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{Html, Redirect};
use axum::routing::get;
use maud::{DOCTYPE, html};
use retrotab_tablefmt::publish::page::{Page, STYLE, Style, head};

use crate::http::parts;

use super::Handout;
use super::refusal::Refusal;

const STYLE_PATH: &str = "/assets/tables.css";

/// The list as the first page of a server.
pub(super) fn root() -> Router<Arc<Handout>> {
    Router::new()
        .route("/", get(async |State(handout): State<Arc<Handout>>| index(&handout, "tables/", "")))
}

/// The pages of tables and their parts.
pub(super) fn routes() -> Router<Arc<Handout>> {
    let style = async || ([(header::CONTENT_TYPE, parts::STYLE)], STYLE);
    Router::new()
        .route(
            "/tables/",
            get(async |State(handout): State<Arc<Handout>>| index(&handout, "", "../")),
        )
        .route("/tables/{name}/", get(table))
        // So that links on the page lead into the table's folder.
        .route("/tables/{name}", get(to_folder))
        .route(STYLE_PATH, get(style))
}

async fn to_folder(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
) -> Result<Redirect, Refusal> {
    let served = handout.table(&name)?;
    // Relative, so that it stays right behind a proxy.
    Ok(Redirect::permanent(&format!("{}/", served.name())))
}

/// The list; `tables` and `root` are where the tables and `/` are, seen from it: relative, so that
/// they stay right behind a proxy.
fn index(handout: &Handout, tables: &str, root: &str) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("Tables", Style::At(STYLE_PATH)))
            body {
                h1 { "Tables" }
                table {
                    tr { th { "name" } th { "table" } th { "positions" } th { "bytes" } th {} }
                    @for served in handout.tables() {
                        tr {
                            td { a href={ (tables) (served.name()) "/" } { (served.name()) } }
                            td { (served.manifest().table.to_string()) }
                            td.number { (served.manifest().positions) }
                            td.number { (served.manifest().bytes()) }
                            td { a href={ (tables) (served.name()) "/look" } { "look into it" } }
                        }
                    }
                }
                p { a href={ (root) "openapi.json" } { "For programs" } }
            }
        }
    };
    Html(page.into_string())
}

async fn table(
    State(handout): State<Arc<Handout>>,
    Path(name): Path<String>,
) -> Result<Html<String>, Refusal> {
    let served = handout.table(&name)?;
    let page = Page {
        name: served.name(),
        manifest: served.manifest(),
        urls: &[],
        others: &["look".to_owned(), "stats.json".to_owned()],
        style: Style::At(STYLE_PATH),
    };
    Ok(Html(page.html()))
}
