//! Handing finished tables to others.

pub mod page;
