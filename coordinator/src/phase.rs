//! Names of phases, and which jobs people want to see first.

use retrotab_proto::v1::{JobPhase, JobSummary, SectionPhase};

/// The name of a [`JobPhase`]; `unknown` if a newer program sent it.
pub fn job_name(phase: i32) -> &'static str {
    match JobPhase::try_from(phase) {
        Ok(JobPhase::Running) => "running",
        Ok(JobPhase::Merging) => "merging",
        Ok(JobPhase::Finished) => "finished",
        Ok(JobPhase::Stopped) => "stopped",
        Ok(JobPhase::Cancelled) => "cancelled",
        Ok(JobPhase::Unspecified) | Err(_) => "unknown",
    }
}

/// The name of a [`SectionPhase`]; `unknown` if a newer program sent it.
pub fn section_name(phase: i32) -> &'static str {
    match SectionPhase::try_from(phase) {
        Ok(SectionPhase::Blocked) => "blocked",
        Ok(SectionPhase::Open) => "open",
        Ok(SectionPhase::Complete) => "complete",
        Ok(SectionPhase::Unspecified) | Err(_) => "unknown",
    }
}

/// Whether nothing is to happen any more unless a user acts.
fn is_over(job: &JobSummary) -> bool {
    job.phase == JobPhase::Finished as i32 || job.phase == JobPhase::Cancelled as i32
}

/// At most `most` jobs: those that are not over come first, then the newest.
pub fn foremost(jobs: Vec<JobSummary>, most: usize) -> Vec<JobSummary> {
    let (over, mut foremost): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_over);
    foremost.reverse();
    foremost.extend(over.into_iter().rev());
    foremost.truncate(most);
    foremost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_need_attention_come_first() {
        let job = |name: &str, phase: JobPhase| JobSummary {
            name: name.to_owned(),
            phase: phase.into(),
            ..JobSummary::default()
        };
        let jobs = vec![
            job("a", JobPhase::Stopped),
            job("b", JobPhase::Finished),
            job("c", JobPhase::Running),
            job("d", JobPhase::Cancelled),
        ];
        let names: Vec<_> = foremost(jobs, 3).into_iter().map(|job| job.name).collect();
        assert_eq!(names, ["c", "a", "d"]);
    }
}
