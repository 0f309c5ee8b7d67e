//! Stopping cleanly on Ctrl-C and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// Whether the user has asked to stop.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// What is set when the user asks to stop.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From now on, Ctrl-C and SIGTERM are remembered; a second one ends the program at once.
pub fn catch() -> anyhow::Result<Interrupt> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            // 128 + SIGINT, as shells expect.
            std::process::exit(130);
        }
        eprintln!("retrotab: stopping; once more to stop at once");
    };
    ctrlc::set_handler(handler).context("cannot catch Ctrl-C")?;
    Ok(Interrupt(flag))
}
