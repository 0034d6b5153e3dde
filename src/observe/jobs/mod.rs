//! The jobs of this user on this host, or on several, and which of their ranks keep the others waiting.
//!
//! Nothing is asked of the ranks. Their pages ([`super::status`]) are read out of `/proc`, so a job that
//! hangs, or a rank that is stopped, can be looked at as well. `processes` finds them, and `job` puts the
//! ranks of a job together and finds those that are late (`rank_report`). `anyccl status` and [`super::ras`]
//! say it.

#[cfg(test)]
pub(super) mod fixture;
mod job;
mod processes;
mod rank_report;

pub use job::{Communicator, Job, JobProcess, jobs_of};
pub use processes::{Process, all, all_by};
pub use rank_report::{RankReport, State};
