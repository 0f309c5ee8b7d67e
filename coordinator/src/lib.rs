//! What decides and remembers.
//!
//! A [`plan`] turns a job into a graph of units. The [`scheduler`] says who computes which
//! unit; it is a pure state machine. A [`job`] drives it, keeps what must not be lost in a
//! work [`folder`] (its [`state`] and its [`shards`]), and a [`merge`](mod@merge) makes a
//! table of the finished shards. A [`handout`] gives finished tables to others over HTTP, among them those that
//! users have [published](publishing) here.

pub mod clock;
pub mod daemon;
pub mod error;
pub mod folder;
pub mod handout;
pub mod http;
pub mod ids;
pub mod job;
pub mod merge;
pub mod metrics;
pub mod net;
pub mod phase;
pub mod plan;
pub mod publishing;
pub mod scheduler;
pub mod serve;
pub mod service;
pub mod shards;
pub mod state;
pub mod view;

pub use error::CoordinatorError;
pub use job::{Job, JobOptions};
