//! Log lines on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::args::LogFormat;

/// Starts logging. The level is `info` unless `RETROTAB_LOG` says otherwise.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_env("RETROTAB_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => {
            lines.with_target(false).with_ansi(std::io::stderr().is_terminal()).init();
        }
        LogFormat::Json => lines.json().init(),
    }
}
