//! How far an export is, and whether it goes on.

use std::io::IsTerminal;

use indicatif::ProgressBar;
use retrotab_tablefmt::{Table, TableError};

use crate::args::ExportArgs;
use crate::run::interrupt::Interrupt;
use crate::run::report;

/// Follows the entries that are read, until the user wants to stop.
pub struct Progress {
    bar: ProgressBar,
    entry_bytes: u64,
    stop: Interrupt,
}

impl Progress {
    /// Nothing is read yet.
    pub fn new(args: &ExportArgs, table: &Table, stop: Interrupt) -> Self {
        let layout = table.manifest().table.layout();
        let entry_bytes = layout.entry_bytes();
        let bar = match &args.out {
            // The lines themselves are on the terminal.
            None if std::io::stdout().is_terminal() => ProgressBar::hidden(),
            _ => report::bar(layout.entries() * entry_bytes, "exporting"),
        };
        Progress { bar, entry_bytes, stop }
    }

    /// So many more entries are read.
    ///
    /// # Errors
    /// When the user wants to stop.
    pub fn read(&self, entries: u64) -> Result<(), TableError> {
        fail::fail_point!("export::read");
        self.bar.inc(entries * self.entry_bytes);
        if self.stop.is_set() { Err(TableError::Stopped) } else { Ok(()) }
    }

    /// The bar goes away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
