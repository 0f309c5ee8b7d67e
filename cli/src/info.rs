//! `retrotab info`: what a table is.

use std::io::Write;

use retrotab_tablefmt::manifest::Manifest;

use crate::args::InfoArgs;
use crate::text;

/// Prints what the manifest of a table says.
pub fn info(args: &InfoArgs) -> anyhow::Result<()> {
    let (manifest, _) = Manifest::read(&args.dir)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &manifest)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{}", manifest.table)?;
    writeln!(out, "positions  {}", manifest.positions)?;
    writeln!(out, "entries    {}", manifest.entries)?;
    for column in &manifest.columns {
        let files: u64 = column.files.iter().map(|file| file.bytes).sum();
        let raw: u64 = column.files.iter().map(|file| file.raw_bytes).sum();
        let (number, share) = (column.files.len(), files as f64 / raw as f64);
        writeln!(
            out,
            "column     {} ({}): {} in {number} files ({share:.3} of the raw values)",
            column.name,
            column.entry.name(),
            text::bytes(files),
        )?;
    }
    writeln!(out, "identity   {}", manifest.identity)?;
    writeln!(out, "rule       {}", manifest.rule)?;
    let compression = &manifest.compression;
    writeln!(
        out,
        "frames     {} raw, zstd {} level {}",
        text::bytes(compression.frame_bytes),
        compression.zstd_version,
        compression.zstd_level,
    )?;
    writeln!(out, "software   {}", manifest.software)?;
    writeln!(out, "licence    {}", manifest.licence)?;
    let made = &manifest.made;
    let (units, workers, seconds) = (made.units, made.workers, made.wall_seconds);
    writeln!(out, "made       in {seconds} s from {units} units by {workers} worker(s)")?;
    Ok(())
}
