//! Data files with their seek tables and frames, from bytes to values.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrotab_fuzz::tables::data_file;

fuzz_target!(|input: &[u8]| data_file(input));
