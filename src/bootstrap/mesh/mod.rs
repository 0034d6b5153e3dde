//! Authenticated sockets between every pair of ranks.
//!
//! Each rank listens at a random abstract Unix name and at free TCP ports, and publishes these addresses
//! through the exchange. Then it connects to all lower ranks while it accepts all higher ones, in one poll
//! loop on the calling thread. Of two ranks the higher one decides which sockets there are, by what both
//! published, and says so when it connects. When all ranks are connected the listeners close: a running job
//! has no open port.
//!
//! A rank that ends meanwhile is noticed in three ways. Ranks connected with it see a hangup. Ranks that try
//! to connect find that nobody listens any more. The others ask the store now and then while they wait. A
//! rank that gives up reports the reason to the store and to the ranks that it has connected with.

mod assembly;
mod attempt;
pub(super) mod connect;
mod connected_ranks;
pub(super) mod exchange;
mod failure_reports;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod lanes;
mod outgoing;
pub(super) mod peer;
pub(super) mod record;

pub use connect::{Mesh, connect};
pub use connected_ranks::ConnectedRanks;
pub use failure_reports::FailureReports;
pub use peer::Peer;
pub use record::PeerInfo;
