//! The daemon: jobs from submission to table, workers that come, go and misbehave.

mod home;
mod made_up;

use std::path::Path;
use std::time::Duration;

use home::{Home, header, idle, lease, merge, phase, plan, register, request, submit, work};
use made_up::shard_of;
use retrotab_coordinator::daemon::{Daemon, DaemonError, LeaseReply, ReclaimReply};
use retrotab_coordinator::ids::{LeaseId, UnitId};
use retrotab_coordinator::job::Recovery;
use retrotab_coordinator::plan::Plan;
use retrotab_proto::v1::{
    HeartbeatRequest, JobPhase, LeaseProgress, RegisterRequest, SectionPhase, SubmitHeader,
};
use retrotab_tablefmt::manifest::Manifest;

#[test]
fn a_job_runs_from_its_submission_to_its_table() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    let (job, existed) = daemon.submit(&request(&plan, "")).unwrap();
    assert!(!existed && job.phase() == JobPhase::Running && job.units == 10, "{job:?}");
    assert!(daemon.submit(&request(&plan, "")).unwrap().1);
    work(&daemon, &plan);
    assert_eq!(phase(&daemon, &plan), JobPhase::Merging);
    merge(&daemon);
    let at_length = daemon.job(&plan.digest().0).unwrap();
    let job = at_length.job.unwrap();
    assert_eq!(job.phase(), JobPhase::Finished);
    assert!(at_length.sections.iter().all(|s| s.phase() == SectionPhase::Complete));
    let (manifest, _) = Manifest::read(&home.table(&job.name)).unwrap();
    assert_eq!(manifest.identity, job.identity);
    let work_folder = home.dir.path().join("jobs").join(plan.digest().to_string()).join("work");
    assert!(!work_folder.exists());
    // It is still known after a restart.
    drop(daemon);
    let daemon = home.open();
    assert_eq!(daemon.summaries(), [job]);
    assert_eq!(idle(&daemon, register(&daemon, "late")), "no job is running");
}

#[test]
fn jobs_are_worked_on_in_order_and_names_differ() {
    let home = Home::new();
    let daemon = home.open();
    let (first, second) = (plan(2), plan(3));
    let name = daemon.submit(&request(&first, "mine")).unwrap().0.name;
    assert_eq!(name, "mine");
    let taken = daemon.submit(&request(&second, "mine")).unwrap_err();
    assert!(matches!(taken, DaemonError::NameTaken { .. }), "{taken}");
    let path = daemon.submit(&request(&second, "../mine")).unwrap_err();
    assert!(matches!(path, DaemonError::Request(_)), "{path}");
    daemon.submit(&request(&second, "")).unwrap();
    let worker = register(&daemon, "a");
    let LeaseReply::Granted(job, _) = daemon.lease(worker).unwrap() else { panic!() };
    assert_eq!(job, first.digest());
    // The first job's other units wait for that one, so another worker gets the second job's.
    let other = register(&daemon, "b");
    let LeaseReply::Granted(job, _) = daemon.lease(other).unwrap() else { panic!() };
    assert_eq!(job, second.digest());
    drop(daemon);
    let names: Vec<_> = home.open().summaries().into_iter().map(|job| job.name).collect();
    assert_eq!(names[0], "mine");
    assert_eq!(names.len(), 2);
}

#[test]
fn other_protocols_and_other_plans_are_refused() {
    let home = Home::new();
    let daemon = home.open();
    for version in [0, 2, 99] {
        let request = RegisterRequest { protocol_version: version, ..RegisterRequest::default() };
        let error = daemon.register(&request, None).unwrap_err();
        assert!(matches!(error, DaemonError::Protocol { found } if found == version), "{error}");
        let text = error.to_string();
        let theirs = if version == 0 { "none".to_owned() } else { format!("version {version}") };
        assert!(text.contains("version 1 of the protocol") && text.contains(&theirs), "{text}");
    }
    let mut other = request(&plan(3), "");
    other.job.as_mut().unwrap().unit_entries += 1;
    let error = daemon.submit(&other).unwrap_err();
    assert!(matches!(error, DaemonError::Description(_)), "{error}");
    other.job = None;
    assert!(matches!(daemon.submit(&other), Err(DaemonError::Request(_))));
    assert!(daemon.summaries().is_empty());
}

#[test]
fn only_what_was_leased_can_be_submitted() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    daemon.submit(&request(&plan, "")).unwrap();
    let (anna, bert) = (register(&daemon, "anna"), register(&daemon, "bert"));
    let grant = lease(&daemon, anna);
    let (lease, unit) = (grant.lease, grant.unit);
    let shard = shard_of(&plan, unit, 0);
    let begin = |header: &SubmitHeader| daemon.begin_submit(header).map(|_| ()).unwrap_err();
    // Another worker's lease, another unit, a made-up lease, job or worker.
    let error = begin(&header(&plan, bert, lease, unit, &shard));
    assert!(matches!(error, DaemonError::UnknownLease(_)), "{error}");
    let error = begin(&header(&plan, anna, lease, UnitId(1), &shard));
    assert!(matches!(error, DaemonError::NotLeased { .. }), "{error}");
    let error = begin(&header(&plan, anna, LeaseId(4711), unit, &shard));
    assert!(matches!(error, DaemonError::UnknownLease(_)), "{error}");
    let error = begin(&header(&plan, 4711, lease, unit, &shard));
    assert!(matches!(error, DaemonError::UnknownWorker(4711)), "{error}");
    let mut other = header(&plan, anna, lease, unit, &shard);
    other.job_digest = vec![7; 32];
    assert!(matches!(begin(&other), DaemonError::UnknownJob(_)));
    // Too long, no digest.
    let mut other = header(&plan, anna, lease, unit, &shard);
    other.digest.as_mut().unwrap().length = 1 << 40;
    assert!(begin(&other).to_string().contains("cannot have"));
    other.digest.as_mut().unwrap().blake3.pop();
    assert!(begin(&other).to_string().contains("32 bytes"));
    // Other bytes than announced: they are to be sent again, under the same lease.
    let announced = header(&plan, anna, lease, unit, &shard);
    let upload = daemon.begin_submit(&announced).unwrap();
    let error = daemon.finish_submit(upload, shard[..shard.len() - 1].to_vec()).unwrap_err();
    assert!(matches!(error, DaemonError::Garbled { .. }), "{error}");
    assert_eq!(submit(&daemon, &plan, anna, (lease, unit), 0).unwrap(), None);
    // The answer got lost: asking again succeeds.
    let again = submit(&daemon, &plan, anna, (lease, unit), 0).unwrap();
    assert_eq!(again.as_deref(), Some("anna"));
    let anna = &daemon.worker_infos()[0];
    let bert = &daemon.worker_infos()[1];
    let done = if anna.name == "anna" { anna } else { bert };
    assert_eq!((done.units_done, done.leases), (1, 0));
}

#[test]
fn two_different_shards_stop_the_job_and_name_both_workers() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    daemon.submit(&request(&plan, "")).unwrap();
    let (anna, bert) = (register(&daemon, "anna"), register(&daemon, "bert"));
    let slow = lease(&daemon, anna);
    home.clock.pass(Duration::from_secs(61));
    daemon.tick();
    let quick = lease(&daemon, bert);
    assert_eq!(quick.unit, slow.unit);
    submit(&daemon, &plan, bert, (quick.lease, quick.unit), 0).unwrap();
    let error = submit(&daemon, &plan, anna, (slow.lease, slow.unit), 1).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("anna") && text.contains("bert"), "{text}");
    assert_eq!(phase(&daemon, &plan), JobPhase::Stopped);
    let why = idle(&daemon, anna);
    assert!(why.contains("no job is running") && why.contains("has stopped"), "{why}");
    // Neither submitting it again nor a restart makes it trusted.
    drop(daemon);
    let daemon = home.open();
    daemon.submit(&request(&plan, "")).unwrap();
    let job = daemon.summaries().remove(0);
    assert_eq!(job.phase(), JobPhase::Stopped);
    assert!(job.message.contains("anna") && job.message.contains("delete"), "{}", job.message);
}

#[test]
fn leases_end_without_progress_and_silent_workers_are_forgotten() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(5);
    daemon.submit(&request(&plan, "")).unwrap();
    work_some(&daemon, &plan, 10);
    let (anna, bert) = (register(&daemon, "anna"), register(&daemon, "bert"));
    let grant = lease(&daemon, anna);
    let beat = |entries| {
        let job_digest = plan.digest().0.to_vec();
        let leases = vec![LeaseProgress { job_digest, lease: grant.lease.0, entries, fetched: 0 }];
        daemon.heartbeat(&HeartbeatRequest { worker: anna, leases, doing: "x".into() }).unwrap()
    };
    for entries in [1, 2, 3] {
        home.clock.pass(Duration::from_secs(50));
        daemon.tick();
        assert_eq!(beat(entries), []);
    }
    // It goes on calling, but makes no progress.
    for _ in 0..3 {
        home.clock.pass(Duration::from_secs(25));
        daemon.tick();
        beat(3);
    }
    let ended = beat(4);
    assert_eq!(ended.len(), 1);
    assert!(ended[0].reason.contains("no progress"), "{}", ended[0].reason);
    // bert has not called for long; anna has.
    let error = daemon.lease(bert).unwrap_err();
    assert!(matches!(error, DaemonError::UnknownWorker(_)), "{error}");
    // Its shard is welcome even so.
    submit(&daemon, &plan, anna, (grant.lease, grant.unit), 0).unwrap();
}

fn work_some(daemon: &Daemon, plan: &Plan, units: u32) {
    let worker = register(daemon, "some");
    for _ in 0..units {
        let grant = lease(daemon, worker);
        submit(daemon, plan, worker, (grant.lease, grant.unit), 0).unwrap();
    }
    daemon.deregister(worker);
}

#[test]
fn after_a_restart_workers_reclaim_what_they_have() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    daemon.submit(&request(&plan, "")).unwrap();
    work_some(&daemon, &plan, 3);
    let worker = register(&daemon, "anna");
    let grant = lease(&daemon, worker);
    let job = plan.digest().0;
    drop(daemon);
    let daemon = home.open();
    assert_eq!(daemon.job(&job).unwrap().job.unwrap().units_done, 3);
    assert!(matches!(daemon.lease(worker), Err(DaemonError::UnknownWorker(_))));
    let worker = register(&daemon, "anna");
    let done = daemon.reclaim(worker, &job, UnitId(0)).unwrap();
    assert_eq!(done, ReclaimReply::Drop("the unit is done".to_owned()));
    assert!(daemon.reclaim(worker, &job, UnitId(4711)).is_err());
    let ReclaimReply::Granted(lease) = daemon.reclaim(worker, &job, grant.unit).unwrap() else {
        panic!("not granted");
    };
    assert_ne!(lease, grant.lease);
    assert_eq!(submit(&daemon, &plan, worker, (lease, grant.unit), 0).unwrap(), None);
}

#[test]
fn a_cancelled_job_waits_and_goes_on_when_submitted_again() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    let job = plan.digest().0;
    daemon.submit(&request(&plan, "")).unwrap();
    work_some(&daemon, &plan, 3);
    let worker = register(&daemon, "anna");
    let grant = lease(&daemon, worker);
    assert_eq!(daemon.cancel(&job).unwrap().phase(), JobPhase::Cancelled);
    assert_eq!(idle(&daemon, worker), "no job is running");
    let leases = vec![LeaseProgress {
        job_digest: job.to_vec(),
        lease: grant.lease.0,
        entries: 1,
        fetched: 0,
    }];
    let beat = HeartbeatRequest { worker, leases, doing: String::new() };
    assert_eq!(daemon.heartbeat(&beat).unwrap().len(), 1);
    drop(daemon);
    let daemon = home.open();
    assert_eq!(phase(&daemon, &plan), JobPhase::Cancelled);
    daemon.submit(&request(&plan, "")).unwrap();
    assert_eq!(daemon.job(&job).unwrap().job.unwrap().units_done, 3);
    work(&daemon, &plan);
    merge(&daemon);
    assert_eq!(phase(&daemon, &plan), JobPhase::Finished);
    assert!(matches!(daemon.cancel(&job), Err(DaemonError::NotOpen { .. })));
    assert!(matches!(daemon.cancel(&[1; 32]), Err(DaemonError::UnknownJob(_))));
}

#[test]
fn a_unit_that_fails_too_often_stops_the_job_with_unit_worker_and_reason() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    let job = plan.digest().0;
    daemon.submit(&request(&plan, "")).unwrap();
    for name in ["anna", "bert"] {
        let worker = register(&daemon, name);
        let grant = lease(&daemon, worker);
        daemon.end_lease(worker, &job, grant.lease, "no memory").unwrap();
    }
    let stopped = daemon.summaries().remove(0);
    assert_eq!(stopped.phase(), JobPhase::Stopped);
    for part in ["unit 0", "bert", "no memory"] {
        assert!(stopped.message.contains(part), "{}", stopped.message);
    }
    let events = daemon.job(&job).unwrap().events;
    assert!(events.iter().any(|e| e.warning && e.text.contains("no memory")), "{events:?}");
    // A person has mended it.
    daemon.submit(&request(&plan, "")).unwrap();
    work(&daemon, &plan);
    assert_eq!(phase(&daemon, &plan), JobPhase::Merging);
}

#[test]
fn without_workers_a_job_says_that_it_waits() {
    let home = Home::new();
    let daemon = home.open();
    daemon.submit(&request(&plan(3), "")).unwrap();
    daemon.tick();
    let message = daemon.summaries().remove(0).message;
    assert!(message.contains("waits"), "{message}");
    register(&daemon, "anna");
    daemon.tick();
    assert_eq!(daemon.summaries().remove(0).message, "");
}

#[test]
fn a_damaged_state_is_refused_and_rebuilt_on_request() {
    let home = Home::new();
    let daemon = home.open();
    let plan = plan(3);
    daemon.submit(&request(&plan, "")).unwrap();
    work_some(&daemon, &plan, 4);
    drop(daemon);
    let state = home.dir.path().join("jobs").join(plan.digest().to_string()).join("work/state");
    tear(&state.join("db"));
    let error = home.try_open(Recovery::Refuse).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("rebuild"), "{error}");
    let daemon = home.try_open(Recovery::RebuildAlways).unwrap();
    assert_eq!(daemon.summaries().remove(0).units_done, 4);
    work(&daemon, &plan);
    merge(&daemon);
    assert_eq!(phase(&daemon, &plan), JobPhase::Finished);
}

fn tear(file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    let torn: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x55).collect();
    std::fs::write(file, torn).unwrap();
}
