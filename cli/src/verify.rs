//! `retrotab verify`: check every byte of a table.

use std::ops::ControlFlow;
use std::time::Instant;

use retrotab_tablefmt::manifest::Manifest;

use crate::args::VerifyArgs;
use crate::run::{interrupt, pool, report};
use crate::text;

/// Checks a table and says so, or fails naming what is wrong and where.
pub fn verify(args: &VerifyArgs) -> anyhow::Result<()> {
    let stop = interrupt::catch()?;
    let (manifest, _) = Manifest::read(&args.dir)?;
    let bytes = manifest.bytes();
    let start = Instant::now();
    let bar = report::bar(bytes, "verifying");
    pool::start(args.threads)?;
    let manifest = retrotab_tablefmt::verify(&args.dir, |done| {
        bar.inc(done);
        match stop.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    println!("{}: whole and unchanged", args.dir.display());
    println!("identity   {}", manifest.identity);
    println!("checked    {} in {seconds:.1} s", text::bytes(bytes));
    Ok(())
}
