//! The worker against a coordinator made for the purpose, with faults on the way. Whatever
//! happens, the shards must be those that a solver makes directly.

mod fake;
mod faults;
mod leaving;
mod proxy;
mod service;
mod small_job;
mod working;
