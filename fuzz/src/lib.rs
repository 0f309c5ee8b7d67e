//! What is fuzzed: bytes from the network, of shards and of tables must never do more than be
//! refused.

pub mod calls;
pub mod shards;
pub mod tables;
