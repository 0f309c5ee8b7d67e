//! A real S3 server for tests: moto's, from PyPI, in a virtual environment in the target folder.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::own_address::own_address;
use retrotab_tablefmt::objects::{SharedStore, StoreOptions};

/// Exactly these versions, so that the server is the same everywhere.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// Longest time that the server may take to start, on a machine that is busy with other things.
const LONGEST_START: Duration = Duration::from_secs(120);

/// Name of the bucket that the tests use.
pub const BUCKET: &str = "tables";

/// The Python of the virtual environment, which is made when it is first needed.
fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("s3-server");
    fs::create_dir_all(&folder).unwrap();
    // Only one test makes it, whatever process that is in.
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let (python, ready) = (folder.join("bin/python"), folder.join("ready"));
    if fs::read_to_string(&ready).is_ok_and(|made_of| made_of == REQUIREMENTS) {
        return python;
    }
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS).unwrap();
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("new")), "venv");
    let new = folder.join("new/bin/python");
    run(Command::new(new).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&list), "pip");
    // A virtual environment cannot be moved; a link to it can be replaced.
    let link = folder.join("bin");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink("new/bin", &link).unwrap();
    fs::write(&ready, REQUIREMENTS).unwrap();
    python
}

fn run(command: &mut Command, what: &str) {
    let needed = "the tests with a real S3 server need python3 with venv (Debian: python3-venv) \
                  and access to PyPI, once";
    let output = command.output().unwrap_or_else(|error| panic!("{what}: {error}; {needed}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what} failed; {needed}. It said:\n{said}");
}

/// A running server; killed when dropped.
pub struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    /// A server that takes any credentials, with an empty bucket.
    pub fn start() -> Server {
        Server::start_at(own_address(), "inf")
    }

    /// A server that takes no credentials, for it knows none, with an empty bucket.
    pub fn start_strict() -> Server {
        // The bucket is made by the only request that needs no credentials.
        Server::start_at(own_address(), "1")
    }

    fn start_at(address: SocketAddr, requests_without_credentials: &str) -> Server {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("s3-server-{address}.log"));
        let mut command = Command::new(python());
        command.args(["-m", "moto.server", "-H", &address.ip().to_string()]);
        command.args(["-p", &address.port().to_string()]);
        command.env("INITIAL_NO_AUTH_ACTION_COUNT", requests_without_credentials);
        command.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        let mut server = Server { process: command.spawn().unwrap(), address };
        let start = Instant::now();
        while TcpStream::connect(server.address()).is_err() {
            let ended = server.process.try_wait().unwrap();
            let said = || fs::read_to_string(&log).unwrap_or_default();
            assert!(ended.is_none(), "the S3 server ended at once: {}", said());
            assert!(start.elapsed() < LONGEST_START, "the S3 server does not start: {}", said());
            thread::sleep(Duration::from_millis(50));
        }
        server.make_bucket();
        server
    }

    /// Kills it and starts another one at the same address. It has forgotten everything.
    pub fn restart(&mut self) {
        self.kill();
        *self = Server::start_at(self.address, "inf");
    }

    /// Kills it, like a power cut.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn make_bucket(&self) {
        self.put(BUCKET, "");
    }

    /// Lets everybody read what is in the bucket, as those who publish there do.
    #[allow(dead_code, reason = "not every test file publishes")]
    pub fn make_public(&self) {
        let policy = format!(
            r#"{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Principal": "*",
                "Action": "s3:GetObject", "Resource": "arn:aws:s3:::{BUCKET}/*"}}]}}"#
        );
        self.put(&format!("{BUCKET}?policy"), &policy);
    }

    fn put(&self, path: &str, body: &str) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let request = format!(
            "PUT /{path} HTTP/1.1\r\nHost: s3.amazonaws.com\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }

    /// What a person would put into the environment to use it.
    pub fn options(&self) -> StoreOptions {
        options_for(self.address)
    }

    pub fn store(&self) -> SharedStore {
        SharedStore::open(&format!("s3://{BUCKET}/some/folder"), &self.options()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Settings for a server of this machine; few repetitions, so that a server that is
/// not there is given up soon.
pub fn options_for(address: SocketAddr) -> StoreOptions {
    let settings = [
        ("AWS_ENDPOINT", format!("http://{address}")),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_ACCESS_KEY_ID", "somebody".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
    ];
    let environment = settings.map(|(key, value)| (key.to_owned(), value)).to_vec();
    StoreOptions { environment, retries: 2, ..StoreOptions::default() }
}
