//! What stands between the network and the coordinator: who may call, over what kind of
//! connection, and how much at a time.
//!
//! [`exposure`] decides whether an address may be served with the options given. [`auth`] asks
//! every caller for the token, [`tls`] encrypts, [`limits`] bounds what a caller may use up,
//! [`http`] serves the HTTP port. [`requests`] and [`upload`] turn messages of the network into
//! values that can be relied on; they are pure, and fuzzed.

pub mod auth;
pub mod exposure;
pub mod http;
pub mod limits;
pub mod requests;
pub mod tls;
pub mod upload;
