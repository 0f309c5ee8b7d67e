//! A small web server whose every answer the test decides.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What was asked.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The last part of the path.
    pub file: String,
    pub path: String,
    /// From the first byte to the one after the last.
    pub range: Option<Range<u64>>,
    pub if_match: Option<String>,
    pub authorization: Option<String>,
}

/// An answer, sent as it is, whatever its headers say.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The connection ends after so many bytes of the body.
    pub cut: Option<usize>,
}

impl Reply {
    pub fn status(status: u16) -> Reply {
        Reply {
            status,
            headers: vec![("content-length", "0".to_owned())],
            body: Vec::new(),
            cut: None,
        }
    }

    pub fn whole(body: Vec<u8>) -> Reply {
        Reply { status: 200, ..Reply::status(200) }.with_body(body)
    }

    /// What a good server answers to a request for a file with this content and tag.
    pub fn of(request: &Request, content: &[u8], tag: &str) -> Reply {
        if request.if_match.as_deref().is_some_and(|wanted| wanted != tag) {
            return Reply::status(412);
        }
        let reply = match &request.range {
            None => Reply::whole(content.to_vec()),
            Some(range) if range.end > content.len() as u64 => Reply::status(416),
            Some(range) => {
                let part = &content[range.start as usize..range.end as usize];
                let place = format!("bytes {}-{}/{}", range.start, range.end - 1, content.len());
                Reply { status: 206, ..Reply::whole(part.to_vec()) }.with("content-range", &place)
            }
        };
        reply.with("etag", tag)
    }

    pub fn with_body(self, body: Vec<u8>) -> Reply {
        let length = body.len().to_string();
        Reply { body, ..self }.with("content-length", &length)
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Reply {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Reply {
        self.headers.retain(|(other, _)| *other != name);
        self
    }

    pub fn cut_after(self, bytes: usize) -> Reply {
        Reply { cut: Some(bytes), ..self }
    }
}

/// A running server; it stops taking connections when dropped.
pub struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Request>>>,
    stopping: Arc<AtomicBool>,
}

impl Server {
    /// Answers each request by `answer`.
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (log, stopping) = (Arc::<Mutex<Vec<Request>>>::default(), Arc::<AtomicBool>::default());
        let (answer, kept, stop) = (Arc::new(answer), Arc::clone(&log), Arc::clone(&stopping));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&kept));
                // A client that has gone away is none of the server's business.
                thread::spawn(move || serve(stream.ok()?, &log, &*answer));
            }
        });
        Server { address, log, stopping }
    }

    /// A good server of the files in a folder.
    pub fn of_folder(folder: &Path) -> Server {
        let folder = folder.to_owned();
        Server::start(move |request| good(&folder, request))
    }

    pub fn url(&self) -> String {
        format!("http://{}/tables/t", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

/// What a good server answers.
pub fn good(folder: &Path, request: &Request) -> Reply {
    match fs::read(folder.join(&request.file)) {
        Ok(content) => Reply::of(request, &content, &format!("\"{}\"", blake3::hash(&content))),
        Err(_) => Reply::status(404),
    }
}

fn serve(
    stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    answer: &dyn Fn(&Request) -> Reply,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let request = read_request(&mut reader)?;
        let reply = answer(&request);
        log.lock().unwrap().push(request);
        let mut head = format!("HTTP/1.1 {} Whatever\r\n", reply.status);
        for (name, value) in &reply.headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).ok()?;
        let end = reply.cut.unwrap_or(reply.body.len()).min(reply.body.len());
        stream.write_all(&reply.body[..end]).ok()?;
        if reply.cut.is_some() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return None;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let file = path.rsplit('/').next()?.to_owned();
    let mut request = Request { file, path, ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { return Some(request) };
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let (first, last) = value.strip_prefix("bytes=")?.split_once('-')?;
                request.range = Some(first.parse().ok()?..last.parse::<u64>().ok()? + 1);
            }
            "if-match" => request.if_match = Some(value.to_owned()),
            "authorization" => request.authorization = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// A folder that disappears with the test, and a place for a table in it.
pub fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    (dir, out)
}
