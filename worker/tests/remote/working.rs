//! Work without faults.

use retrotab_worker::remote::{ConnectOptions, Leave, WorkerOptions};
use tonic::Status;

use crate::fake::{Fake, Worker};
use crate::small_job::jobs;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_worker_makes_the_shards_of_the_solver() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.worker(folder.path(), Leave::WhenFinished).left().await.unwrap();
    fake.check_shards();
    let state = fake.state();
    assert!(state.times_leased.values().all(|&times| times == 1), "{:?}", state.times_leased);
    assert_eq!((state.registrations, state.deregistrations, state.described), (1, 1, 1));
    assert_eq!((state.given_back, state.failures.len(), state.reclaims), (0, 0, 0));
    assert!(state.fetches.len() <= state.jobs[0].units.len(), "shards are fetched once");
    assert!(state.workers.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_share_a_cache_and_two_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(jobs().to_vec()).await;
    let [a, b] = [0, 1].map(|_| fake.worker(folder.path(), Leave::WhenFinished));
    a.left().await.unwrap();
    b.left().await.unwrap();
    fake.check_shards();
    let state = fake.state();
    assert_eq!((state.registrations, state.deregistrations), (2, 2));
    assert!(state.failures.is_empty(), "{:?}", state.failures);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cache_smaller_than_what_is_needed_is_enough() {
    let [job, _] = jobs();
    let fake = Fake::start(vec![job]).await;
    let folder = tempfile::tempdir().unwrap();
    let options = WorkerOptions {
        connection: ConnectOptions::plain(format!("http://{}", fake.proxy.address)),
        threads: 2.try_into().unwrap(),
        memory: 1 << 30,
        cache: Some(folder.path().to_owned()),
        cache_bytes: 100_000,
        host: "here".to_owned(),
        name: "small".to_owned(),
        leave: Leave::WhenFinished,
    };
    Worker::start(options).left().await.unwrap();
    fake.check_shards();
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left: Vec<u64> = left.map(|entry| entry.unwrap().metadata().unwrap().len()).collect();
    let largest = *left.iter().max().unwrap();
    assert!(left.iter().sum::<u64>() <= 100_000 + largest, "{left:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_told() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    // Shards are kept back until a heartbeat has told that one is finished.
    let status = Status::unavailable("the test says so");
    fake.state().faults.refuse_submit = Some((u32::MAX, status));
    let worker = fake.worker(folder.path(), Leave::WhenFinished);
    fake.until("no progress", |state| state.progress.values().any(|&entries| entries > 0)).await;
    fake.state().faults.refuse_submit = None;
    worker.left().await.unwrap();
    fake.check_shards();
    let state = fake.state();
    for (lease, progress) in &state.progress {
        let Some(lease) = state.leases.get(lease) else { continue };
        assert!(*progress <= state.jobs[0].units[lease.unit as usize].entries);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_of_another_program_is_refused_with_the_reason() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.state().other_program = true;
    let error = fake.worker(folder.path(), Leave::Never).left().await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("zstd is") && text.contains("same version"), "{text}");
    assert!(error.is_users(), "{error:?}");
    // The unit is not blamed: others can do it.
    let state = fake.state();
    assert_eq!((state.failures.len(), state.deregistrations), (0, 1));
    assert!(state.given_back >= 1);
}
