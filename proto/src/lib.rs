//! Messages shared by the coordinator and the workers of retrotab.
//!
//! They are generated from `retrotab.proto`, which documents them. The coordinator's stored
//! records are messages of the same file.

/// Version 1 of the messages.
#[allow(missing_docs)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/retrotab.v1.rs"));
}
