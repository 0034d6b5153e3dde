//! Observation of the running library: its log, what its ranks do now, and a trace of plans.

pub mod log;
pub mod status;
pub mod trace;
