//! Manifests, data files and positions that somebody made up or damaged: refused, and nothing
//! else. The functions that take them are those that `cargo fuzz` runs.

#[allow(dead_code)]
#[path = "../../fuzz/src/tables.rs"]
mod tables;

use proptest::prelude::*;
use proptest::sample::Index;

use tables::{TABLE, data_file, manifest, notation};

/// Changes to bytes: where, what is done there, and with which byte.
fn damage() -> impl Strategy<Value = Vec<(Index, u8, u8)>> {
    prop::collection::vec((any::<Index>(), 0..4_u8, any::<u8>()), 1..4)
}

/// Damages the last `near` bytes.
fn damaged(bytes: &[u8], damage: Vec<(Index, u8, u8)>, near: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, kind, value) in damage {
        if bytes.is_empty() {
            break;
        }
        let place = bytes.len() - 1 - place.index(bytes.len().min(near));
        match kind {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, value),
            2 => drop(bytes.remove(place)),
            _ => bytes[place] = value,
        }
    }
    bytes
}

#[test]
fn sound_ones_pass_the_same_way() {
    manifest(&TABLE.0);
    data_file(&TABLE.1);
    for text in [". .", "..1.0 .2.", "1 2 3", "AsKs 2d2c", "AKs 22", "|/||/|||/||||/|||||"] {
        notation(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_manifests_are_refused(damage in damage()) {
        manifest(&damaged(&TABLE.0, damage, usize::MAX));
    }

    #[test]
    fn damaged_data_files_are_refused(
        damage in damage(),
        near in prop_oneof![Just(20_usize), Just(1000), Just(usize::MAX)],
    ) {
        data_file(&damaged(&TABLE.1, damage, near));
    }

    #[test]
    fn any_text_is_a_position_or_a_mistake(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        notation(&bytes);
    }

    #[test]
    fn nearly_positions_are_a_position_or_a_mistake(text in "[-.0-9x|/ AKQJT2shdc]{0,40}") {
        notation(text.as_bytes());
    }
}
