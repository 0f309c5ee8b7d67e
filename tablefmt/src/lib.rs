//! What a retrotab table *is*.
//!
//! Per family: positions, notation and ranking (position <-> index). For all families: the
//! layout of values into columns, sections and frames; shards; data files; the manifest;
//! reading and verifying.

pub mod layout;
pub mod spec;
pub mod stack;
