//! Messages and stubs shared by the coordinator and the workers of retrotab.
//!
//! They are generated from `retrotab.proto`, which documents them. The coordinator's stored
//! records are messages of the same file.
//!
//! Both ends of a connection also share what proves who they are: a [`token`], and certificates
//! and keys for [`tls`].

pub mod secret_file;
pub mod tls;
pub mod token;

/// Version 1 of the messages.
#[allow(missing_docs)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/retrotab.v1.rs"));
}

/// Version of the protocol that this program speaks. Raised whenever programs before and after
/// would misunderstand each other.
pub const PROTOCOL_VERSION: u32 = 1;

/// Most bytes of data in one message of a stream.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Description of the messages and services, for server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
