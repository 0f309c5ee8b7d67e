//! Shards that somebody made up or damaged.

use std::path::Path;
use std::sync::LazyLock;

use retrotab_coordinator::ids::UnitId;
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::shard::{Shard, encode_shard};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};

/// A small job: some of its sections have more than one frame.
pub fn plan() -> Plan {
    let (stacks, cards) = (Stacks::try_from(3).unwrap(), Cards::try_from(8).unwrap());
    let spec = StackSpec { stacks, cards, rule: Rule::Sorted };
    Plan::new(TableSpec::Stack(spec), UnitSize::Entries(1 << 18)).unwrap()
}

static PLAN: LazyLock<Plan> = LazyLock::new(plan);

/// A unit's shard, with made-up values.
pub fn shard(plan: &Plan, unit: UnitId) -> Vec<u8> {
    let range = plan.graph().range(unit);
    let values = (0..range.entries).map(|entry| (entry.wrapping_mul(0x9E37_79B9) >> 11) as u16);
    let raw: Vec<u8> = values.flat_map(u16::to_le_bytes).collect();
    encode_shard(plan.digest(), unit, range, plan.layout(), &[&raw]).unwrap()
}

/// Opens and decodes bytes as a shard: a shard, or an error that says what is wrong.
///
/// # Panics
/// If they are treated wrongly.
pub fn check(bytes: &[u8]) {
    let opened = Shard::open(Box::new(bytes.to_vec()), Path::new("made up"), PLAN.layout());
    let checked = opened.and_then(|shard| shard.check().map(|()| shard));
    match checked {
        Ok(shard) => {
            // What passes is a unit, with all its values.
            let range = shard.header().range();
            assert!(PLAN.layout().is_unit(&range), "{range:?}");
            let mut raw = vec![0; (range.entries * PLAN.layout().entry_bytes()) as usize];
            shard.read_raw(0, 0, &mut raw).unwrap();
            let digest = blake3::hash(&raw).to_string();
            assert_eq!(digest, shard.header().columns[0]);
        }
        Err(TableError::Corrupt { .. } | TableError::UnsupportedVersion { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}
