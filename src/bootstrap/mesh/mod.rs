//! Authenticated sockets between ranks.
//!
//! Each rank listens at a random abstract Unix name and at free TCP ports, and publishes these addresses
//! through the exchange. Of two ranks the higher one connects with the lower one. It decides which sockets
//! there are, by what both published, and says so when it connects.
//!
//! Few ranks connect at the start, each with all others, in one poll loop on the calling thread
//! (`assembly`). Then the listeners close: a running job has no open port. Many ranks connect on demand, by
//! a thread of each (`on_demand`), and listen as long as the communicator lives.
//!
//! A rank that ends meanwhile is noticed in three ways. Ranks connected with it see a hangup. Ranks that try
//! to connect find that nobody listens any more. The others ask the store now and then while they wait. A
//! rank that gives up reports the reason to the store and to the ranks that it has connected with.

mod assembly;
mod attempt;
pub(super) mod connect;
mod connected_ranks;
mod connections;
pub(super) mod exchange;
mod failure_reports;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod lanes;
mod on_demand;
mod outgoing;
pub(super) mod peer;
pub(super) mod record;

pub use connect::{Mesh, connect};
pub use connected_ranks::ConnectedRanks;
pub use connections::Unconnected;
pub use failure_reports::FailureReports;
pub use on_demand::OnDemand;
pub use peer::Peer;
pub use record::PeerInfo;
