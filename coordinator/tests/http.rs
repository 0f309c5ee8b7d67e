//! What the HTTP port answers.

mod made_up_view;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use made_up_view::{EventKind, MadeUp, stack_job};
use retrotab_coordinator::http::samples::Samples;
use retrotab_coordinator::http::{Site, router};
use retrotab_coordinator::metrics::Metrics;
use retrotab_coordinator::net::auth::Guard;
use retrotab_coordinator::net::limits::ConnectionLimits;
use retrotab_coordinator::net::tls::ClientCertificates;
use retrotab_coordinator::serve::while_opening;
use retrotab_proto::v1::JobPhase;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

struct Port {
    view: Arc<MadeUp>,
    samples: Arc<Samples>,
    router: Router,
}

fn port() -> Port {
    let (view, samples) = (Arc::new(MadeUp::half_done()), Arc::new(Samples::default()));
    let site = Site {
        view: view.clone(),
        metrics: Arc::new(Metrics::new()),
        samples: Arc::clone(&samples),
    };
    Port { view, samples, router: router(site) }
}

impl Port {
    async fn answer(&self, path: &str) -> axum::http::Response<Body> {
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn text(&self, path: &str) -> (StatusCode, String) {
        let answer = self.answer(path).await;
        let status = answer.status();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    async fn json(&self, path: &str) -> Value {
        let (status, text) = self.text(path).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        serde_json::from_str(&text).unwrap()
    }
}

#[tokio::test]
async fn a_coordinator_that_is_not_ready_still_lives() {
    let port = port();
    assert_eq!(port.text("/readyz").await, (StatusCode::OK, "ready\n".to_owned()));
    port.view.world().trouble = "the state is being read".to_owned();
    let unready = (StatusCode::SERVICE_UNAVAILABLE, "the state is being read\n".to_owned());
    assert_eq!(port.text("/readyz").await, unready);
    assert_eq!(port.text("/healthz").await, (StatusCode::OK, "ok\n".to_owned()));
    let status = port.json("/api/status").await;
    assert_eq!(status["ready"], false);
    assert_eq!(status["message"], "the state is being read");
}

#[tokio::test]
async fn what_opens_gives_the_port_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let guard = Guard::new(None, ClientCertificates::NotNeeded);
    let (opened, opening) = tokio::sync::oneshot::channel();
    let asking = tokio::spawn(async move {
        // One connection for both, as Prometheus has.
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut said = String::new();
        for path in ["/readyz", "/healthz"] {
            let asked = format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n");
            stream.write_all(asked.as_bytes()).await.unwrap();
            let mut answer = [0; 4096];
            let read = stream.read(&mut answer).await.unwrap();
            said += std::str::from_utf8(&answer[..read]).unwrap();
        }
        opened.send("opened").unwrap();
        // The connection ends with the opening: what comes is for those who serve.
        assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
        said
    });
    let limits = ConnectionLimits::default();
    let (port, opened) = while_opening(listener, &guard, &limits, None, opening).await.unwrap();
    assert_eq!((port.local_addr().unwrap(), opened.unwrap()), (address, "opened"));
    let said = asking.await.unwrap();
    assert!(said.contains("503") && said.contains("being opened"), "{said}");
    assert!(said.contains("200 OK") && said.contains("ok\n"), "{said}");
    // Somebody who calls now waits for who serves next.
    let (_caller, accepted) = tokio::join!(TcpStream::connect(address), port.accept());
    accepted.unwrap();
}

#[tokio::test]
async fn the_status_follows_the_view() {
    let port = port();
    let before = port.json("/api/status").await;
    let job = &before["jobs"][0];
    assert_eq!(job["phase"], "running");
    assert_eq!(job["entries"], 780_042_375);
    assert_eq!(job["sections"].as_array().unwrap().len(), 91);
    assert_eq!(job["sections"][0]["phase"], "complete");
    assert_eq!(before["workers"].as_array().unwrap().len(), 3);

    port.view.progress(1.0);
    port.view.happen("<b>all</b> is done", EventKind::Warning, 0);
    port.view.world().workers.truncate(1);
    let after = port.json("/api/status").await;
    let job = &after["jobs"][0];
    assert_eq!(job["phase"], "finished");
    assert_eq!(job["entries_done"], 780_042_375);
    let event = job["events"].as_array().unwrap().last().unwrap();
    assert_eq!((&event["text"], &event["warning"]), (&"<b>all</b> is done".into(), &true.into()));
    assert_eq!(after["workers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn of_many_jobs_only_the_foremost_are_told_in_full() {
    let port = port();
    for number in 0..40_u8 {
        let mut job = stack_job(2, 3, 1.0);
        let summary = job.job.as_mut().unwrap();
        summary.job_digest = vec![number; 32];
        summary.name = format!("old{number}");
        summary.phase = JobPhase::Cancelled.into();
        port.view.world().jobs.push(job);
    }
    let status = port.json("/api/status").await;
    let jobs = status["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 41);
    let full = |job: &&Value| !job["sections"].as_array().unwrap().is_empty();
    assert_eq!(jobs.iter().filter(full).count(), 16);
    assert_eq!((&jobs[0]["name"], &jobs[1]["name"]), (&"stack3".into(), &"old39".into()));
}

#[tokio::test]
async fn rates_come_in_parts() {
    let port = port();
    assert_eq!(port.json("/api/rates").await["samples"], serde_json::json!([]));
    port.samples.take(port.view.as_ref());
    let all = port.json("/api/rates").await;
    let sample = &all["samples"][0];
    assert_eq!(sample["workers"], 3);
    assert!(sample["entries_per_second"].as_f64().unwrap() > 3.0 * made_up_view::RATE);
    let newest = sample["unix_millis"].as_u64().unwrap();
    let later = port.json(&format!("/api/rates?since={newest}")).await;
    assert_eq!(later["samples"], serde_json::json!([]));
    let (status, _) = port.text("/api/rates?since=yesterday").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

/// Paths in quotes that start with `start`.
fn quoted<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    text.split('"').filter(|part| part.starts_with(start)).collect()
}

#[tokio::test]
async fn the_page_has_all_its_parts_and_needs_nothing_from_elsewhere() {
    let port = port();
    let mut left = vec!["/".to_owned()];
    let mut seen = Vec::new();
    while let Some(path) = left.pop() {
        let answer = port.answer(&path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let (_, text) = port.text(&path).await;
        let elsewhere = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!elsewhere.contains("http:") && !elsewhere.contains("https:"), "{path}");
        assert!(!text.contains("innerHTML") && !text.contains("insertAdjacent"), "{path}");
        let parts = quoted(&text, "/assets/").into_iter().map(str::to_owned);
        let imported = quoted(&text, "./").into_iter().map(|p| p.replace("./", "/assets/"));
        for part in parts.chain(imported) {
            if !seen.contains(&part) {
                seen.push(part.clone());
                left.push(part);
            }
        }
    }
    assert!(seen.len() >= 8, "{seen:?}");
    assert_eq!(port.text("/assets/../Cargo.toml").await.0, StatusCode::NOT_FOUND);
    let post = Request::post("/api/status").body(Body::empty()).unwrap();
    let refused = port.router.clone().oneshot(post).await.unwrap();
    assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
}
