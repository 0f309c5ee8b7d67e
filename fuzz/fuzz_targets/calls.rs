//! Calls over gRPC, from bytes to the answer.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use retrotab_fuzz::calls::World;

thread_local! {
    static WORLD: RefCell<World> = RefCell::new(World::new());
}

fuzz_target!(|input: &[u8]| {
    WORLD.with_borrow_mut(|world| world.call(input));
});
