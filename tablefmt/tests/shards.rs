//! Shards come back as they were made, and damaged ones are refused.

use std::path::Path;

use proptest::prelude::*;
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::layout::{
    Column, EntryType, FRAME_RAW, SectionId, SectionSpec, TableLayout, UnitRange,
};
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId, encode_shard};

const JOB: JobDigest = JobDigest([7; 32]);

fn layout(entries: u64) -> TableLayout {
    let column = |(name, entry): (&str, EntryType)| Column { name: name.to_owned(), entry };
    TableLayout {
        columns: [("win", EntryType::U32), ("placements", EntryType::U8)].map(column).to_vec(),
        sections: vec![SectionSpec { name: "all".to_owned(), entries }],
    }
}

/// A shard of a layout with two columns, and its raw values.
fn shard(entries: u64) -> (TableLayout, Vec<Vec<u8>>, Vec<u8>) {
    let layout = layout(entries);
    let raw: Vec<Vec<u8>> = layout
        .columns
        .iter()
        .map(|c| (0..entries * c.entry.bytes()).map(|i| (i * i / 11) as u8).collect())
        .collect();
    let range = UnitRange { section: SectionId(0), first: 0, entries };
    let columns: Vec<&[u8]> = raw.iter().map(Vec::as_slice).collect();
    let bytes = encode_shard(JOB, UnitId(3), range, &layout, &columns).unwrap();
    (layout, raw, bytes)
}

fn open(bytes: &[u8], layout: &TableLayout) -> Result<Shard, TableError> {
    Shard::open(Box::new(bytes.to_vec()), Path::new("s"), layout)
}

#[test]
fn shards_come_back() {
    for entries in [1, 1000, 300_000] {
        let (layout, raw, bytes) = shard(entries);
        let shard = open(&bytes, &layout).unwrap();
        shard.check().unwrap();
        assert_eq!((shard.header().job, shard.header().unit), (JOB, UnitId(3)));
        for (column, raw) in raw.iter().enumerate() {
            let mut back = vec![0; raw.len()];
            shard.read_raw(column, 0, &mut back).unwrap();
            assert!(back == *raw);
        }
        let plain = zstd::stream::decode_all(&bytes[..]).unwrap();
        assert!(plain == raw.concat(), "plain zstd gives the columns");
    }
}

#[test]
fn parts_of_a_column_can_be_read() {
    let (layout, raw, bytes) = shard(300_000);
    let shard = open(&bytes, &layout).unwrap();
    for (from, len) in [(0, 0), (5, 1), (FRAME_RAW - 1, 2), (FRAME_RAW, FRAME_RAW), (9, 900_000)] {
        let mut part = vec![0; len as usize];
        shard.read_raw(0, from, &mut part).unwrap();
        assert!(part == raw[0][from as usize..][..len as usize], "{len} bytes from {from}");
    }
}

#[test]
fn every_cut_and_flip_is_found() {
    let (layout, raw, bytes) = shard(2000);
    let passes = |bytes: &[u8]| open(bytes, &layout).and_then(|shard| shard.check());
    passes(&bytes).unwrap();
    for cut in 0..bytes.len() {
        assert!(passes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    let mut refused = 0;
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let checked = open(&flipped, &layout).and_then(|s| s.check().map(|()| s));
        let Ok(shard) = checked else {
            refused += 1;
            continue;
        };
        // Job and unit are for the receiver to check, and a few bits of a frame have no
        // meaning; whatever passes has the values that were put in.
        for (column, raw) in raw.iter().enumerate() {
            let mut back = vec![0; raw.len()];
            shard.read_raw(column, 0, &mut back).unwrap();
            assert!(back == *raw, "bit {bit}");
        }
    }
    assert!(refused > bytes.len() * 8 * 9 / 10, "{refused} flipped bits are refused");
}

#[test]
fn shards_of_other_tables_are_refused() {
    let (_, _, bytes) = shard(2000);
    for other in [layout(1999), layout(1), TableLayout { sections: Vec::new(), ..layout(1) }] {
        assert!(matches!(open(&bytes, &other), Err(TableError::Corrupt { .. })));
    }
}

proptest! {
    #[test]
    fn garbage_is_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(open(&bytes, &layout(2000)).is_err());
        if bytes.len() >= 8 {
            bytes[..4].copy_from_slice(&0x184D_2A50u32.to_le_bytes());
            prop_assert!(open(&bytes, &layout(2000)).is_err());
        }
    }
}
