//! How a worker leaves.

use retrotab_worker::remote::{Leave, WorkerError};
use tonic::Status;

use crate::fake::Fake;
use crate::small_job::jobs;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_told_to_stop_gives_its_units_back() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.state().faults.stall_fetch = true;
    let worker = fake.worker(folder.path(), Leave::Never);
    fake.until("nothing is fetched", |state| !state.fetches.is_empty()).await;
    worker.stop.cancel();
    worker.left().await.unwrap();
    let state = fake.state();
    assert_eq!((state.deregistrations, state.failures.len()), (1, 0));
    assert!(state.given_back >= 1);
    assert!(state.leases.values().all(|lease| lease.ended.is_some()), "{:?}", state.leases);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_shard_is_handed_in_before_leaving() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.state().faults.refuse_submit = Some((1, Status::unavailable("the disk is full")));
    let worker = fake.worker(folder.path(), Leave::Never);
    fake.until("nothing is submitted", |state| state.submits >= 1).await;
    worker.stop.cancel();
    worker.left().await.unwrap();
    let state = fake.state();
    assert_eq!(state.stored[0].get(&0), state.jobs[0].expected().get(&0));
    assert_eq!(state.deregistrations, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_leaves_also_without_a_coordinator() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.proxy.go_down().await;
    let early = fake.worker(folder.path(), Leave::Never);
    fake.proxy.come_up();
    fake.state().faults.stall_fetch = true;
    let late = fake.worker(folder.path(), Leave::Never);
    fake.until("nothing is fetched", |state| !state.fetches.is_empty()).await;
    fake.proxy.go_down().await;
    for worker in [early, late] {
        worker.stop.cancel();
        worker.left().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_is_not_wanted_says_why() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    for status in [
        Status::failed_precondition("protocol version 1 here, 2 there"),
        Status::unauthenticated("the token is wrong"),
    ] {
        let text = status.message().to_owned();
        fake.state().faults.refuse_register = Some(status);
        let error = fake.worker(folder.path(), Leave::Never).left().await.unwrap_err();
        assert!(matches!(error, WorkerError::Refused(_)) && error.to_string().contains(&text));
    }
}
