//! A snapshot as plain text.

use std::fmt::Write;
use std::time::Duration;

use indicatif::FormattedDuration;
use retrotab_coordinator::phase;
use retrotab_proto::v1::{
    GetJobResponse, JobPhase, JobSummary, SectionPhase, SectionStatus, WorkerInfo,
};

use crate::text;

use super::snapshot::Snapshot;

/// Most open sections that are named.
const NAMED: usize = 6;
/// Most events of a job that are told.
const EVENTS: usize = 5;

/// The snapshot in some lines, without a line break at the end.
pub fn text(snapshot: &Snapshot) -> String {
    let mut lines = Vec::new();
    if snapshot.jobs.is_empty() {
        lines.push("no jobs".to_owned());
    }
    for job in &snapshot.jobs {
        lines.extend(job_lines(job));
    }
    lines.push(String::new());
    lines.extend(worker_lines(&snapshot.workers));
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn job_lines(details: &GetJobResponse) -> Vec<String> {
    let job = details.job.clone().unwrap_or_default();
    let mut lines = vec![format!("{}  {}", printable(&job.name), facts(&job).join("  "))];
    if !job.table.is_empty() {
        lines.push(format!("  {}", printable(&job.table)));
    }
    if !job.message.is_empty() {
        lines.push(format!("  {}", printable(&job.message)));
    }
    if !job.identity.is_empty() {
        lines.push(format!("  identity {}", printable(&job.identity)));
    }
    if !details.sections.is_empty() {
        lines.push(format!("  {}", sections(&details.sections)));
    }
    let skipped = details.events.len().saturating_sub(EVENTS);
    for event in &details.events[skipped..] {
        let mark = if event.warning { "!" } else { "-" };
        lines.push(format!("  {mark} {}", printable(&event.text)));
    }
    lines
}

/// Phase, share, rate, time left, units, and what is stored.
pub fn facts(job: &JobSummary) -> Vec<String> {
    let mut facts = vec![phase::job_name(job.phase).to_owned(), share(job)];
    if job.phase() == JobPhase::Running {
        facts.push(text::rate(job.entries_per_second.max(0.0) as u64, 1.0));
        facts.extend(job.eta_seconds.map(|seconds| format!("ETA {}", time(seconds))));
    }
    let (done, all) = (text::count(job.units_done.into()), text::count(job.units.into()));
    let mut units = format!("{done} of {all} units");
    if job.units_running > 0 {
        let _ = write!(units, ", {} running", job.units_running);
    }
    facts.push(units);
    facts.push(format!("{} stored", text::bytes(job.stored_bytes)));
    facts
}

/// The computed share, `57.0 %`; 100 only at the end.
fn share(job: &JobSummary) -> String {
    percent(job.entries_done.saturating_add(job.entries_running), job.entries)
}

fn percent(part: u64, whole: u64) -> String {
    if part >= whole {
        return "100 %".to_owned();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    format!("{:.1} %", percent.min(99.9))
}

/// A time span, `03:20:11`.
pub fn time(seconds: f64) -> String {
    let span = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    FormattedDuration(Duration::from_secs(span.as_secs())).to_string()
}

/// How many sections are complete, and which are open.
fn sections(sections: &[SectionStatus]) -> String {
    let of = |phase: SectionPhase| sections.iter().filter(move |s| s.phase() == phase);
    let complete = of(SectionPhase::Complete).count();
    let open: Vec<_> = of(SectionPhase::Open).map(open_section).collect();
    let mut line = format!("{complete} of {} sections complete", sections.len());
    if !open.is_empty() {
        let _ = write!(line, "; open: {}", open[..open.len().min(NAMED)].join("; "));
    }
    if open.len() > NAMED {
        let _ = write!(line, "; and {} more", open.len() - NAMED);
    }
    line
}

fn open_section(section: &SectionStatus) -> String {
    let computed = section.entries_done.saturating_add(section.entries_running);
    format!("{} ({})", printable(&section.name), percent(computed, section.entries))
}

/// The columns of a table of workers.
pub const COLUMNS: [&str; 8] =
    ["worker", "doing", "rate", "leases", "units", "threads", "memory", "last heard"];

/// A worker in that table.
pub fn columns(worker: &WorkerInfo) -> [String; 8] {
    [
        printable(&worker.name),
        printable(&worker.doing),
        text::rate(worker.entries_per_second.max(0.0) as u64, 1.0),
        worker.leases.to_string(),
        text::count(worker.units_done.into()),
        worker.threads.to_string(),
        text::bytes(worker.memory),
        time(worker.silent_seconds),
    ]
}

fn worker_lines(workers: &[WorkerInfo]) -> Vec<String> {
    if workers.is_empty() {
        return vec!["no workers".to_owned()];
    }
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(workers.iter().map(columns));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<_> = (0..COLUMNS.len()).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

/// Text from the network without what a terminal would obey.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::screen::made_up;

    #[test]
    fn everything_is_told() {
        let told = text(&made_up::snapshot());
        for part in [
            "stack3  running  50.0 %  45.0 M/s  ETA 00:00:09  80 of 178 units, 3 running",
            "1 of 3 sections complete; open: 1,0 (50.0 %)",
            "! the lease of worker bee on unit 7 expired",
            "ant/4117  unit 5  15.0 M/s  1       30     2        4.0 GiB  00:00:01",
        ] {
            assert!(told.contains(part), "{part:?} is not in:\n{told}");
        }
        let nothing = text(&Snapshot::default());
        assert_eq!(nothing, "no jobs\n\nno workers");
    }

    #[test]
    fn a_worker_cannot_write_to_the_terminal() {
        let mut snapshot = made_up::snapshot();
        snapshot.workers[0].name = "evil\x1b]0;title\x07\nworker".to_owned();
        let told = text(&snapshot);
        assert!(told.contains("evil\u{fffd}]0;title\u{fffd}\u{fffd}worker"), "{told}");
    }

    #[test]
    fn odd_numbers_are_survived() {
        assert_eq!(percent(0, 0), "100 %");
        assert_eq!(percent(9_999_999, 10_000_000), "99.9 %");
        for seconds in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!time(seconds).is_empty());
        }
    }
}
