//! The jobs of this user on this host, or on several, and which of their ranks keep the others waiting.
//!
//! Nothing is asked of the ranks. Their pages ([`super::status`]) are read out of `/proc`, so a job that
//! hangs, or a rank that is stopped, can be looked at as well. `processes` finds them, and `job` puts those
//! of a job together. In each `communicator` the ranks (`part`) that are late are found (`rank_report`), and
//! links that have fallen silent (`silent_link`). `anyccl status` and [`super::ras`] say it.

mod communicator;
#[cfg(test)]
pub(super) mod fixture;
mod job;
mod part;
mod processes;
mod rank_report;
mod silent_link;

pub use communicator::Communicator;
pub use job::{Job, JobProcess, jobs_of};
pub use processes::{Process, all, all_by};
pub use rank_report::{RankReport, State};
pub use silent_link::SilentLink;
