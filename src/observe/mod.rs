//! Observation of the running library: its log, and a trace of plans.

pub mod log;
pub mod trace;
