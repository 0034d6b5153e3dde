//! Observation of the running library: its log, what its ranks do now and who is late, and what they have
//! done, in counts (metrics and profiles), in time lines, and as a trace of plans.

pub mod counts;
pub mod jobs;
mod json;
pub mod log;
pub mod metrics;
pub mod profile;
pub mod ras;
pub mod status;
pub mod timeline;
pub mod trace;
