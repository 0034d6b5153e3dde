//! What the library says while it runs.

pub mod log;
pub mod trace;
