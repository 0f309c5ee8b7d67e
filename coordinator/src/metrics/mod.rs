//! What Prometheus reads.
//!
//! Two kinds of numbers are exposed. *Counters* live as long as the process, and are counted up
//! where things happen. Everything that says how things *stand* is taken from the [`View`] at
//! the moment of reading, so that nothing is left of what is no more. Labels have few values
//! (states, method names, names of at most 50 jobs); names of workers, which
//! come and go, are no label.

mod calls;
mod disk;
mod standing;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metrics::{Counter, counter, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};

use crate::merge::MergeProgress;
use crate::scheduler::Ended;
use crate::view::View;

pub use calls::{CallLayer, CountedBody, CountedCalls};
pub use disk::Disk;

const LEASES_GRANTED: &str = "retrotab_leases_granted_total";
const LEASES_ENDED: &str = "retrotab_leases_ended_total";
const SHARDS_STORED: &str = "retrotab_shards_stored_total";
const SHARDS_BYTES: &str = "retrotab_shards_stored_bytes_total";
const SHARDS_REFUSED: &str = "retrotab_shards_refused_total";
const REQUESTS: &str = "retrotab_grpc_requests_total";
const SECONDS: &str = "retrotab_grpc_request_duration_seconds";
const IN_FLIGHT: &str = "retrotab_grpc_requests_in_flight";

/// Upper ends of the histogram of latencies, in seconds. Calls that carry shards take longest.
const LATENCIES: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0];

/// All ways in which a lease ends, with the label's value.
const ENDINGS: [(Ended, &str); 6] = [
    (Ended::Completed, "completed"),
    (Ended::Superseded, "superseded"),
    (Ended::Expired, "expired"),
    (Ended::Failed, "failed"),
    (Ended::WorkerGone, "worker_gone"),
    (Ended::JobStopped, "job_stopped"),
];

/// The counters of a process, and the merges that are under way.
pub struct Metrics {
    recorder: PrometheusRecorder,
    leases_granted: Counter,
    shards_stored: Counter,
    shards_bytes: Counter,
    shards_refused: Counter,
    merges: Mutex<BTreeMap<String, MergeProgress>>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// All counters at 0. They belong to this value: there is no global recorder.
    pub fn new() -> Metrics {
        let latencies = Matcher::Full(SECONDS.to_owned());
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(latencies, &LATENCIES)
            .expect("there are buckets")
            .build_recorder();
        metrics::with_local_recorder(&recorder, || {
            describe();
            // What has not happened yet is 0, not missing: alerts need a start to compare with.
            for (_, how) in ENDINGS {
                counter!(LEASES_ENDED, "how" => how).absolute(0);
            }
        });
        let plain = |name| metrics::with_local_recorder(&recorder, || counter!(name));
        let leases_granted = plain(LEASES_GRANTED);
        let shards_stored = plain(SHARDS_STORED);
        let shards_bytes = plain(SHARDS_BYTES);
        let shards_refused = plain(SHARDS_REFUSED);
        let merges = Mutex::default();
        Metrics { recorder, leases_granted, shards_stored, shards_bytes, shards_refused, merges }
    }

    /// A worker got a unit.
    pub fn lease_granted(&self) {
        self.leases_granted.increment(1);
    }

    /// A lease has ended.
    pub fn lease_ended(&self, how: Ended) {
        let label = ENDINGS.iter().find(|(ending, _)| *ending == how).map_or("other", |e| e.1);
        self.recorded(|| counter!(LEASES_ENDED, "how" => label).increment(1));
    }

    /// A shard of so many bytes is durable.
    pub fn shard_stored(&self, bytes: u64) {
        self.shards_stored.increment(1);
        self.shards_bytes.increment(bytes);
    }

    /// A submitted shard was wrong.
    pub fn shard_refused(&self) {
        self.shards_refused.increment(1);
    }

    /// How far the merge of a job, by its table's name, is.
    pub fn merging(&self, table: &str, progress: MergeProgress) {
        self.merges().insert(table.to_owned(), progress);
    }

    /// The merge of a job is over, well or badly.
    pub fn merge_over(&self, table: &str) {
        self.merges().remove(table);
    }

    /// Everything, in Prometheus' text format.
    pub fn render(&self, view: &dyn View, disk: Option<Disk>) -> String {
        let standing = standing::render(view, disk, &self.merges());
        // Moves the latencies that have come in since the last time into their buckets.
        let handle = self.recorder.handle();
        handle.run_upkeep();
        handle.render() + &standing
    }

    /// A call of a method has ended.
    fn call_ended(&self, method: &'static str, code: &'static str, took: Duration) {
        self.recorded(|| {
            counter!(REQUESTS, "method" => method, "code" => code).increment(1);
            metrics::histogram!(SECONDS, "method" => method).record(took);
            metrics::gauge!(IN_FLIGHT).decrement(1.0);
        });
    }

    /// A call has begun.
    fn call_begun(&self) {
        self.recorded(|| metrics::gauge!(IN_FLIGHT).increment(1.0));
    }

    fn recorded(&self, record: impl FnOnce()) {
        metrics::with_local_recorder(&self.recorder, record);
    }

    fn merges(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, MergeProgress>> {
        self.merges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the counters mean.
fn describe() {
    describe_counter!(LEASES_GRANTED, "Units handed to workers.");
    describe_counter!(LEASES_ENDED, "Leases that have ended, by how they ended.");
    describe_counter!(SHARDS_STORED, "Shards made durable.");
    describe_counter!(SHARDS_BYTES, "Bytes of shards made durable.");
    describe_counter!(SHARDS_REFUSED, "Submitted shards that were wrong.");
    describe_counter!(REQUESTS, "Calls over gRPC, by method and status code.");
    describe_histogram!(SECONDS, "Time from a call's headers to the end of its answer.");
    describe_gauge!(IN_FLIGHT, "Calls over gRPC that are being answered.");
}
