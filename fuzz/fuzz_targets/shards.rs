//! Shards, from bytes to values.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrotab_fuzz::shards::check;

fuzz_target!(|input: &[u8]| check(input));
