//! What the coordinator remembers across restarts: one record for the job and one for every
//! unit that was tried. Shards are files beside it, never in it.

mod memory;
mod records;
mod sled_store;

use std::collections::BTreeMap;

use retrotab_proto::v1::{JobRecord, UnitRecord};

use crate::error::CoordinatorError;
use crate::ids::UnitId;

pub use memory::MemoryStore;
pub use sled_store::SledStore;

pub(crate) use records::{
    done_record, failed_record, job_record, pending_record, result_of, stop_of, stop_record,
};

/// Version of the records this program writes.
pub const STATE_VERSION: u32 = 1;

/// Where records are kept. Every `put` is durable when it returns.
pub trait StateStore: Send + Sync {
    /// The job's record; `None` in a new state.
    ///
    /// # Errors
    /// [`CoordinatorError::StateDamaged`], [`CoordinatorError::Io`]; the same for the others.
    fn job(&self) -> Result<Option<JobRecord>, CoordinatorError>;

    /// Writes the job's record.
    fn put_job(&self, record: &JobRecord) -> Result<(), CoordinatorError>;

    /// A unit's record; `None` if it was never tried.
    fn unit(&self, unit: UnitId) -> Result<Option<UnitRecord>, CoordinatorError>;

    /// All units' records.
    fn units(&self) -> Result<BTreeMap<UnitId, UnitRecord>, CoordinatorError>;

    /// Writes a unit's record.
    fn put_unit(&self, unit: UnitId, record: &UnitRecord) -> Result<(), CoordinatorError> {
        self.put_units(&[(unit, record.clone())])
    }

    /// Writes several units' records with one flush.
    fn put_units(&self, records: &[(UnitId, UnitRecord)]) -> Result<(), CoordinatorError>;
}
