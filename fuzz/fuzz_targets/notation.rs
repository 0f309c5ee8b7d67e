//! Positions of every family, from text to entries.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrotab_fuzz::tables::notation;

fuzz_target!(|input: &[u8]| notation(input));
