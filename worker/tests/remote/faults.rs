//! Things that go wrong on the way, and must not show in the shards.

use std::fs;
use std::path::Path;

use retrotab_worker::remote::Leave;
use tonic::Status;

use crate::fake::{Fake, Faults};
use crate::small_job::jobs;

/// A worker makes all shards of a job in spite of some faults.
async fn work_with(faults: Faults, cache: &Path) -> Fake {
    let [job, _] = jobs();
    let fake = Fake::start(vec![job]).await;
    fake.state().faults = faults;
    fake.worker(cache, Leave::WhenFinished).left().await.unwrap();
    fake.check_shards();
    assert!(fake.state().failures.is_empty(), "{:?}", fake.state().failures);
    fake
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_fetches_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let faults = Faults { break_fetch: 3, cut_fetch: 3, ..Faults::default() };
    let fake = work_with(faults, folder.path()).await;
    let state = fake.state();
    assert_eq!((state.faults.break_fetch, state.faults.cut_fetch), (0, 0));
    assert!(state.fetches.iter().filter(|&&offset| offset > 0).count() >= 3, "{:?}", state.fetches);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_submits_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let status = Status::unavailable("the disk is full");
    let faults = Faults {
        cut_submit: 1,
        cut_after_submit: 1,
        refuse_submit: Some((1, status)),
        ..Faults::default()
    };
    let fake = work_with(faults, folder.path()).await;
    let state = fake.state();
    assert_eq!((state.faults.cut_submit, state.faults.cut_after_submit), (0, 0));
    assert!(state.times_leased.values().all(|&times| times == 1), "computed once, sent often");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_bytes_are_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let fake = work_with(Faults { corrupt_fetch: 2, ..Faults::default() }, folder.path()).await;
    assert_eq!(fake.state().faults.corrupt_fetch, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inputs_that_stay_wrong_are_named() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    fake.state().faults.corrupt_fetch = u32::MAX;
    let worker = fake.worker(folder.path(), Leave::Never);
    fake.until("no failure", |state| !state.failures.is_empty()).await;
    fake.state().faults.corrupt_fetch = 0;
    fake.until("it does not go on", |state| state.all_done()).await;
    worker.stop.cancel();
    worker.left().await.unwrap();
    fake.check_shards();
    let failure = &fake.state().failures[0];
    assert!(failure.contains("shard of unit 0 is bad: its BLAKE3 is"), "{failure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_shards_are_reported() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    let status = Status::invalid_argument("it is the shard of unit 7");
    fake.state().faults.refuse_submit = Some((1, status));
    fake.worker(folder.path(), Leave::WhenFinished).left().await.unwrap();
    fake.check_shards();
    assert!(fake.state().failures[0].contains("it is the shard of unit 7"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_leases_are_dropped_and_finished_shards_still_offered() {
    let [job, _] = jobs();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    // First a unit that waits for its inputs.
    fake.state().faults.stall_fetch = true;
    let worker = fake.worker(folder.path(), Leave::WhenFinished);
    fake.until("nothing is fetched", |state| !state.fetches.is_empty()).await;
    let fetches = fake.state().fetches.len();
    fake.state().faults.end_leases = 1;
    // Fetching again, the worker knows that it has the unit again; a cut would not lose the grant.
    fake.until("it is not leased again", |state| {
        state.times_leased.values().any(|&times| times > 1) && state.fetches.len() > fetches
    })
    .await;
    {
        // Then one that is finished.
        let mut state = fake.state();
        state.faults.stall_fetch = false;
        let status = Status::unavailable("the test says so");
        state.faults.refuse_submit = Some((u32::MAX, status));
        state.submits = 0;
    }
    fake.cut();
    fake.until("nothing is submitted", |state| state.submits > 0).await;
    let before = fake.state().reclaims;
    fake.state().faults.end_leases = 1;
    fake.until("it is not reclaimed", |state| state.reclaims > before).await;
    fake.state().faults.refuse_submit = None;
    worker.left().await.unwrap();
    fake.check_shards();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_of_the_coordinator_cost_nothing_that_is_finished() {
    let [job, _] = jobs();
    let units = job.units.len();
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::start(vec![job]).await;
    // A shard that cannot be handed in before the restart.
    let status = Status::unavailable("the test says so");
    fake.state().faults.refuse_submit = Some((u32::MAX, status));
    // Only one worker so far: another one might get its unit after the restart.
    let first = fake.worker(folder.path(), Leave::WhenFinished);
    fake.until("nothing is submitted", |state| state.submits > 0).await;
    fake.proxy.go_down().await;
    fake.state().forget();
    fake.state().faults.refuse_submit = None;
    fake.proxy.come_up();
    fake.until("it is not there", |state| state.stored[0].contains_key(&0)).await;
    assert_eq!(fake.state().times_leased[&0], 1, "computed once, kept, and handed in later");
    // And two restarts in the middle of everything.
    let workers = [first, fake.worker(folder.path(), Leave::WhenFinished)];
    for share in [3, 2] {
        let so_far = move |stored: usize| stored >= units / share;
        fake.until("it does not go on", |state| so_far(state.stored[0].len())).await;
        fake.proxy.go_down().await;
        fake.state().forget();
        fake.proxy.come_up();
    }
    for worker in workers {
        worker.left().await.unwrap();
    }
    fake.check_shards();
    assert!(fake.state().registrations >= 4);
    assert!(fake.state().reclaims >= 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_files_of_the_cache_are_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let fake = work_with(Faults::default(), folder.path()).await;
    // The last level is lost, and so must be computed again from what is in the cache.
    let last = {
        let mut state = fake.state();
        let job = state.jobs[0].clone();
        let last = job.level(job.units.len() as u32 - 1);
        state.stored[0].retain(|&unit, _| job.level(unit) < last);
        state.forget();
        state.fetches.clear();
        last
    };
    assert!(last > 0);
    let mut damaged = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        match damaged % 3 {
            0 => bytes.truncate(bytes.len() / 2),
            1 => bytes.push(7),
            _ => {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
        }
        fs::write(&path, bytes).unwrap();
        damaged += 1;
    }
    assert!(damaged > 3);
    fake.worker(folder.path(), Leave::WhenFinished).left().await.unwrap();
    fake.check_shards();
    assert!(!fake.state().fetches.is_empty());
}
