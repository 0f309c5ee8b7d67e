//! A coordinator and workers as processes of their own, on loopback.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::own_address::own_address;
use crate::program::{folder, retrotab, run_stack, succeed, verified_identity};

/// How long anything may take before a test gives up. Only a hung process takes so long.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// The job of these tests: small enough to be quick, with enough units to be interrupted.
pub const CARDS: u8 = 10;
pub const UNIT_SIZE: &str = "256KiB";
/// Name of its table.
pub const NAME: &str = "chaos";

/// Identity and data file of the table, made in one process.
pub fn undisturbed() -> &'static (String, Vec<u8>) {
    static TABLE: OnceLock<(String, Vec<u8>)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let (_dir, table) = folder();
        succeed(&mut run_stack(3, CARDS, &table, &["--unit-size", UNIT_SIZE]));
        (verified_identity(&table), fs::read(table.join("000.u16.zst")).unwrap())
    })
}

/// A process, killed when it goes out of scope. What it says is in a file.
pub struct Running {
    child: Child,
    name: String,
    log: PathBuf,
}

impl Running {
    pub fn start(command: &mut Command, name: &str, log: PathBuf) -> Running {
        let file = File::options().create(true).append(true).open(&log).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        let child = command.spawn().unwrap();
        Running { child, name: name.to_owned(), log }
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").arg(format!("-{name}")).arg(pid).status();
        assert!(sent.unwrap().success(), "cannot send {name} to {}", self.name);
    }

    /// Kills it and what it has started; it leads a process group.
    pub fn kill_all(&mut self) {
        let group = format!("-{}", self.child.id());
        let sent = Command::new("kill").args(["-KILL", "--", &group]).status();
        assert!(sent.unwrap().success(), "cannot kill what {} has started", self.name);
        self.child.wait().unwrap();
    }

    /// As SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        until(&format!("{} ends", self.name), || {
            status = self.ended();
            status.is_some()
        });
        status.unwrap()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub fn says(&self, text: &str) {
        until(&format!("{} says `{text}`", self.name), || self.log().contains(text));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let log = self.log();
            let start = log.len().saturating_sub(4000);
            let tail = log.get(start..).unwrap_or(&log);
            eprintln!("--- the end of what {} said ---\n{tail}", self.name);
        }
    }
}

/// Waits for a condition.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A data folder, addresses, and the processes around them.
pub struct Fleet {
    listen: SocketAddr,
    http: SocketAddr,
    pub coordinator: Option<Running>,
    pub workers: Vec<Running>,
    /// Goes last: the processes' logs are in it.
    pub dir: tempfile::TempDir,
}

impl Fleet {
    /// A coordinator without workers, its leases lasting `lease` seconds.
    pub fn start(lease: u32) -> Fleet {
        let mut fleet = Fleet::prepare();
        fleet.start_coordinator(&["--lease-seconds", &lease.to_string()], &[]);
        fleet
    }

    /// Nothing running yet.
    pub fn prepare() -> Fleet {
        let dir = tempfile::tempdir().unwrap();
        let (listen, http) = (own_address(), own_address());
        Fleet { dir, listen, http, coordinator: None, workers: Vec::new() }
    }

    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listen)
    }

    /// URL of the port for browsers.
    pub fn http(&self) -> String {
        format!("http://{}", self.http)
    }

    pub fn table(&self) -> PathBuf {
        self.data().join("tables").join(NAME)
    }

    pub fn coordinator_command(&self, more: &[&str]) -> Command {
        let mut command = retrotab(&["coordinator"]);
        command.arg("--data").arg(self.data());
        command.arg("--listen").arg(self.listen.to_string());
        command.arg("--http").arg(self.http.to_string()).args(more);
        command
    }

    /// Starts the coordinator, or starts it again, and waits until it has opened its folder.
    pub fn start_coordinator(&mut self, more: &[&str], env: &[(&str, &str)]) {
        let mut command = self.coordinator_command(more);
        command.envs(env.iter().copied());
        let log = self.dir.path().join("coordinator.log");
        let starts = |log: &str| log.matches("coordinator started").count();
        let before = starts(&fs::read_to_string(&log).unwrap_or_default());
        let mut started = Running::start(&mut command, "the coordinator", log);
        until("the coordinator has started", || {
            // It may have died since, as it was told to.
            let ended = started.ended().is_some();
            let begun = starts(&started.log()) > before;
            assert!(begun || !ended, "the coordinator ended: {}", started.log());
            begun
        });
        self.coordinator = Some(started);
    }

    pub fn coordinator(&mut self) -> &mut Running {
        self.coordinator.as_mut().unwrap()
    }

    pub fn worker_command(&self, name: &str, more: &[&str]) -> Command {
        let mut command = retrotab(&["worker", "--threads", "1", "--memory", "1GiB"]);
        command.args(["--name", name, "--coordinator", &self.url()]).args(more);
        // A killed worker leaves its temporary folder; here it goes with the test's own.
        command.env("TMPDIR", self.dir.path());
        command
    }

    /// Starts a worker and says which it is.
    pub fn start_worker(&mut self, name: &str, more: &[&str]) -> usize {
        let mut command = self.worker_command(name, more);
        let log = self.dir.path().join(format!("{name}.log"));
        self.workers.push(Running::start(&mut command, name, log));
        self.workers.len() - 1
    }

    /// Submits the job of these tests.
    pub fn submit(&self) -> String {
        let cards = CARDS.to_string();
        let mut command = retrotab(&["submit", "stack", "--stacks", "3", "--cards", &cards]);
        command.args(["--unit-size", UNIT_SIZE, "--name", NAME, "--coordinator", &self.url()]);
        succeed(&mut command)
    }

    /// Where the job stands: its part of `status --json`.
    pub fn status(&self) -> serde_json::Value {
        let mut command = retrotab(&["status", "--json", "--coordinator", &self.url()]);
        let mut found = serde_json::Value::Null;
        until("the coordinator says how the job stands", || {
            let output = command.output().unwrap();
            let said = serde_json::from_slice::<serde_json::Value>(&output.stdout);
            let jobs = said.ok().and_then(|mut said| Some(said["jobs"].as_array_mut()?.clone()));
            let job = jobs.and_then(|jobs| jobs.into_iter().find(|job| job["name"] == NAME));
            found = job.unwrap_or_default();
            found.is_object()
        });
        found
    }

    pub fn units_done(&self) -> u64 {
        self.status()["units_done"].as_u64().unwrap()
    }

    pub fn units_running(&self) -> u64 {
        self.status()["units_running"].as_u64().unwrap()
    }

    /// Waits until so many units are done.
    pub fn wait_units(&self, units: u64) {
        until(&format!("{units} units are done"), || self.units_done() >= units);
    }

    /// Waits for the table, and compares it with the one made in one process.
    pub fn finishes_undisturbed(&self) {
        let manifest = self.table().join("manifest.json");
        until("the table is finished", || manifest.exists());
        assert_undisturbed(&self.table());
    }
}

pub fn assert_undisturbed(table: &Path) {
    assert_eq!(verified_identity(table), undisturbed().0);
    let data = fs::read(table.join("000.u16.zst")).unwrap();
    assert!(data == undisturbed().1, "the files are the same too");
}

/// A seed for this run, printed so that it can be repeated with `RETROTAB_SEED`.
pub fn seed() -> u64 {
    let given = std::env::var("RETROTAB_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..1 << 32));
    eprintln!("RETROTAB_SEED={seed}");
    seed
}
