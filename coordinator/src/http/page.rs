//! The dashboard's page, style and script, compiled into the program.

use axum::Router;
use axum::http::header;
use axum::routing::get;

use super::Site;

/// Scripts, styles and data come from here and nowhere else; nothing inline is run.
pub(super) const SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and text of every file.
const FILES: [(&str, &str, &str); 10] = [
    ("/", HTML, include_str!("assets/page.html")),
    ("/assets/page.css", STYLE, include_str!("assets/page.css")),
    ("/assets/icon.svg", IMAGE, include_str!("assets/icon.svg")),
    ("/assets/main.js", SCRIPT, include_str!("assets/main.js")),
    ("/assets/dom.js", SCRIPT, include_str!("assets/dom.js")),
    ("/assets/text.js", SCRIPT, include_str!("assets/text.js")),
    ("/assets/jobs.js", SCRIPT, include_str!("assets/jobs.js")),
    ("/assets/sections.js", SCRIPT, include_str!("assets/sections.js")),
    ("/assets/workers.js", SCRIPT, include_str!("assets/workers.js")),
    ("/assets/plot.js", SCRIPT, include_str!("assets/plot.js")),
];

/// The page and its parts.
pub(super) fn routes() -> Router<Site> {
    FILES.iter().fold(Router::new(), |routes, &(path, kind, text)| {
        routes.route(path, get(async move || ([(header::CONTENT_TYPE, kind)], text)))
    })
}
