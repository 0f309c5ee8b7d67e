//! What a retrotab table *is*.
//!
//! Per family: positions, notation and ranking (position <-> index). For all families: the
//! layout of values into columns, sections and frames; shards; data files; the manifest;
//! reading, looking up positions and verifying.

pub mod durable;
mod error;
#[cfg(feature = "handout")]
pub mod fetch;
pub mod frame;
pub mod hands;
mod hashing;
pub mod identity;
pub mod layout;
pub mod lookup;
pub mod manifest;
#[cfg(feature = "objects")]
pub mod objects;
#[cfg(feature = "handout")]
mod part;
#[cfg(feature = "handout")]
pub mod publish;
mod reader;
#[cfg(feature = "handout")]
pub mod remote;
mod seek;
pub mod shard;
pub mod source;
pub mod spec;
pub mod stack;
pub mod stats;
pub mod sticks;
mod verify;
mod writer;

pub use error::{InputError, TableError};
pub use reader::{ReadOptions, Table};
pub use verify::verify;
pub use writer::TableWriter;
