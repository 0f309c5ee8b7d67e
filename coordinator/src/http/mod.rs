//! What the coordinator shows over HTTP: the dashboard, its data, metrics, and probes.
//!
//! | path | what |
//! |---|---|
//! | `/` | the dashboard, one page that works without internet |
//! | `/api/status` | JSON: jobs with sections and events, workers ([`status`]) |
//! | `/api/rates` | JSON: what the rate plot shows ([`samples`]) |
//! | `/metrics` | for Prometheus ([`crate::metrics`]) |
//! | `/healthz` | 200 while the process lives |
//! | `/readyz` | 200 if calls are served, otherwise 503 and why not |
//!
//! Tables that were published here are handed out beside these ([`crate::handout`]).
//!
//! Everything is only read; nothing can be changed here.

mod page;
pub(crate) mod parts;
pub mod samples;
pub mod status;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde::Deserialize;

use crate::clock::unix_millis;
use crate::metrics::Metrics;
use crate::view::View;

use samples::{Rates, Samples};
use status::Status;

/// Jobs that `/api/status` tells everything about; the rest only in short.
const DETAILED_JOBS: usize = 16;

/// What is shown.
#[derive(Clone)]
pub struct Site {
    /// How things stand.
    pub view: Arc<dyn View>,
    /// What was counted.
    pub metrics: Arc<Metrics>,
    /// What [`samples::keep`] has seen.
    pub samples: Arc<Samples>,
}

/// All paths.
pub fn router(site: Site) -> Router {
    page::routes()
        .route("/api/status", get(api_status))
        .route("/api/rates", get(api_rates))
        .route("/metrics", get(metrics))
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .layer(axum::middleware::map_response(harden))
        .with_state(site)
}

async fn api_status(State(site): State<Site>) -> Json<Status> {
    let view = site.view.as_ref();
    let mut jobs = crate::phase::foremost(view.jobs(), usize::MAX);
    let rest = jobs.split_off(jobs.len().min(DETAILED_JOBS));
    let jobs = jobs.into_iter().map(|job| match view.job(&job.job_digest) {
        Some(details) => status::Job::detailed(details),
        None => status::Job::short(job),
    });
    let ready = view.ready();
    Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        unix_millis: unix_millis(),
        ready: ready.is_ok(),
        message: ready.err().unwrap_or_default(),
        disk: site.samples.disk().into(),
        jobs: jobs.chain(rest.into_iter().map(status::Job::short)).collect(),
        workers: view.workers().into_iter().map(status::Worker::from).collect(),
    })
}

/// Which samples are asked for.
#[derive(Deserialize)]
struct Since {
    /// Only those taken later, in milliseconds since 1970.
    #[serde(default)]
    since: u64,
}

async fn api_rates(State(site): State<Site>, Query(asked): Query<Since>) -> Json<Rates> {
    Json(site.samples.since(asked.since))
}

async fn metrics(State(site): State<Site>) -> impl IntoResponse {
    let text = site.metrics.render(site.view.as_ref(), site.samples.disk());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}

async fn ready(State(site): State<Site>) -> (StatusCode, String) {
    match site.view.ready() {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, why + "\n"),
    }
}

/// What is answered while the data folder is opened: the process lives and is not ready.
pub(crate) fn opening() -> Router {
    let not_yet = (StatusCode::SERVICE_UNAVAILABLE, "the data folder is being opened\n");
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/metrics", get(async || "retrotab_ready 0\n"))
        .fallback(async move || not_yet)
        .layer(axum::middleware::map_response(harden))
}

/// Nothing here is to be guessed at, framed, or kept by a browser.
pub(crate) async fn harden(mut answer: Response) -> Response {
    let headers = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, page::SECURITY_POLICY),
    ];
    for (name, value) in headers {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
