//! Between stored records and the coordinator's own types.

use retrotab_proto::v1;

use crate::ids::{ShardDigest, UnitId};
use crate::plan::Plan;
use crate::scheduler::{Conflict, Stop, StopReason, UnitResult};

use super::STATE_VERSION;

pub(crate) fn job_record(plan: &Plan, openings: u64) -> v1::JobRecord {
    v1::JobRecord {
        state_version: STATE_VERSION,
        description: Some(plan.description()),
        openings,
        stop: None,
        created_unix_seconds: 0,
    }
}

/// A unit's record once its shard is stored; what is known of earlier failures stays.
pub(crate) fn done_record(before: Option<v1::UnitRecord>, result: &UnitResult) -> v1::UnitRecord {
    v1::UnitRecord {
        state: v1::UnitState::Done.into(),
        shard: Some(result.shard.message()),
        worker: result.worker.to_string(),
        ..before.unwrap_or_default()
    }
}

/// A unit's record after a failed lease. A unit that is done stays done.
pub(crate) fn failed_record(
    before: Option<v1::UnitRecord>,
    worker: &str,
    reason: &str,
) -> v1::UnitRecord {
    let mut record = before.unwrap_or_else(|| pending_record(None));
    record.failed_attempts = record.failed_attempts.saturating_add(1);
    record.last_failure =
        Some(v1::Failure { worker: worker.to_owned(), reason: reason.to_owned() });
    record
}

/// A unit's record when its shard is not, or no longer, in the store.
pub(crate) fn pending_record(before: Option<v1::UnitRecord>) -> v1::UnitRecord {
    v1::UnitRecord {
        state: v1::UnitState::Pending.into(),
        shard: None,
        worker: String::new(),
        ..before.unwrap_or_default()
    }
}

/// A unit's shard, `None` if it is pending, or what is wrong with the record.
pub(crate) fn result_of(record: &v1::UnitRecord) -> Result<Option<UnitResult>, &'static str> {
    match record.state() {
        v1::UnitState::Pending => Ok(None),
        v1::UnitState::Done => {
            let shard = ShardDigest::of_message(record.shard.as_ref())?;
            Ok(Some(UnitResult { shard, worker: record.worker.as_str().into() }))
        }
        v1::UnitState::Unspecified => Err("it has no state"),
    }
}

pub(crate) fn stop_record(stop: &Stop) -> v1::Stop {
    let reason = match &stop.reason {
        StopReason::FailedTooOften { attempts, worker, reason } => {
            let last = v1::Failure { worker: worker.to_string(), reason: reason.clone() };
            let (attempts, last) = (*attempts, Some(last));
            v1::stop::Reason::FailedTooOften(v1::FailedTooOften { attempts, last })
        }
        StopReason::LostTooOften { losses, worker, reason } => {
            let last = v1::Failure { worker: worker.to_string(), reason: reason.clone() };
            let (losses, last) = (*losses, Some(last));
            v1::stop::Reason::LostTooOften(v1::LostTooOften { losses, last })
        }
        StopReason::Cancelled => v1::stop::Reason::Cancelled(v1::Cancelled {}),
        StopReason::Conflict(conflict) => v1::stop::Reason::Conflict(v1::Conflict {
            first_worker: conflict.first_worker.to_string(),
            first_shard: Some(conflict.first_shard.message()),
            second_worker: conflict.second_worker.to_string(),
            second_shard: Some(conflict.second_shard.message()),
        }),
    };
    v1::Stop { unit: stop.unit.map_or(0, |unit| unit.0), reason: Some(reason) }
}

/// Why a job stopped, or what is wrong with the record.
pub(crate) fn stop_of(stop: &v1::Stop) -> Result<Stop, &'static str> {
    let reason = match stop.reason.as_ref().ok_or("a stop has no reason")? {
        v1::stop::Reason::FailedTooOften(failed) => {
            let last = failed.last.clone().unwrap_or_default();
            StopReason::FailedTooOften {
                attempts: failed.attempts,
                worker: last.worker.into(),
                reason: last.reason,
            }
        }
        v1::stop::Reason::LostTooOften(lost) => {
            let last = lost.last.clone().unwrap_or_default();
            StopReason::LostTooOften {
                losses: lost.losses,
                worker: last.worker.into(),
                reason: last.reason,
            }
        }
        v1::stop::Reason::Cancelled(v1::Cancelled {}) => StopReason::Cancelled,
        v1::stop::Reason::Conflict(conflict) => StopReason::Conflict(Box::new(Conflict {
            first_worker: conflict.first_worker.as_str().into(),
            first_shard: ShardDigest::of_message(conflict.first_shard.as_ref())?,
            second_worker: conflict.second_worker.as_str().into(),
            second_shard: ShardDigest::of_message(conflict.second_shard.as_ref())?,
        })),
    };
    let unit = (reason != StopReason::Cancelled).then_some(UnitId(stop.unit));
    Ok(Stop { unit, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> UnitResult {
        UnitResult { shard: ShardDigest::of(b"shard"), worker: "anna".into() }
    }

    #[test]
    fn unit_records_keep_results_and_failures_apart() {
        let failed = failed_record(None, "bert", "no memory");
        assert_eq!(result_of(&failed), Ok(None));
        let done = done_record(Some(failed), &result());
        assert_eq!(result_of(&done), Ok(Some(result())));
        // A copy of the unit fails after it is done.
        let later = failed_record(Some(done), "carl", "gone");
        assert_eq!(result_of(&later), Ok(Some(result())));
        let reopened = pending_record(Some(later));
        assert_eq!(result_of(&reopened), Ok(None));
        assert_eq!(reopened.failed_attempts, 2);
        assert_eq!(reopened.last_failure.unwrap().worker, "carl");
    }

    #[test]
    fn odd_records_are_refused() {
        assert!(result_of(&v1::UnitRecord::default()).is_err());
        let mut record = done_record(None, &result());
        record.shard.as_mut().unwrap().blake3.pop();
        assert!(result_of(&record).is_err());
        record.shard = None;
        assert!(result_of(&record).is_err());
        record.state = 77;
        assert!(result_of(&record).is_err());
        assert!(stop_of(&v1::Stop::default()).is_err());
    }

    #[test]
    fn stops_survive_being_stored() {
        let (first_shard, second_shard) = (ShardDigest::of(b"1"), ShardDigest::of(b"2"));
        let (first_worker, second_worker) = ("anna".into(), "bert".into());
        let conflict = Conflict { first_worker, first_shard, second_worker, second_shard };
        let worker = "carl".into();
        let failed =
            StopReason::FailedTooOften { attempts: 5, worker, reason: "no memory".to_owned() };
        let (worker, reason) = ("dora".into(), "it went away".to_owned());
        let lost = StopReason::LostTooOften { losses: 20, worker, reason };
        for reason in [StopReason::Conflict(Box::new(conflict)), failed, lost] {
            let stop = Stop { unit: Some(UnitId(7)), reason };
            assert_eq!(stop_of(&stop_record(&stop)), Ok(stop));
        }
        let cancelled = Stop { unit: None, reason: StopReason::Cancelled };
        assert_eq!(stop_of(&stop_record(&cancelled)), Ok(cancelled));
    }
}
