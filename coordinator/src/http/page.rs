//! The dashboard's page, style and script, compiled into the program.

use axum::Router;

use super::Site;
use super::parts::{self, HTML, IMAGE, Part, SCRIPT, STYLE};

/// Scripts, styles and data come from here and nowhere else; nothing inline is run.
pub(super) const SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Path, type and text of every file.
const FILES: [Part; 10] = [
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
    parts::routes(&FILES)
}
