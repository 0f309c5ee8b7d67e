//! `retrotab certs` and `retrotab token`, and a coordinator protected by what they make.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use program::{fail, retrotab, succeed};

fn certs(dir: &Path, more: &[&str]) -> Command {
    let mut command = retrotab(&["certs", "--out"]);
    command.arg(dir).args(more);
    command
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Names and contents of a folder's files.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn keys_are_closed_to_others_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("certs");
    let text = succeed(&mut certs(&dir, &["--host", "node1.example", "--client", "anna"]));
    for says in ["server.key", "client-anna.pem", "--tls-ca", "https://node1.example:7420"] {
        assert!(text.contains(says), "{text}");
    }
    assert_eq!(mode(&dir), 0o700);
    for (name, _) in files(&dir) {
        let expected = if name.ends_with(".key") { 0o600 } else { 0o644 };
        assert_eq!(mode(&dir.join(&name)), expected, "{name}");
    }
    let before = files(&dir);
    assert_eq!(before.len(), 6);
    // One of several is there: none is made.
    for more in
        [&["--client", "bert", "--client", "anna"][..], &["--host", "x", "--client", "bert"]]
    {
        assert!(fail(&mut certs(&dir, more), 2).contains("there already"));
        assert_eq!(files(&dir), before);
    }
    // The authority is used again.
    succeed(&mut certs(&dir, &["--client", "bert"]));
    let after = files(&dir);
    assert_eq!(after.len(), 8);
    assert!(before.iter().all(|file| after.contains(file)));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("certs");
    for (args, says) in [
        (&[][..], "nothing to make"),
        (&["--client", "../x"], "no name for a client"),
        (&["--client", ""], "no name for a client"),
        (&["--host", "http://node1"], "without scheme"),
        (&["--host", "node1:7420"], "without the port"),
        (&["--host", ""], "no host"),
        (&["--host", "x", "--days", "0"], "--days"),
    ] {
        let error = fail(&mut certs(&dir, args), 2);
        assert!(error.contains(says), "{args:?}: {error}");
        assert!(!dir.exists());
    }
    succeed(&mut certs(&dir, &["--host", "::1", "--host", "10.0.0.1", "--host", "*.example"]));
    fs::remove_file(dir.join("ca.key")).unwrap();
    assert!(fail(&mut certs(&dir, &["--client", "x"]), 2).contains("ca.key"));
}

#[test]
fn tokens_are_random_and_their_files_closed_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str| {
        let path = folder.path().join(name);
        let text = succeed(retrotab(&["token", "--out"]).arg(&path));
        assert_eq!(mode(&path), 0o600);
        let token = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(token.trim()), "the token is not printed");
        assert_eq!(token.trim().len(), 64);
        token
    };
    assert_ne!(made("one"), made("two"));
    let before = files(folder.path());
    let error = fail(retrotab(&["token", "--out"]).arg(folder.path().join("one")), 2);
    assert!(error.contains("there already"), "{error}");
    assert_eq!(files(folder.path()), before);
}

/// A coordinator, until it is killed.
struct Coordinator {
    process: Child,
    port: String,
}

impl Coordinator {
    fn start(mut command: Command) -> Coordinator {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let started = lines.find(|line| line.as_ref().unwrap().contains("coordinator started"));
        let started = started.expect("it starts").unwrap();
        let address = started.split("address=").nth(1).unwrap().split(' ').next().unwrap();
        let port = address.rsplit(':').next().unwrap().to_owned();
        // Else it could not write any more.
        std::thread::spawn(move || lines.for_each(drop));
        Coordinator { process, port }
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_coordinator_with_all_protection_answers_who_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let certificates = folder.path().join("certs");
    succeed(&mut certs(&certificates, &["--host", "localhost", "--client", "anna"]));
    succeed(&mut retrotab(&["token", "--out", &path("token")]));
    let file = |name: &str| path(&format!("certs/{name}"));

    let mut command = retrotab(&["coordinator", "--listen", "127.0.0.1:0"]);
    command.args(["--http", "127.0.0.1:0", "--data", &path("data")]);
    command.args(["--token-file", &path("token"), "--tls-client-ca", &file("ca.pem")]);
    command.args(["--tls-cert", &file("server.pem"), "--tls-key", &file("server.key")]);
    let coordinator = Coordinator::start(command);

    let url = format!("https://localhost:{}", coordinator.port);
    let plain = format!("http://localhost:{}", coordinator.port);
    let (ca, token) = (["--tls-ca", &file("ca.pem")], ["--token-file", &path("token")]);
    let own = ["--tls-cert", &file("client-anna.pem"), "--tls-key", &file("client-anna.key")];
    let cancel = |url: &str, more: &[&[&str]]| {
        let mut command = retrotab(&["cancel", "no-such-job", "--coordinator", url]);
        command.args(more.concat());
        command
    };
    // It has answered: there is no such job.
    let error = fail(&mut cancel(&url, &[&ca, &own, &token]), 2);
    assert!(error.contains("no job `no-such-job`"), "{error}");
    for (url, more, code, says) in [
        (&url, &[&ca[..], &own][..], 1, "needs a token"),
        (&url, &[&ca, &token], 1, "client certificate"),
        (&url, &[&own, &token], 2, "--tls-ca"),
        (&plain, &[&token], 1, "https://"),
    ] {
        let error = fail(&mut cancel(url, more), code);
        assert!(error.contains(says), "{more:?}: {error}");
    }
}

#[test]
fn a_coordinator_is_not_open_to_others_by_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for open in [["--listen", "0.0.0.0:0"], ["--http", "[::]:0"]] {
        let mut command = retrotab(&["coordinator", "--data"]);
        command.arg(&data).args(open);
        let other = if open[0] == "--listen" { "--http" } else { "--listen" };
        let error = fail(command.args([other, "127.0.0.1:0"]), 2);
        assert!(error.contains("--token-file") && error.contains("--insecure"), "{error}");
        assert!(!data.exists());
    }
    let mut command = retrotab(&["coordinator", "--insecure", "--listen", "0.0.0.0:0"]);
    command.args(["--http", "127.0.0.1:0", "--data"]).arg(&data);
    drop(Coordinator::start(command));
}
