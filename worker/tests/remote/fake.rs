//! A coordinator without clock, disk or mercy: what it does is set by the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::TryStreamExt;
use retrotab_proto::v1::LeaseProgress;
use retrotab_proto::v1::coordinator_server::CoordinatorServer;
use retrotab_worker::remote::{self, ConnectOptions, Leave, WorkerError, WorkerOptions};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::proxy::Proxy;
use crate::service::Service;
use crate::small_job::{Shards, SmallJob};

/// Bytes of a chunk of a fetched shard: small, so that there are many.
pub const CHUNK: usize = 16 << 10;

/// A lease that was given.
#[derive(Debug, Clone)]
pub struct Lease {
    pub worker: u64,
    pub job: usize,
    pub unit: u32,
    /// Why it has ended.
    pub ended: Option<String>,
}

/// What goes wrong, and how many more times.
#[derive(Debug, Default)]
pub struct Faults {
    /// The line is cut in the middle of a fetched shard.
    pub cut_fetch: u32,
    /// The stream ends with an error in the middle.
    pub break_fetch: u32,
    /// A byte is flipped on the way.
    pub corrupt_fetch: u32,
    /// Nothing comes.
    pub stall_fetch: bool,
    /// The line is cut after the header of a submitted shard.
    pub cut_submit: u32,
    /// The line is cut after the shard was stored.
    pub cut_after_submit: u32,
    /// Shards are refused.
    pub refuse_submit: Option<(u32, Status)>,
    /// Workers are refused.
    pub refuse_register: Option<Status>,
    /// The next heartbeat ends every lease.
    pub end_leases: u32,
}

/// What the coordinator knows.
#[derive(Default)]
pub struct State {
    pub jobs: Vec<Arc<SmallJob>>,
    pub stored: Vec<Shards>,
    pub workers: BTreeSet<u64>,
    pub leases: BTreeMap<u64, Lease>,
    pub faults: Faults,
    /// Jobs are described as by a program with another compressor.
    pub other_program: bool,
    /// Ids are not given twice.
    pub next_id: u64,
    pub registrations: u32,
    pub deregistrations: u32,
    pub reclaims: u32,
    pub described: u32,
    /// Failures that workers told.
    pub failures: Vec<String>,
    /// Leases given back without one.
    pub given_back: u32,
    /// Offsets at which shards were fetched.
    pub fetches: Vec<u64>,
    pub submits: u32,
    /// Leases that were ever given, by unit of the first job.
    pub times_leased: BTreeMap<u32, u32>,
    /// Leases up to this one may have been granted on a line that was cut before the answer came.
    pub maybe_lost: u64,
    /// The largest progress told, by lease.
    pub progress: BTreeMap<u64, u64>,
}

impl State {
    pub fn all_done(&self) -> bool {
        self.jobs.iter().zip(&self.stored).all(|(job, stored)| stored.len() == job.units.len())
    }

    /// A unit that can be computed now.
    pub fn ready(&self) -> Option<(usize, u32)> {
        self.jobs.iter().zip(&self.stored).enumerate().find_map(|(number, (job, stored))| {
            let open = |unit: &u32| !stored.contains_key(unit);
            let units = 0..job.units.len() as u32;
            let level = units.clone().filter(open).map(|unit| job.level(unit)).min()?;
            let running = |unit: u32| {
                let of_unit = |lease: &&Lease| lease.job == number && lease.unit == unit;
                self.leases.values().filter(of_unit).any(|lease| lease.ended.is_none())
            };
            let mut units = units.filter(open).filter(|&unit| !running(unit));
            units.find(|&unit| job.level(unit) == level).map(|unit| (number, unit))
        })
    }

    pub fn grant(&mut self, worker: u64, job: usize, unit: u32) -> u64 {
        self.next_id += 1;
        self.leases.insert(self.next_id, Lease { worker, job, unit, ended: None });
        self.next_id
    }

    /// Forgets leases that the worker has never heard of: it names all that it has. The real
    /// coordinator waits until they expire.
    pub fn forget_lost(&mut self, worker: u64, named: &[LeaseProgress]) {
        let maybe_lost = self.maybe_lost;
        let is_lost = |id: u64, lease: &Lease| {
            lease.worker == worker
                && id <= maybe_lost
                && lease.ended.is_none()
                && named.iter().all(|named| named.lease != id)
        };
        for (_, lease) in self.leases.extract_if(.., |&id, lease| is_lost(id, lease)) {
            if lease.job == 0 {
                *self.times_leased.get_mut(&lease.unit).unwrap() -= 1;
            }
        }
    }

    pub fn job(&self, digest: &[u8]) -> Result<usize, Status> {
        let found = self.jobs.iter().position(|job| job.digest() == digest);
        found.ok_or_else(|| Status::not_found("no such job"))
    }

    pub fn known(&self, worker: u64) -> Result<(), Status> {
        let known = self.workers.contains(&worker);
        known.then_some(()).ok_or_else(|| Status::not_found(format!("worker {worker} is unknown")))
    }

    /// As after a restart: only shards are left.
    pub fn forget(&mut self) {
        self.workers.clear();
        self.leases.clear();
    }
}

/// A running coordinator and the line to it.
#[derive(Clone)]
pub struct Fake {
    pub state: Arc<Mutex<State>>,
    pub proxy: Proxy,
}

impl Fake {
    pub async fn start(jobs: Vec<Arc<SmallJob>>) -> Fake {
        // With RUST_LOG=debug, a test that fails tells what the worker did.
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer();
        let _ = lines.try_init();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server: SocketAddr = listener.local_addr().unwrap();
        let proxy = Proxy::to(server).await;
        let stored = vec![Shards::new(); jobs.len()];
        let state = Arc::new(Mutex::new(State { jobs, stored, ..State::default() }));
        let fake = Fake { state, proxy };
        let service = CoordinatorServer::new(Service(fake.clone()));
        let incoming = TcpListenerStream::new(listener).map_ok(|line| {
            line.set_nodelay(true).unwrap();
            line
        });
        let server = tonic::transport::Server::builder().add_service(service);
        let serve = server.serve_with_incoming(incoming);
        tokio::spawn(serve);
        fake
    }

    /// All connections break, soon; new ones can be made.
    pub fn cut(&self) {
        let fake = self.clone();
        tokio::spawn(async move {
            fake.proxy.go_down().await;
            let mut state = fake.state();
            state.maybe_lost = state.next_id;
            fake.proxy.come_up();
        });
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Waits until something is the case.
    pub async fn until(&self, what: &str, mut is_so: impl FnMut(&State) -> bool) {
        let wait = async {
            while !is_so(&self.state()) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(300), wait).await.expect(what);
    }

    /// Starts a worker. One that is told to leave when all is finished does so in the end.
    pub fn worker(&self, cache: &Path, leave: Leave) -> Worker {
        let url = format!("http://{}", self.proxy.address);
        let options = WorkerOptions {
            connection: ConnectOptions::plain(url),
            threads: 1.try_into().unwrap(),
            memory: 1 << 30,
            cache: Some(cache.to_owned()),
            cache_bytes: 1 << 30,
            host: "here".to_owned(),
            name: "a worker".to_owned(),
            leave,
        };
        Worker::start(options)
    }

    /// Checks that all shards are there and what they must be.
    pub fn check_shards(&self) {
        let state = self.state();
        for (job, stored) in state.jobs.iter().zip(&state.stored) {
            let same = |(unit, shard): (&u32, &Vec<u8>)| stored.get(unit) == Some(shard);
            let wrong = job.expected().iter().filter(|entry| !same(*entry)).map(|(unit, _)| unit);
            assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&u32>::new(), "units with wrong shards");
            assert_eq!(stored.len(), job.expected().len());
        }
    }
}

/// A worker at work.
pub struct Worker {
    pub stop: CancellationToken,
    task: JoinHandle<Result<(), WorkerError>>,
}

impl Worker {
    pub fn start(options: WorkerOptions) -> Worker {
        let stop = CancellationToken::new();
        let task = tokio::spawn(remote::run(options, stop.clone()));
        Worker { stop, task }
    }

    /// Waits until it has left.
    pub async fn left(self) -> Result<(), WorkerError> {
        let left = tokio::time::timeout(Duration::from_secs(300), self.task).await;
        left.expect("the worker does not leave").unwrap()
    }
}
