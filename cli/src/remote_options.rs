//! Where the coordinator is.

use clap::Args;

/// Where the coordinator is.
#[derive(Debug, Clone, Args)]
pub struct RemoteOptions {
    /// The coordinator, for example http://host:7420.
    #[arg(long, value_name = "URL", env = "RETROTAB_COORDINATOR",
          default_value = "http://127.0.0.1:7420")]
    pub coordinator: String,
}
