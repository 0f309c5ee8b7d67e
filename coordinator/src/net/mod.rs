//! What stands between the network and the coordinator: who may call, over what kind of
//! connection, and how much at a time.
//!
//! [`exposure`] decides whether an address may be served with the options given. [`auth`] asks
//! every caller for the token, [`tls`] encrypts, [`limits`] bounds what a connection may use
//! up, [`http`] serves the HTTP port.

pub mod auth;
pub mod exposure;
pub mod http;
pub mod limits;
pub mod tls;
