//! What Prometheus reads, and that what is deployed asks for nothing else.

mod made_up_view;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use made_up_view::MadeUp;
use retrotab_coordinator::merge::MergeProgress;
use retrotab_coordinator::metrics::{CallLayer, Disk, Metrics};
use retrotab_coordinator::scheduler::Ended;
use serde_json::Value;
use tower::{Layer, Service, ServiceExt};

/// A line of the text format: name, labels, value.
#[derive(Debug)]
struct Line {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

/// `a="b",c="d"`, of which only `=` is kept.
fn labels(text: &str) -> BTreeMap<String, String> {
    let pair = |pair: &str| {
        let (label, value) = pair.split_once('=')?;
        let value = value.strip_prefix('"')?.strip_suffix('"')?;
        Some((label.trim_end_matches('!').to_owned(), value.to_owned()))
    };
    text.split(',').filter_map(pair).collect()
}

fn lines(text: &str) -> Vec<Line> {
    let parse = |line: &str| {
        let (what, value) = line.rsplit_once(' ').unwrap();
        let (name, rest) = what.split_once('{').unwrap_or((what, ""));
        let value = value.parse().unwrap();
        Line { name: name.to_owned(), labels: labels(rest.trim_end_matches('}')), value }
    };
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse).collect()
}

fn value(text: &str, name: &str, wanted: &str) -> Option<f64> {
    let wanted = labels(wanted);
    let is_it = |line: &&Line| line.name == name && line.labels == wanted;
    lines(text).iter().find(is_it).map(|line| line.value)
}

const DISK: Disk = Disk { size: 1000, free: 400 };

#[test]
fn numbers_follow_the_view() {
    let (view, metrics) = (MadeUp::half_done(), Metrics::new());
    let read = || metrics.render(&view, Some(DISK));
    let before = read();
    assert_eq!(value(&before, "retrotab_jobs", r#"phase="running""#), Some(1.0));
    assert_eq!(value(&before, "retrotab_workers", r#"state="busy""#), Some(3.0));
    assert_eq!(value(&before, "retrotab_data_free_bytes", ""), Some(400.0));
    assert_eq!(value(&before, "retrotab_ready", ""), Some(1.0));
    let entries = |text: &str, state: &str| {
        let labels = format!(r#"table="stack3",state="{state}""#);
        value(text, "retrotab_entries", &labels).unwrap()
    };
    let sum: f64 = ["done", "running", "waiting"].iter().map(|s| entries(&before, s)).sum();
    assert_eq!(sum, 780_042_375.0);
    assert!(value(&before, "process_resident_memory_bytes", "").unwrap() > 1e5);

    view.progress(1.0);
    view.world().workers.clear();
    view.world().trouble = "starting".to_owned();
    let after = read();
    assert_eq!(entries(&after, "done"), 780_042_375.0);
    assert_eq!(value(&after, "retrotab_ready", ""), Some(0.0));
    assert_eq!(value(&after, "retrotab_workers", r#"state="busy""#), Some(0.0));
    let phase = |phase: &str| {
        let labels = format!(r#"table="stack3",phase="{phase}""#);
        value(&after, "retrotab_job_phase", &labels)
    };
    assert_eq!((phase("running"), phase("finished")), (Some(0.0), Some(1.0)));
    view.world().jobs.clear();
    assert!(!read().contains("stack3"), "a job that is no more leaves nothing behind");
}

#[test]
fn what_happens_is_counted() {
    let (view, metrics) = (MadeUp::half_done(), Metrics::new());
    let ended = |how: &str| {
        let text = metrics.render(&view, None);
        value(&text, "retrotab_leases_ended_total", &format!(r#"how="{how}""#))
    };
    assert_eq!(ended("expired"), Some(0.0), "there from the start");
    metrics.lease_ended(Ended::Expired);
    metrics.lease_ended(Ended::Expired);
    metrics.lease_ended(Ended::Failed);
    assert_eq!((ended("expired"), ended("failed")), (Some(2.0), Some(1.0)));
    metrics.lease_granted();
    metrics.shard_stored(1234);
    metrics.shard_stored(1);
    metrics.shard_refused();
    metrics.merging("stack3", MergeProgress { shards: 8, shards_done: 2, bytes: 99 });
    let text = metrics.render(&view, None);
    for (name, expected) in [
        ("retrotab_leases_granted_total", 1.0),
        ("retrotab_shards_stored_total", 2.0),
        ("retrotab_shards_stored_bytes_total", 1235.0),
        ("retrotab_shards_refused_total", 1.0),
    ] {
        assert_eq!(value(&text, name, ""), Some(expected), "{name}");
    }
    assert_eq!(value(&text, "retrotab_merge_shards_done", r#"table="stack3""#), Some(2.0));
    metrics.merge_over("stack3");
    assert!(!metrics.render(&view, None).contains("retrotab_merge_"));
}

#[test]
fn labels_stay_few() {
    let (view, metrics) = (MadeUp::half_done(), Metrics::new());
    let lines_before = lines(&metrics.render(&view, None)).len();
    for id in 0..2000_u64 {
        let name = format!("worker{id}");
        view.world().workers.push(made_up_view::worker((&name.as_str(), id)));
    }
    let text = metrics.render(&view, None);
    assert_eq!(lines(&text).len(), lines_before);
    assert!(!text.contains("worker17"));
    let job = view.world().jobs[0].clone();
    for id in 0..200 {
        let mut job = job.clone();
        job.job.as_mut().unwrap().name = format!("table{id}");
        view.world().jobs.push(job);
    }
    let text = metrics.render(&view, None);
    let tables = lines(&text).into_iter().filter(|line| line.name == "retrotab_job_stored_bytes");
    assert_eq!(tables.count(), 50);
}

/// Answers like a gRPC server: the status comes in trailers, or in headers with an empty body.
async fn answer(request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let status = |code: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-status", code.parse().unwrap());
        headers
    };
    let mut refused = Response::new(Body::empty());
    *refused.headers_mut() = status("16");
    let trailers = async move { Some(Ok(status("0"))) };
    let served = Full::new(Bytes::from("answer")).with_trailers(trailers);
    let refuse = request.uri().path().ends_with("Register");
    Ok(if refuse { refused } else { Response::new(Body::new(served)) })
}

#[tokio::test]
async fn calls_are_counted_by_method_and_status() {
    let (view, metrics) = (MadeUp::half_done(), Arc::new(Metrics::new()));
    let mut service = CallLayer::new(Arc::clone(&metrics)).layer(tower::service_fn(answer));
    let mut call = async |method: &str| {
        let request = Request::post(format!("http://c/retrotab.v1.Coordinator/{method}"));
        let request = request.body(Body::empty()).unwrap();
        service.ready().await.unwrap().call(request).await.unwrap()
    };
    let read = || metrics.render(&view, None);
    let requests = |method: &str, code: &str| {
        let labels = format!(r#"method="{method}",code="{code}""#);
        value(&read(), "retrotab_grpc_requests_total", &labels)
    };
    let in_flight = || value(&read(), "retrotab_grpc_requests_in_flight", "");

    let body = call("Lease").await.into_body();
    assert_eq!((requests("Lease", "OK"), in_flight()), (None, Some(1.0)));
    let answered = body.collect().await.unwrap();
    assert_eq!(answered.to_bytes(), "answer");
    assert_eq!((requests("Lease", "OK"), in_flight()), (Some(1.0), Some(0.0)));

    let refused = call("Register").await;
    assert_eq!(refused.headers()["grpc-status"], "16", "the answer is passed on");
    drop(refused);
    assert_eq!(requests("Register", "Unauthenticated"), Some(1.0));
    drop(call("GetJob").await);
    assert_eq!(requests("GetJob", "Canceled"), Some(1.0), "given up before its end");
    for nonsense in ["Nonsense", "Lease/7", "<b>"] {
        let path = nonsense.replace(['<', '>'], "-");
        call(&path).await.into_body().collect().await.unwrap();
    }
    assert_eq!(requests("other", "OK"), Some(3.0));
    let took = "retrotab_grpc_request_duration_seconds_count";
    assert_eq!(value(&read(), took, r#"method="Lease""#), Some(1.0));
    let within = value(
        &read(),
        "retrotab_grpc_request_duration_seconds_bucket",
        r#"method="Lease",le="+Inf""#,
    );
    assert_eq!(within, Some(1.0));
}

/// Metrics in an expression, each with the labels it must have.
fn asked(expression: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find(is_word) {
        let (word, after) = rest[start..]
            .split_at(rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start));
        rest = after;
        if word.starts_with("retrotab_") || word.starts_with("process_") {
            let selector = after.strip_prefix('{').and_then(|text| text.split_once('}'));
            found.push((word.to_owned(), selector.map_or_else(BTreeMap::new, |s| labels(s.0))));
        }
    }
    found
}

/// Every expression in a deployed file.
fn expressions(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    if !file.ends_with(".json") {
        return vec![text];
    }
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    match field.as_str() {
                        Some(text) if name == "expr" || name == "query" => {
                            found.push(text.to_owned());
                        }
                        _ => collect(field, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(&serde_json::from_str(&text).unwrap(), &mut found);
    found
}

#[tokio::test]
async fn what_is_deployed_asks_for_metrics_that_are_exposed() {
    let (view, metrics) = (MadeUp::half_done(), Arc::new(Metrics::new()));
    metrics.merging("stack3", MergeProgress { shards: 8, shards_done: 2, bytes: 99 });
    let mut service = CallLayer::new(Arc::clone(&metrics)).layer(tower::service_fn(answer));
    let request = Request::post("http://c/retrotab.v1.Coordinator/Lease");
    let answered = service.call(request.body(Body::empty()).unwrap()).await.unwrap();
    answered.into_body().collect().await.unwrap();
    let exposed = lines(&metrics.render(&view, Some(DISK)));
    let mut count = 0;
    for file in ["grafana/dashboard.json", "prometheus/alerts.yaml"] {
        for expression in expressions(file) {
            for (name, mut wanted) in asked(&expression) {
                count += 1;
                // Prometheus adds these itself, and `!=` may name what is not there.
                wanted.retain(|label, _| label != "instance" && label != "job" && label != "code");
                let fits = |line: &&Line| {
                    line.name == name
                        && wanted.iter().all(|(label, value)| line.labels.get(label) == Some(value))
                };
                let found = exposed.iter().any(|line| fits(&line));
                assert!(found, "{file} asks for {name} {wanted:?}: {expression}");
            }
        }
    }
    assert!(count > 30, "only {count} metrics are asked for");
}
