//! What goes wrong, and how often.

/// Probabilities of faults, and what they cost.
#[derive(Debug, Clone)]
pub struct Faults {
    /// That a worker dies when it has computed a unit, and comes back as a new one.
    pub crash: f64,
    /// That a worker stands still for longer than its lease when it begins a unit.
    pub stall: f64,
    /// That it reports a failure instead of a shard.
    pub failure: f64,
    /// That it submits its shard twice.
    pub duplicate: f64,
    /// The share of workers that compute ten times as slowly.
    pub slow: f64,
    /// The share of workers that leave for good, in good order, after some units.
    pub leave: f64,
}

impl Faults {
    /// Nothing goes wrong.
    pub const NONE: Faults =
        Faults { crash: 0.0, stall: 0.0, failure: 0.0, duplicate: 0.0, slow: 0.0, leave: 0.0 };

    /// A bad day.
    pub const MANY: Faults = Faults {
        crash: 0.01,
        stall: 0.005,
        failure: 0.005,
        duplicate: 0.05,
        slow: 0.03,
        leave: 0.0001,
    };
}

/// Seconds after which a silent worker is taken for gone.
pub const SILENCE: f64 = 30.0;
/// Seconds after which a crashed worker is there again.
pub const RESTART: f64 = 45.0;
/// Seconds for which a stalled worker stands still.
pub const STALL: f64 = 100.0;
