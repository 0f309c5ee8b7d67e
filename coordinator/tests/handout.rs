//! Tables over HTTP: files, ranges, digests, values.

mod small_tables;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use retrotab_coordinator::handout::{Handout, HandoutError, router};
use serde_json::Value;
use tower::ServiceExt;

/// Tables of three families, small ones, and what serves them.
struct Served {
    folder: tempfile::TempDir,
    router: Router,
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

fn served() -> Served {
    let folder = tempfile::tempdir().unwrap();
    small_tables::write_all(folder.path());
    let handout = Handout::open(&[folder.path().to_owned()], 1 << 20).unwrap();
    // The program draws; here it only matters that the picture gets through.
    let handout = handout.drawn_by(|_| Some(b"<svg/>".to_vec()));
    Served { router: router(Arc::new(handout)), folder }
}

impl Served {
    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.into_body().collect().await.unwrap().to_bytes().to_vec();
        Answer { status, headers, body }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[]).await
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }
}

#[tokio::test]
async fn files_come_whole_and_in_parts() {
    let served = served();
    let path = "/tables/stack/000.u16.zst";
    let whole = fs::read(served.file("stack/000.u16.zst")).unwrap();
    assert!(whole.len() > 100_000, "several pieces");
    let tag = format!("\"{}\"", blake3::hash(&whole));
    let answer = served.get(path).await;
    assert_eq!((answer.status, answer.header("etag")), (StatusCode::OK, tag.as_str()));
    assert_eq!(answer.header("content-length"), whole.len().to_string());
    assert_eq!(answer.header("accept-ranges"), "bytes");
    assert!(answer.body == whole);
    let end = whole.len();
    for (asked, from, to) in [
        ("bytes=0-0".to_owned(), 0, 1),
        ("bytes=5-9".to_owned(), 5, 10),
        ("bytes=100-90000".to_owned(), 100, 90_001),
        (format!("bytes={}-", end - 3), end - 3, end),
        ("bytes=-7".to_owned(), end - 7, end),
        (format!("bytes=1-{}", end * 9), 1, end),
        (format!("bytes=-{}", end * 9), 0, end),
    ] {
        let answer = served.ask("GET", path, &[("range", &asked)]).await;
        assert_eq!(answer.status, StatusCode::PARTIAL_CONTENT, "{asked}");
        let place = format!("bytes {from}-{}/{end}", to - 1);
        assert_eq!(answer.header("content-range"), place, "{asked}");
        assert_eq!(answer.header("content-length"), (to - from).to_string());
        assert!(answer.body == whole[from..to], "{asked}");
    }
    for asked in [format!("bytes={end}-"), format!("bytes={end}-{}", end + 5)] {
        let answer = served.ask("GET", path, &[("range", &asked)]).await;
        assert_eq!(answer.status, StatusCode::RANGE_NOT_SATISFIABLE, "{asked}");
        assert_eq!(answer.header("content-range"), format!("bytes */{end}"));
        assert!(answer.body.is_empty());
    }
    for asked in ["bytes=0-1,5-6", "bytes=x", "lines=1-2", "bytes=9-5"] {
        let answer = served.ask("GET", path, &[("range", asked)]).await;
        let is_refused = answer.status == StatusCode::RANGE_NOT_SATISFIABLE;
        assert!(is_refused || answer.body == whole, "{asked}: {}", answer.status);
    }
    let head = served.ask("HEAD", path, &[("range", "bytes=0-9")]).await;
    assert_eq!(head.header("content-length"), "10");
    assert!(head.body.is_empty());
    assert_eq!(served.ask("PUT", path, &[]).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn tags_are_minded() {
    let served = served();
    let path = "/tables/stack/000.u16.zst";
    let tag = served.get(path).await.header("etag").to_owned();
    let status = async |headers: &[(&str, &str)]| served.ask("GET", path, headers).await.status;
    let part = ("range", "bytes=0-9");
    assert_eq!(status(&[part, ("if-match", &tag)]).await, StatusCode::PARTIAL_CONTENT);
    assert_eq!(
        status(&[part, ("if-match", &format!("\"x\", {tag}"))]).await,
        StatusCode::PARTIAL_CONTENT
    );
    assert_eq!(status(&[part, ("if-match", "\"x\"")]).await, StatusCode::PRECONDITION_FAILED);
    assert_eq!(status(&[("if-none-match", &tag)]).await, StatusCode::NOT_MODIFIED);
    assert_eq!(status(&[("if-none-match", "\"x\"")]).await, StatusCode::OK);
    assert_eq!(status(&[part, ("if-range", &tag)]).await, StatusCode::PARTIAL_CONTENT);
    assert_eq!(status(&[part, ("if-range", "\"x\"")]).await, StatusCode::OK);
}

#[tokio::test]
async fn a_file_that_changes_is_not_given_under_its_old_tag() {
    let served = served();
    let path = served.file("stack/000.u16.zst");
    let mut bytes = fs::read(&path).unwrap();
    bytes[50] ^= 1;
    bytes.push(0);
    fs::write(&path, bytes).unwrap();
    let answer = served.get("/tables/stack/000.u16.zst").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.json()["error"].as_str().unwrap().contains("changed"));
}

#[tokio::test]
async fn only_files_of_tables_are_given() {
    let served = served();
    fs::write(served.file("stack/secret.txt"), "secret").unwrap();
    fs::write(served.file("secret.txt"), "secret").unwrap();
    for path in [
        "/tables/stack/secret.txt",
        "/tables/stack/..%2Fsecret.txt",
        "/tables/stack/../secret.txt",
        "/tables/..%2F/secret.txt",
        "/tables/%2e%2e/secret.txt",
        "/tables/nothing/",
        "/tables/nothing/manifest.json",
        "/tables/nothing/probe?position=x",
        "/secret.txt",
    ] {
        let answer = served.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    for name in ["manifest.json", "SHA256SUMS"] {
        let answer = served.get(&format!("/tables/stack/{name}")).await;
        assert!(answer.body == fs::read(served.file("stack").join(name)).unwrap());
    }
}

#[tokio::test]
async fn positions_of_all_families_are_looked_up() {
    let served = served();
    let stack = served.get("/tables/stack/probe?position=-+-").await.json();
    assert_eq!(stack["position"], serde_json::json!(["-", "-"]));
    let hands = served.get("/tables/hands/probe?position=AsKs%2022").await;
    assert_eq!(hands.json()["first"]["class"], "AKs");
    let sticks = served.get("/tables/sticks/probe?position=1+2").await.json();
    assert_eq!(sticks["position"], serde_json::json!([1, 2]));
    let board = served.get("/tables/sticks/probe?board=%7C/%7C./...").await;
    assert_eq!(board.json()["board"], "|/|./...", "{}", board.status);
    for (question, what) in [
        ("stack/probe?position=x+.", "`x`"),
        ("stack/probe?position=.", "two lanes"),
        ("stack/probe?board=%7C", "only positions of stick tables"),
        ("stack/probe", "`position` or `board` is needed"),
        ("sticks/probe?position=1&board=%7C", "`position` or `board` is needed"),
        ("hands/probe?position=AsKs", "two hands"),
        ("sticks/probe?position=9", "longest row"),
    ] {
        let answer = served.get(&format!("/tables/{question}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{question}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(what), "{question}: {error}");
    }
    let long = format!("/tables/stack/probe?position={}", "x".repeat(500));
    assert_eq!(served.get(&long).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_damaged_table_tells_no_secrets() {
    let served = served();
    let path = served.file("sticks/000.u8.zst");
    let mut bytes = fs::read(&path).unwrap();
    bytes[12] ^= 0x10;
    fs::write(&path, bytes).unwrap();
    let answers = [
        served.get("/tables/sticks/probe?position=1").await,
        served.get("/tables/sticks/probe?position=1+2+3").await,
    ];
    let broken = answers.iter().find(|answer| answer.status != StatusCode::OK).unwrap();
    assert_eq!(broken.status, StatusCode::INTERNAL_SERVER_ERROR);
    let error = broken.json()["error"].as_str().unwrap().to_owned();
    assert!(!error.contains(served.folder.path().to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn pages_lists_and_the_description() {
    let served = served();
    let list = served.get("/tables").await.json();
    let names: Vec<_> = list.as_array().unwrap().iter().map(|table| &table["name"]).collect();
    assert_eq!(names, ["hands", "stack", "sticks"]);
    assert_eq!(list[1]["files"], serde_json::json!(["000.u16.zst", "SHA256SUMS", "manifest.json"]));
    for path in ["/", "/tables/stack/", "/tables/hands/", "/tables/sticks/"] {
        let page = served.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(page.header("content-type").starts_with("text/html"));
        assert!(page.header("content-security-policy").starts_with("default-src 'none'"));
        let text = String::from_utf8(page.body).unwrap();
        assert!(!text.contains("<script") || text.contains("<script src="), "nothing inline");
    }
    let to = served.get("/tables/stack").await;
    assert_eq!((to.status, to.header("location")), (StatusCode::PERMANENT_REDIRECT, "stack/"));
    assert_eq!(served.get("/healthz").await.body, b"ok\n");

    let description = served.get("/openapi.json").await.json();
    assert_eq!(description["openapi"], "3.1.0");
    for (path, _) in description["paths"].as_object().unwrap() {
        let path = path.replace("{name}", "stack").replace("{file}", "manifest.json");
        let path = path.replace("/probe", "/probe?position=-+-");
        assert_eq!(served.get(&path).await.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn pages_of_others_may_read() {
    let served = served();
    let path = "/tables/stack/probe?position=-+-";
    let answer = served.ask("GET", path, &[("origin", "https://example.org")]).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let asked = [
        ("origin", "https://example.org"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "range,if-match"),
    ];
    let allowed = served.ask("OPTIONS", "/tables/stack/000.u16.zst", &asked).await;
    assert!(
        allowed.header("access-control-allow-headers").contains("range"),
        "{:?}",
        allowed.headers
    );
    assert!(!allowed.header("access-control-allow-methods").contains("PUT"));
}

#[test]
fn folders_without_tables_and_tables_of_one_name_are_refused() {
    let served = served();
    let open = |folders: &[&str]| {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| served.file(folder)).collect();
        Handout::open(&folders, 1 << 20).map(|handout| handout.tables().count())
    };
    assert_eq!(open(&["stack", "sticks"]).unwrap(), 2);
    fs::create_dir(served.file("empty")).unwrap();
    assert!(matches!(open(&["stack", "empty"]), Err(HandoutError::NoTables(_))));
    assert!(matches!(open(&["stack", "stack"]), Err(HandoutError::SameName { .. })));
    fs::rename(served.file("stack"), served.file("a b")).unwrap();
    let error = open(&["a b"]).unwrap_err();
    assert!(matches!(error, HandoutError::Name(_)) && error.is_users());
    assert!(open(&["nowhere"]).is_err());
}
