//! A state that is not kept: for tests and simulations.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use retrotab_proto::v1::{JobRecord, UnitRecord};

use crate::error::CoordinatorError;
use crate::ids::UnitId;

use super::StateStore;

/// A state in memory, gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    records: Mutex<Records>,
}

#[derive(Debug, Default)]
struct Records {
    job: Option<JobRecord>,
    units: BTreeMap<UnitId, UnitRecord>,
}

impl MemoryStore {
    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for MemoryStore {
    fn job(&self) -> Result<Option<JobRecord>, CoordinatorError> {
        Ok(self.records().job.clone())
    }

    fn put_job(&self, record: &JobRecord) -> Result<(), CoordinatorError> {
        self.records().job = Some(record.clone());
        Ok(())
    }

    fn unit(&self, unit: UnitId) -> Result<Option<UnitRecord>, CoordinatorError> {
        Ok(self.records().units.get(&unit).cloned())
    }

    fn units(&self) -> Result<BTreeMap<UnitId, UnitRecord>, CoordinatorError> {
        Ok(self.records().units.clone())
    }

    fn put_units(&self, records: &[(UnitId, UnitRecord)]) -> Result<(), CoordinatorError> {
        self.records().units.extend(records.iter().cloned());
        Ok(())
    }
}
