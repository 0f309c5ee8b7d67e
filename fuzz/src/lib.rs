//! What is fuzzed: bytes from the network and bytes of shards must never do more than be
//! refused.

pub mod calls;
pub mod shards;
