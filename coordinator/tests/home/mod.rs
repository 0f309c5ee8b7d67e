//! A daemon in a folder of its own, and workers that do as they are told.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use retrotab_coordinator::CoordinatorError;
use retrotab_coordinator::clock::ManualClock;
use retrotab_coordinator::daemon::{Daemon, DaemonError, DaemonOptions, LeaseReply};
use retrotab_coordinator::ids::{LeaseId, ShardDigest, UnitId};
use retrotab_coordinator::job::Recovery;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::scheduler::{Grant, Policy};
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::{JobPhase, RegisterRequest, SubmitHeader, SubmitJobRequest};

use crate::made_up::{shard_of, spec};

/// A daemon's folder and its clock.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
}

impl Home {
    pub fn new() -> Home {
        Home { dir: tempfile::tempdir().unwrap(), clock: Arc::default() }
    }

    pub fn try_open(&self, recovery: Recovery) -> Result<Daemon, CoordinatorError> {
        let policy =
            Policy { attempts: 2, copy_after: Duration::from_secs(1000), ..Policy::default() };
        let clock = self.clock.clone();
        let options = DaemonOptions { policy, recovery, clock, ..DaemonOptions::default() };
        Daemon::open(self.dir.path(), options)
    }

    pub fn open(&self) -> Daemon {
        self.try_open(Recovery::Refuse).unwrap()
    }

    pub fn table(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("tables").join(name)
    }
}

pub fn plan(cards: u8) -> Plan {
    Plan::new(spec(cards), UnitSize::Automatic).unwrap()
}

pub fn request(plan: &Plan, name: &str) -> SubmitJobRequest {
    let job = Some(plan.description());
    SubmitJobRequest { protocol_version: PROTOCOL_VERSION, job, name: name.to_owned() }
}

pub fn register(daemon: &Daemon, name: &str) -> u64 {
    let request = RegisterRequest {
        protocol_version: PROTOCOL_VERSION,
        name: name.to_owned(),
        ..RegisterRequest::default()
    };
    daemon.register(&request, None).unwrap().worker
}

pub fn lease(daemon: &Daemon, worker: u64) -> Grant {
    match daemon.lease(worker).unwrap() {
        LeaseReply::Granted(_, grant) => grant,
        LeaseReply::Idle { reason, .. } => panic!("idle: {reason}"),
    }
}

pub fn idle(daemon: &Daemon, worker: u64) -> String {
    match daemon.lease(worker).unwrap() {
        LeaseReply::Granted(_, grant) => panic!("granted {grant:?}"),
        LeaseReply::Idle { reason, .. } => reason,
    }
}

pub fn header(
    plan: &Plan,
    worker: u64,
    lease: LeaseId,
    unit: UnitId,
    shard: &[u8],
) -> SubmitHeader {
    let digest = ShardDigest::of(shard);
    SubmitHeader {
        worker,
        job_digest: plan.digest().0.to_vec(),
        lease: lease.0,
        unit: unit.0,
        digest: Some(digest.message()),
    }
}

/// Submits the shard of a unit, and says whose came first.
pub fn submit(
    daemon: &Daemon,
    plan: &Plan,
    worker: u64,
    (lease, unit): (LeaseId, UnitId),
    shift: u64,
) -> Result<Option<String>, DaemonError> {
    let shard = shard_of(plan, unit, shift);
    let upload = daemon.begin_submit(&header(plan, worker, lease, unit, &shard))?;
    Ok(daemon.finish_submit(upload, shard)?.map(|name| name.to_string()))
}

/// Does all units of a job that are left.
pub fn work(daemon: &Daemon, plan: &Plan) {
    let worker = register(daemon, "finisher");
    while let LeaseReply::Granted(job, grant) = daemon.lease(worker).unwrap() {
        assert_eq!(job, plan.digest());
        assert_eq!(submit(daemon, plan, worker, (grant.lease, grant.unit), 0).unwrap(), None);
    }
}

pub fn merge(daemon: &Daemon) {
    assert!(!daemon.merge_finished(&AtomicBool::new(false)), "a merge has failed");
}

pub fn phase(daemon: &Daemon, plan: &Plan) -> JobPhase {
    daemon.job(&plan.digest().0).unwrap().job.unwrap().phase()
}
