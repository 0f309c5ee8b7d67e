//! How far a solver is.

/// Told how far a solver is, and asked whether it should go on.
pub trait Progress: Sync {
    /// So many more positions have been solved.
    fn advance(&self, positions: u64);

    /// Whether the solver should give up.
    fn stopped(&self) -> bool;
}

/// Progress that nobody follows.
impl Progress for () {
    fn advance(&self, _positions: u64) {}

    fn stopped(&self) -> bool {
        false
    }
}
