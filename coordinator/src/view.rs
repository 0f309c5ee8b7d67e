//! What is going on, for those who look: the dashboard, the metrics, the status of readiness.

use retrotab_proto::v1;

/// A look at the coordinator as it is now. Every method is cheap, answers from memory, and never
/// waits for a disk or a network.
pub trait View: Send + Sync {
    /// All jobs, in order of submission.
    fn jobs(&self) -> Vec<v1::JobSummary>;
    /// One job with its sections and what happened last, by its digest.
    fn job(&self, digest: &[u8]) -> Option<v1::GetJobResponse>;
    /// All registered workers, in order of registration.
    fn workers(&self) -> Vec<v1::WorkerInfo>;
    /// Whether calls of workers and users can be served.
    ///
    /// # Errors
    /// Why not, for people.
    fn ready(&self) -> Result<(), String>;
}
