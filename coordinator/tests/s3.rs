//! Jobs whose shards are in a bucket of a real S3 server.

mod made_up;
mod own_address;
mod s3_server;

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use made_up::{Work, finish, lease, one, shard_of, small_plan, spec};
use own_address::own_address;
use retrotab_coordinator::ids::{ShardDigest, UnitId};
use retrotab_coordinator::job::{Committed, JobStatus, Opening, Recovery};
use retrotab_coordinator::merge::merge;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::{HeartbeatAnswer, LeaseAnswer};
use retrotab_coordinator::{CoordinatorError, Job};
use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::objects::{Naming, ObjectShards, ShardName, SharedStore, StoreError};
use retrotab_tablefmt::shard::{JobDigest, Shard};
use retrotab_worker::stack::{Isa, Resources};
use retrotab_worker::{UnitSolver, ValueSource};
use s3_server::{BUCKET, Server, options_for};

const JOB: JobDigest = JobDigest([0xab; 32]);

fn name_of(unit: UnitId, bytes: &[u8]) -> ShardName {
    Naming::ByContent.name(unit, blake3::hash(bytes))
}

fn noise(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

/// As a worker does: puts a shard into the store under the name that its bytes give it.
fn put(shards: &ObjectShards, unit: UnitId, bytes: Vec<u8>) -> ShardDigest {
    let digest = ShardDigest::of(&bytes);
    shards.put(&Naming::ByContent.name(unit, digest.blake3), bytes.into()).unwrap();
    digest
}

fn work_in(store: SharedStore) -> Work {
    let mut work = Work::without_store();
    work.store = Some(store);
    work
}

#[test]
fn shards_are_put_listed_read_and_removed() {
    let server = Server::start();
    let store = server.store();
    store.probe().unwrap();
    let shards = store.job(JOB);
    assert_eq!(shards.list().unwrap(), []);
    // The last one goes in several parts.
    for (unit, length) in [1, 1000, 8 << 20, (17 << 20) + 5].into_iter().enumerate() {
        let (unit, bytes) = (UnitId(unit as u32), Bytes::from(noise(length)));
        let name = name_of(unit, &bytes);
        let missing = shards.get(&name, length as u64).unwrap_err();
        assert!(matches!(missing, StoreError::Missing { .. }), "{missing:?}");
        assert!(missing.to_string().contains(&format!("s3://{BUCKET}/some/folder/{JOB}/0000000")));
        shards.put(&name, bytes.clone()).unwrap();
        assert!(shards.get(&name, length as u64).unwrap() == bytes);
        let error = shards.get(&name, length as u64 + 1).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        let source = shards.source(&name, length as u64).unwrap();
        for from in [0, length / 3, length - 1] {
            let mut room = vec![0; (length - from).min(2_000_000)];
            source.read_exact_at(from as u64, &mut room).unwrap();
            assert!(room == bytes[from..from + room.len()], "from {from}");
        }
    }
    let listed = shards.list().unwrap();
    assert_eq!(listed.len(), 4);
    assert_eq!(store.job(JobDigest([1; 32])).list().unwrap(), []);
    let names: Vec<ShardName> = listed.iter().map(|shard| shard.name).collect();
    shards.remove(&names[1..]).unwrap();
    shards.remove(&names[1..]).unwrap();
    assert_eq!(shards.list().unwrap(), listed[..1]);
    // One that has another length than it should, or is gone, is seen by its readers.
    for (length, from) in [(listed[0].length + 1, 0), (100 << 20, 99 << 20)] {
        let source = shards.source(&names[0], length).unwrap();
        let error = source.read_exact_at(from, &mut [0]).unwrap_err();
        assert!(error.to_string().contains("corrupt"), "{error}");
    }
    let source = shards.source(&names[1], 1000).unwrap();
    let error = source.read_exact_at(0, &mut [0]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
}

#[test]
fn a_missing_bucket_wrong_credentials_and_no_server_are_told_apart() {
    let server = Server::start();
    let store = SharedStore::open("s3://nobodys/folder", &server.options()).unwrap();
    let shards = store.job(JOB);
    let errors = [
        store.probe().unwrap_err(),
        shards.list().unwrap_err(),
        shards.get(&name_of(UnitId(1), b"x"), 1).unwrap_err(),
        shards.put(&name_of(UnitId(1), b"x"), Bytes::from_static(b"x")).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::NoPlace { .. }) && error.is_users(), "{error:?}");
        assert!(error.to_string().contains("s3://nobodys/folder"), "{error}");
    }
    drop(server);

    let server = Server::start_strict();
    let store = server.store();
    let shards = store.job(JOB);
    let errors = [
        store.probe().unwrap_err(),
        shards.list().unwrap_err(),
        shards.get(&name_of(UnitId(1), b"x"), 1).unwrap_err(),
        shards.put(&name_of(UnitId(1), b"x"), Bytes::from_static(b"x")).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("credentials") && text.contains("AWS_"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
    drop(server);

    let store = SharedStore::open(&format!("s3://{BUCKET}"), &options_for(own_address())).unwrap();
    let error = store.probe().unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(error.is_passing() && error.to_string().contains("network"), "{error}");
}

#[test]
fn a_job_goes_on_when_its_server_comes_back() {
    let mut server = Server::start();
    let work = work_in(server.store());
    let (job, _) = work.open();
    let worker = job.register("a");
    for _ in 0..3 {
        one(&job, worker);
    }
    let grant = lease(&job, worker);
    let shard = shard_of(job.plan(), grant.unit, 0);
    server.kill();
    let error = job.commit(grant.lease, shard.clone()).unwrap_err();
    assert!(matches!(error, CoordinatorError::Store(StoreError::Unreachable { .. })), "{error:?}");
    let error = job.commit_stored(grant.lease, ShardDigest::of(&shard)).unwrap_err();
    assert!(matches!(error, CoordinatorError::Store(StoreError::Unreachable { .. })), "{error:?}");
    let error = job.shard(UnitId(0)).unwrap_err();
    assert!(matches!(error, CoordinatorError::Table(_)), "{error:?}");
    assert_eq!((job.progress().units_done, job.progress().units_running), (3, 1));
    // The server has lost what it had: that is noticed when it is read.
    server.restart();
    assert_eq!(job.commit(grant.lease, shard).unwrap(), Committed::First);
    let error = job.shard(UnitId(0)).unwrap_err();
    assert!(matches!(error, CoordinatorError::BadStoredShard { .. }), "{error:?}");
    drop(job);
    let (job, opening) = work.open();
    let Opening::Resumed(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.bad), (1, vec![UnitId(1), UnitId(2)]));
    assert_eq!(finish(&job), 9);
}

/// Passes connections on, but only when told to. Says when one has begun to speak.
struct Gate {
    address: SocketAddr,
    began: mpsc::Receiver<()>,
    open: mpsc::Sender<()>,
}

impl Gate {
    fn before(server: &Server) -> Gate {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (begin, began) = mpsc::channel();
        let (open, opened) = mpsc::channel();
        let to = server.address();
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                let mut start = vec![0; 1 << 16];
                let length = client.read(&mut start).unwrap();
                // The test has ended when nobody listens or opens any more.
                if begin.send(()).is_err() || opened.recv().is_err() {
                    return;
                }
                let mut other = TcpStream::connect(to).unwrap();
                other.write_all(&start[..length]).unwrap();
                let (mut from, mut back) =
                    (client.try_clone().unwrap(), other.try_clone().unwrap());
                thread::spawn(move || std::io::copy(&mut from, &mut other));
                thread::spawn(move || std::io::copy(&mut back, &mut client));
            }
        });
        Gate { address, began, open }
    }
}

#[test]
fn slow_storage_does_not_cost_the_lease() {
    for stored_by_worker in [false, true] {
        let server = Server::start();
        let gate = Gate::before(&server);
        // The job's own connections are those that are held up.
        let slow = SharedStore::open(server.store().url(), &options_for(gate.address)).unwrap();
        gate.open.send(()).unwrap();
        let work = work_in(slow);
        let (job, _) = work.open();
        gate.began.recv().unwrap();
        let grant = lease(&job, job.register("a"));
        let shard = shard_of(job.plan(), grant.unit, 0);
        if stored_by_worker {
            put(&server.store().job(job.plan().digest()), grant.unit, shard.clone());
        }
        thread::scope(|scope| {
            let committing = scope.spawn(|| match stored_by_worker {
                true => job.commit_stored(grant.lease, ShardDigest::of(&shard)),
                false => job.commit(grant.lease, shard.clone()),
            });
            gate.began.recv().unwrap();
            for _ in 0..5 {
                work.clock.pass(Duration::from_secs(50));
                job.tick();
                let answer = job.heartbeat(grant.lease, 0).unwrap();
                assert!(matches!(answer, HeartbeatAnswer::NoProgress { .. }), "{answer:?}");
            }
            gate.open.send(()).unwrap();
            assert_eq!(committing.join().unwrap().unwrap(), Committed::First);
        });
    }
}

/// Where a worker with credentials of its own finds values: in the bucket.
struct Stored<'a> {
    shards: &'a ObjectShards,
    job: &'a Job,
}

impl ValueSource for Stored<'_> {
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        mut out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let plan = self.job.plan();
        let width = plan.layout().columns[column].entry.bytes();
        let mut entry = from / width;
        while !out.is_empty() {
            let unit = plan.unit_of_entry(section, entry).ok_or("no such entry")?;
            let range = plan.graph().range(unit);
            let digest = self.job.shard_digest(unit).ok_or("not done")?;
            let name = Naming::ByContent.name(unit, digest.blake3);
            let source = self.shards.source(&name, digest.length)?;
            let shard = Shard::open(source, &self.shards.path(&name), plan.layout())?;
            let left = (range.range().end - entry) * width;
            let (now, later) = out.split_at_mut(out.len().min(left as usize));
            shard.read_raw(column, (entry - range.first) * width, now)?;
            entry += now.len() as u64 / width;
            out = later;
        }
        Ok(())
    }
}

/// The values of finished sections, from the coordinator, as in the one-process run.
struct Local<'a>(&'a Job);

impl ValueSource for Local<'_> {
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let width = self.0.plan().layout().columns[column].entry.bytes();
        Ok(self.0.read(section, column, from / width, out)?)
    }
}

/// Solves all units that are left, and has `commit` take each shard.
fn solve(
    job: &Job,
    source: &dyn ValueSource,
    commit: impl Fn(&retrotab_coordinator::scheduler::Grant, Vec<u8>) -> Committed,
) {
    let worker = job.register("solver");
    let scratch = tempfile::tempdir().unwrap();
    let (memory, scratch_folder) = (1 << 30, scratch.path().to_owned());
    let resources = Resources { memory, scratch: scratch_folder, isa: Isa::detect() };
    let mut solver = UnitSolver::new(job.plan().spec(), job.plan().digest(), resources);
    while let LeaseAnswer::Granted(grant) = job.lease(worker).unwrap() {
        let shard = solver.solve(grant.unit, grant.range, source, &()).unwrap();
        assert_eq!(commit(&grant, shard), Committed::First);
    }
    assert_eq!(job.status(), JobStatus::Finished);
}

fn plan() -> Plan {
    Plan::new(spec(5), UnitSize::Entries(1)).unwrap()
}

fn merged(job: &Job, table: &Path) -> Manifest {
    merge(job, table, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

#[test]
fn a_table_made_in_a_bucket_is_the_one_made_in_a_folder() {
    let here = Work::without_store();
    let (job, _) = here.try_open(plan(), Recovery::Refuse).unwrap();
    solve(&job, &Local(&job), |grant, shard| job.commit(grant.lease, shard).unwrap());
    let expected = merged(&job, &here.table());
    drop(job);

    let server = Server::start();
    let work = work_in(server.store());
    let (job, _) = work.try_open(plan(), Recovery::Refuse).unwrap();
    // The worker has a store of its own, with credentials of its own.
    let shards = server.store().job(plan().digest());
    let source = Stored { shards: &shards, job: &job };
    solve(&job, &source, |grant, shard| {
        let digest = put(&shards, grant.unit, shard);
        job.commit_stored(grant.lease, digest).unwrap()
    });
    assert_eq!(fs::read_dir(work.path().join("shards")).unwrap().count(), 0);
    let units = job.plan().graph().unit_count();
    drop(job);

    // Everything but the bucket is lost.
    fs::remove_dir_all(work.path()).unwrap();
    let error = work.try_open(plan(), Recovery::Refuse).map(|_| ()).unwrap_err();
    assert!(matches!(error, CoordinatorError::StateMissing { .. }), "{error:?}");
    assert!(error.to_string().contains(&format!("s3://{BUCKET}")), "{error}");
    let (job, opening) = work.try_open(plan(), Recovery::Rebuild).unwrap();
    let Opening::Rebuilt(found) = opening else { panic!("{opening:?}") };
    assert_eq!((found.units_done, found.adopted, found.bad.len()), (units, units, 0));
    let manifest = merged(&job, &work.table());
    assert_eq!(manifest.identity, expected.identity);
    assert_eq!(format!("{:?}", manifest.columns), format!("{:?}", expected.columns));
}

#[test]
fn two_sound_shards_of_a_unit_in_the_bucket_are_a_conflict() {
    let server = Server::start();
    let work = work_in(server.store());
    let shards = server.store().job(small_plan().digest());
    for shift in [0, 1] {
        put(&shards, UnitId(0), shard_of(&small_plan(), UnitId(0), shift));
    }
    let error = work.try_open(small_plan(), Recovery::Rebuild).map(|_| ()).unwrap_err();
    assert!(matches!(error, CoordinatorError::Untrusted { .. }), "{error:?}");
    assert!(error.to_string().contains(&format!("s3://{BUCKET}/some/folder/")), "{error}");
}
