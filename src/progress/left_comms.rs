//! Communicators that this rank has left before others, kept so that late messages about them can be
//! compared.

use super::disagreement::History;
use crate::base::{Error, Rank};

/// A communicator that this rank has left before others.
pub(super) struct LeftComm {
    pub context: u32,
    pub name: String,
    pub rank: Rank,
    pub calls: History,
    /// Endpoint and rank of each rank that has not left yet.
    pub missing: Vec<(u32, Rank)>,
}

/// All communicators that this rank has left before others.
#[derive(Default)]
pub(super) struct LeftComms {
    pub comms: Vec<LeftComm>,
    /// A disagreement of the ranks in one of them.
    pub mismatch: Option<Error>,
}
