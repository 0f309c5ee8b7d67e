//! A coordinator on the network.

pub mod connect;
mod explain;

pub use connect::{Client, ConnectError, ConnectOptions, Credentials, TlsOptions, connect};
pub use explain::explain;
