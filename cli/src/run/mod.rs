//! placeholder
pub mod interrupt;
pub mod pool;
pub mod report;
