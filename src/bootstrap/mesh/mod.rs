//! Authenticated sockets between every pair of ranks.

mod assembly;
mod attempt;
pub(super) mod connect;
mod connected_ranks;
pub(super) mod exchange;
mod failure_reports;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod outgoing;
pub(super) mod peer;
pub(super) mod record;

pub use connect::{Mesh, connect};
pub use connected_ranks::ConnectedRanks;
pub use failure_reports::FailureReports;
pub use peer::Peer;
pub use record::PeerInfo;
