//! Random values of a table that is there: `cargo bench -p retrotab-tablefmt --bench probes -- DIR`.
//!
//! One thread, entries drawn evenly from the whole table, of its first column:
//! * warm: every frame is decoded and in memory;
//! * cold: a cache of 64 MiB, so nearly every value needs its frame decoded;
//! * in order: the same, but 262,144 at a time in the order of entries, as `probe -` does it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use retrotab_tablefmt::source::Access;
use retrotab_tablefmt::{ReadOptions, Table};

const TIME: Duration = Duration::from_secs(5);
const BATCH: usize = 1 << 18;
const SMALL: u64 = 64 << 20;

fn main() {
    let dirs = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    let dirs: Vec<PathBuf> = dirs.map(PathBuf::from).collect();
    if dirs.is_empty() {
        println!("probes: give the folder of a table");
    }
    for dir in dirs {
        measure(&dir);
    }
}

fn open(dir: &Path, cache_bytes: u64) -> Table {
    Table::open(dir, ReadOptions { access: Access::Read, cache_bytes }).expect("a table")
}

fn measure(dir: &Path) {
    let table = open(dir, SMALL);
    let entries = table.manifest().entries;
    let raw: u64 = table.manifest().columns[0].files.iter().map(|file| file.raw_bytes).sum();
    println!("{}: {} raw bytes in {entries} entries", dir.display(), raw);
    let mut random = fastrand::Rng::with_seed(1);

    let cold = rate(1, || probe(&table, random.u64(..entries)));
    println!("  cold      {cold:.0}/s, cache of 64 MiB");
    let in_order = rate(BATCH, || {
        let mut batch: Vec<u64> = (0..BATCH).map(|_| random.u64(..entries)).collect();
        batch.sort_unstable();
        batch.into_iter().map(|entry| probe(&table, entry)).sum()
    });
    println!("  in order  {in_order:.0}/s, cache of 64 MiB, {BATCH} at a time");
    drop(table);

    // Short frames at the ends of sections take as much of the cache's count as full ones.
    let table = open(dir, 2 * raw + (64 << 20));
    for entry in (0..entries).step_by(1000) {
        probe(&table, entry);
    }
    let warm = rate(1000, || (0..1000).map(|_| probe(&table, random.u64(..entries))).sum());
    println!("  warm      {:.2} million/s", warm / 1e6);
}

fn probe(table: &Table, entry: u64) -> u64 {
    table.value(0, entry).expect("a value").into()
}

/// How often a second something is done that counts as `each`.
fn rate(each: usize, mut work: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let (mut done, mut sum) = (0, 0_u64);
    while start.elapsed() < TIME {
        sum = sum.wrapping_add(work());
        done += each;
    }
    std::hint::black_box(sum);
    done as f64 / start.elapsed().as_secs_f64()
}
