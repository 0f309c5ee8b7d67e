//! Manifests, from bytes to what they claim.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrotab_fuzz::tables::manifest;

fuzz_target!(|input: &[u8]| manifest(input));
