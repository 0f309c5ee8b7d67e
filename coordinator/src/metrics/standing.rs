//! How things stand: numbers taken from the view at the moment of reading.

use std::collections::BTreeMap;

use metrics::{counter, describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusBuilder;
use metrics_process::Collector;
use retrotab_proto::v1::{JobPhase, JobSummary, WorkerInfo};

use crate::merge::MergeProgress;
use crate::phase;
use crate::view::View;

use super::Disk;

/// Most jobs that have numbers of their own: those that are not over come first, then the newest.
pub(super) const JOBS: usize = 50;

const PHASES: [JobPhase; 5] = [
    JobPhase::Running,
    JobPhase::Merging,
    JobPhase::Finished,
    JobPhase::Stopped,
    JobPhase::Cancelled,
];

/// The numbers in Prometheus' text format. They go through a recorder of their own, which is
/// thrown away: a job or a worker that is no more leaves nothing behind.
pub(super) fn render(
    view: &dyn View,
    disk: Option<Disk>,
    merges: &BTreeMap<String, MergeProgress>,
) -> String {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        describe();
        process();
        gauge!("retrotab_ready").set(if view.ready().is_ok() { 1.0 } else { 0.0 });
        let jobs = view.jobs();
        count_phases(&jobs);
        phase::foremost(jobs, JOBS).iter().for_each(job);
        workers(&view.workers());
        if let Some(disk) = disk {
            gauge!("retrotab_data_size_bytes").set(disk.size as f64);
            gauge!("retrotab_data_free_bytes").set(disk.free as f64);
        }
        for (table, progress) in merges {
            merge(table, progress);
        }
    });
    recorder.handle().render()
}

fn process() {
    let collector = Collector::default();
    collector.describe();
    collector.collect();
    gauge!("retrotab_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

fn count_phases(jobs: &[JobSummary]) {
    for phase in PHASES {
        let count = jobs.iter().filter(|job| job.phase == phase as i32).count();
        gauge!("retrotab_jobs", "phase" => phase::job_name(phase as i32)).set(count as f64);
    }
}

/// The label is `table`, not `job`: Prometheus itself puts a `job` on everything it scrapes.
fn job(job: &JobSummary) {
    let table = || job.name.clone();
    for phase in PHASES {
        let set = if job.phase == phase as i32 { 1.0 } else { 0.0 };
        let name = phase::job_name(phase as i32);
        gauge!("retrotab_job_phase", "table" => table(), "phase" => name).set(set);
    }
    let units_waiting = job.units.saturating_sub(job.units_done + job.units_running);
    let units =
        [("done", job.units_done), ("running", job.units_running), ("waiting", units_waiting)];
    for (state, units) in units {
        gauge!("retrotab_units", "table" => table(), "state" => state).set(units);
    }
    let computed = job.entries_done.saturating_add(job.entries_running);
    let entries = [
        ("done", job.entries_done),
        ("running", job.entries_running),
        ("waiting", job.entries.saturating_sub(computed)),
    ];
    for (state, entries) in entries {
        gauge!("retrotab_entries", "table" => table(), "state" => state).set(entries as f64);
    }
    gauge!("retrotab_job_entries_per_second", "table" => table()).set(job.entries_per_second);
    if let Some(seconds) = job.eta_seconds {
        gauge!("retrotab_job_eta_seconds", "table" => table()).set(seconds);
    }
    gauge!("retrotab_job_stored_bytes", "table" => table()).set(job.stored_bytes as f64);
    let created = job.created_unix_seconds as f64;
    gauge!("retrotab_job_created_timestamp_seconds", "table" => table()).set(created);
}

fn workers(workers: &[WorkerInfo]) {
    let busy = workers.iter().filter(|worker| worker.leases > 0).count();
    gauge!("retrotab_workers", "state" => "busy").set(busy as f64);
    gauge!("retrotab_workers", "state" => "idle").set((workers.len() - busy) as f64);
    let sum = |number: fn(&WorkerInfo) -> f64| workers.iter().map(number).sum::<f64>();
    gauge!("retrotab_worker_threads").set(sum(|worker| worker.threads.into()));
    gauge!("retrotab_worker_memory_bytes").set(sum(|worker| worker.memory as f64));
    gauge!("retrotab_worker_entries_per_second").set(sum(|worker| worker.entries_per_second));
    gauge!("retrotab_leases").set(sum(|worker| worker.leases.into()));
    let silent = workers.iter().map(|worker| worker.silent_seconds).fold(0.0, f64::max);
    gauge!("retrotab_worker_silent_seconds").set(silent);
}

fn merge(table: &str, progress: &MergeProgress) {
    let table = || table.to_owned();
    gauge!("retrotab_merge_shards", "table" => table()).set(progress.shards as f64);
    gauge!("retrotab_merge_shards_done", "table" => table()).set(progress.shards_done as f64);
    counter!("retrotab_merge_written_bytes_total", "table" => table()).absolute(progress.bytes);
}

/// What the numbers mean.
fn describe() {
    let meanings = [
        ("retrotab_build_info", "1, with the version of the program."),
        ("retrotab_ready", "Whether calls can be served."),
        ("retrotab_jobs", "Jobs, by phase."),
        ("retrotab_job_phase", "1 for the phase a job is in, 0 for the others."),
        ("retrotab_units", "Units of a job, by state."),
        ("retrotab_entries", "Entries of a job, by state of their unit; running: computed so far."),
        ("retrotab_job_entries_per_second", "Entries a second over the last minute or so."),
        ("retrotab_job_eta_seconds", "Seconds that are left at that rate."),
        ("retrotab_job_stored_bytes", "Bytes of all stored shards."),
        ("retrotab_job_created_timestamp_seconds", "When the job was submitted."),
        ("retrotab_workers", "Registered workers, by whether they hold a lease."),
        ("retrotab_worker_threads", "Threads of all registered workers."),
        ("retrotab_worker_memory_bytes", "Memory that all registered workers may use."),
        ("retrotab_worker_entries_per_second", "Entries a second of all registered workers."),
        ("retrotab_worker_silent_seconds", "Seconds since the most silent worker called."),
        ("retrotab_leases", "Leases that are held."),
        ("retrotab_data_size_bytes", "Bytes of the file system of the data folder."),
        ("retrotab_data_free_bytes", "Bytes that are free there."),
        ("retrotab_merge_shards", "Shards to append in the merge that is under way."),
        ("retrotab_merge_shards_done", "Shards appended."),
    ];
    for (name, meaning) in meanings {
        describe_gauge!(name, meaning);
    }
    metrics::describe_counter!("retrotab_merge_written_bytes_total", "Compressed bytes written.");
}
