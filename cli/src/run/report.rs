//! Progress: a bar on a terminal, now and then a log line elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tracing::info;

use crate::text;

/// How often a line is logged where there is no terminal.
const LINES: Duration = Duration::from_secs(10);

/// A bar that counts bytes; invisible where there is no terminal.
pub fn bar(bytes: u64, what: &'static str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template =
        "{msg} [{bar:40}] {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} ETA {eta}";
    let style = ProgressStyle::with_template(template).expect("a template that parses");
    ProgressBar::new(bytes).with_style(style).with_message(what)
}

/// Tells how far a transfer is, whose length is known when it has begun.
pub struct Transfer {
    bar: ProgressBar,
    start: Instant,
    logged: Mutex<Instant>,
}

impl Transfer {
    /// Nothing is transferred yet.
    pub fn new(what: &'static str) -> Self {
        let start = Instant::now();
        Transfer { bar: bar(0, what), start, logged: Mutex::new(start) }
    }

    /// So many bytes of so many are here; the rest comes from `server`.
    pub fn update(&self, done: u64, total: u64, server: &str) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        let mut logged = self.logged.lock().unwrap_or_else(|e| e.into_inner());
        if self.bar.is_hidden() && logged.elapsed() >= LINES {
            *logged = Instant::now();
            let rate = done as f64 / self.start.elapsed().as_secs_f64();
            info!(done, total, bytes_per_second = rate as u64, server, "fetching");
        }
    }

    /// The bar goes away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Tells how far a run is.
pub struct Reporter {
    bar: ProgressBar,
    start: Instant,
    /// Positions that were there when the run started.
    before: u64,
    total: u64,
    logged: Mutex<Instant>,
}

impl Reporter {
    /// For a table of `total` entries, of which `done` are there.
    pub fn new(total: u64, done: u64) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            let template = "{msg} [{bar:40}] {percent}% ETA {eta}";
            let style = ProgressStyle::with_template(template).expect("a template that parses");
            ProgressBar::new(total).with_style(style).with_position(done)
        } else {
            ProgressBar::hidden()
        };
        bar.reset_eta();
        let start = Instant::now();
        Reporter { bar, start, before: done, total, logged: Mutex::new(start) }
    }

    /// So many entries are solved, the newest in `section`, and so many bytes stored.
    pub fn update(&self, section: &str, solved: u64, bytes: u64) {
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = text::rate(solved.saturating_sub(self.before), seconds);
        self.bar.set_position(solved);
        self.bar.set_message(format!("section {section}, {rate}, {} stored", text::bytes(bytes)));
        let mut logged = self.logged.lock().unwrap_or_else(|e| e.into_inner());
        if self.bar.is_hidden() && logged.elapsed() >= LINES {
            *logged = Instant::now();
            let percent = 100.0 * solved as f64 / self.total as f64;
            let gained = (solved - self.before).max(1) as f64;
            let eta = seconds / gained * (self.total - solved.min(self.total)) as f64;
            info!(
                section,
                positions = solved,
                percent = format!("{percent:.1}"),
                rate,
                eta_seconds = eta as u64,
                stored_bytes = bytes,
                "solving"
            );
        }
    }

    /// The bar goes away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
