//! Statistics of made-up values, counted again one by one.

mod small_table;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::Ranking;
use retrotab_tablefmt::stats::{Measure, SHARE_BINS, Tally, statistics};
use retrotab_tablefmt::{ReadOptions, Table};
use small_table::{spec, value, write};

/// Counts an entry the slow way.
fn count(tally: &mut Tally, value: u16) {
    tally.counted += 1;
    tally.sum += u64::from(value);
    tally.lost += u64::from(value == 0);
    tally.won += u64::from(value == 65_535);
    let bin = f64::from(value) / 65_535.0 * SHARE_BINS as f64;
    tally.bins[(bin as usize).min(SHARE_BINS - 1)] += 1;
}

#[test]
fn the_values_of_a_stack_table_are_counted_by_level() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = write(dir.path(), 5 * 131_072).unwrap();
    let table = Table::open(dir.path(), ReadOptions::default()).unwrap();
    let told = AtomicU64::new(0);
    let found = statistics(&table, |entries| {
        told.fetch_add(entries, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(told.into_inner(), manifest.entries);
    assert_eq!((found.measure, found.unit), (Measure::Success, 65_535));

    let TableSpec::Stack(stack) = spec() else { panic!("another family") };
    let ranking = Ranking::new(stack);
    let nothing = || Tally { counted: 0, lost: 0, won: 0, sum: 0, bins: vec![0; SHARE_BINS] };
    let mut levels = BTreeMap::new();
    let mut all = nothing();
    for entry in 0..manifest.entries {
        let position = ranking.unrank(entry).unwrap();
        let level = position.a.stock() + position.b.stock();
        count(levels.entry(level).or_insert_with(nothing), value(entry));
        count(&mut all, value(entry));
    }
    assert_eq!(found.all, all);
    let expected = levels.into_iter().map(|(level, tally)| (level.to_string(), tally));
    let groups = found.groups.iter().map(|group| (group.name.clone(), group.tally.clone()));
    assert!(groups.eq(expected));
    assert!(found.all.lost > 0 && found.all.won == 0);

    let stored: u64 = found.sections.iter().map(|section| section.stored_bytes).sum();
    let frames: u64 = manifest.sections.iter().map(|s| s.entries.div_ceil(131_072)).sum();
    assert!(frames > manifest.sections.len() as u64, "some section has several frames");
    assert_eq!(stored + 8 * frames + 17, manifest.bytes(), "the rest is the seek table");
    for (size, section) in found.sections.iter().zip(&manifest.sections) {
        assert_eq!((&size.name, size.entries), (&section.name, section.entries));
        assert_eq!(size.raw_bytes, 2 * section.entries);
    }
}
