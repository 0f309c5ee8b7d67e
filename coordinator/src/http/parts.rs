//! Parts of pages: styles, scripts and pictures, compiled into the program.

use axum::Router;
use axum::http::header;
use axum::routing::get;

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const STYLE: &str = "text/css; charset=utf-8";
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const IMAGE: &str = "image/svg+xml";

/// Path, type and text of a part.
pub(crate) type Part = (&'static str, &'static str, &'static str);

/// Serves parts under their paths.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(parts: &[Part]) -> Router<S> {
    parts.iter().fold(Router::new(), |routes, &(path, kind, text)| {
        routes.route(path, get(async move || ([(header::CONTENT_TYPE, kind)], text)))
    })
}
