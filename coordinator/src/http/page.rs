//! The dashboard's page, style and script, compiled into the program.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use super::Site;

/// Scripts, styles and data come from here and nowhere else; nothing inline is run.
pub(super) const SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page and its parts.
pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/", get(async || file(HTML, include_str!("assets/page.html"))))
        .route("/assets/page.css", get(async || file(STYLE, include_str!("assets/page.css"))))
        .route("/assets/main.js", get(async || file(SCRIPT, include_str!("assets/main.js"))))
        .route("/assets/text.js", get(async || file(SCRIPT, include_str!("assets/text.js"))))
        .route("/assets/jobs.js", get(async || file(SCRIPT, include_str!("assets/jobs.js"))))
        .route(
            "/assets/sections.js",
            get(async || file(SCRIPT, include_str!("assets/sections.js"))),
        )
        .route("/assets/workers.js", get(async || file(SCRIPT, include_str!("assets/workers.js"))))
        .route("/assets/plot.js", get(async || file(SCRIPT, include_str!("assets/plot.js"))))
        .route(
            "/assets/icon.svg",
            get(async || file("image/svg+xml", include_str!("assets/icon.svg"))),
        )
}

fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, kind)], text)
}
