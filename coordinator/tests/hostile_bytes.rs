//! Bytes from the network and of shards that somebody made up or damaged: refused, and nothing
//! else. The functions that take them are those that `cargo fuzz` runs.

#[allow(dead_code)]
#[path = "../../fuzz/src/calls.rs"]
mod calls;
#[allow(dead_code)]
#[path = "../../fuzz/src/shards.rs"]
mod shards;
#[allow(dead_code)]
#[path = "../../fuzz/src/tables.rs"]
mod tables;

use std::cell::RefCell;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use retrotab_coordinator::plan::Plan;
use tonic::Code;

use calls::{METHODS, WAYS, World};

static PLAN: LazyLock<Plan> = LazyLock::new(shards::plan);
/// Small, of one frame, and of several.
static SHARDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let units: Vec<_> = PLAN.graph().units().collect();
    let long = units.iter().max_by_key(|&&unit| PLAN.graph().range(unit).entries).unwrap();
    [units[0], units[units.len() / 3], *long].map(|unit| shards::shard(&PLAN, unit)).to_vec()
});

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(World::new());
}

fn call(method: u8, way: u8, bytes: &[u8]) -> Code {
    let input = [&[method, way], bytes].concat();
    WORLD.with_borrow_mut(|world| world.call(&input)).unwrap()
}

#[test]
fn sound_calls_pass_the_same_way() {
    assert!(SHARDS.iter().any(|shard| shard.len() > 1 << 17), "a shard has several frames");
    SHARDS.iter().for_each(|shard| shards::check(shard));
    for (method, name) in (0..).zip(METHODS) {
        let expected = match name {
            // Its unit is not done before its shard is submitted.
            "FetchShard" => Code::NotFound,
            "None" => Code::Unimplemented,
            _ => Code::Ok,
        };
        // No edits: a call without damage.
        assert_eq!(call(method, 2, &[]), expected, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_of_damaged_messages_are_answered(
        method in 0..METHODS.len() as u8,
        edits in prop::collection::vec((0..400_u16, any::<u8>()), 1..4),
    ) {
        let bytes: Vec<u8> = edits
            .iter()
            .flat_map(|(place, value)| [place.to_le_bytes()[0], place.to_le_bytes()[1], *value])
            .collect();
        call(method, 2, &bytes);
    }

    #[test]
    fn calls_of_made_up_bytes_are_answered(
        method in 0..METHODS.len() as u8,
        way in 0..WAYS,
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        call(method, way, &bytes);
    }

    #[test]
    fn damaged_shards_are_refused(
        which in any::<Index>(),
        damage in prop::collection::vec((any::<Index>(), 0..4_u8, any::<u8>()), 1..4),
        near in prop_oneof![Just(0_usize), Just(400), Just(usize::MAX)],
    ) {
        let mut bytes = SHARDS[which.index(SHARDS.len())].clone();
        for (place, kind, value) in damage {
            if bytes.is_empty() {
                break;
            }
            // Headers and seek tables are short, and need as much attention as the rest.
            let place = match near {
                0 => place.index(bytes.len()),
                400 => place.index(bytes.len().min(400)),
                _ => bytes.len() - 1 - place.index(bytes.len().min(64)),
            };
            match kind {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, value),
                2 => drop(bytes.remove(place)),
                _ => bytes[place] = value,
            }
        }
        shards::check(&bytes);
    }
}
