//! Bootstrap: finds the job that this process belongs to, and connects its ranks.
//!
//! 1. [`job_from_id`] or [`job_from_environment`] finds the [`Job`]: rank, size, secret key, store. It comes
//!    from an explicit unique id or a store of the caller's, else from the environment: `ANYCCL_*`, then the
//!    launchers of `job::launcher` in their order. Without either it is a world of one.
//! 2. [`mesh::connect()`] gathers one record per rank through the store. It connects every pair of ranks
//!    with authenticated sockets, or lets them connect on demand.
//!
//! The folders, each of which uses only those before it:
//!
//! | folder | contents |
//! | --- | --- |
//! | `job` | who is in the job: its key, a rank's seat, unique ids, the variables of launchers |
//! | `auth` | connections on which both sides prove the job key |
//! | `store` | the place where ranks leave values for each other, and the places that lead to it |
//! | `discovery` | how a rank finds its job's store, or serves it |
//! | `mesh` | sockets between ranks |
//!
//! Every connection, to a store or between ranks, proves the job key in both directions (`auth::proof`,
//! `auth::handshake`) before any further byte is interpreted. It comes in through an `auth::gate` that
//! strangers cannot clog. docs/security.md says what this protects from.

mod auth;
mod discovery;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
mod job;
pub mod mesh;
pub mod store;
#[cfg(test)]
mod tests;

pub use discovery::by_unique_id::job_from_id;
pub use discovery::id_exchange::{ExchangedId, LONGEST_EXCHANGE, exchange_id_by_file};
#[cfg(test)]
pub(crate) use discovery::id_server::hold as hold_id_servers;
pub use discovery::interface;
pub use discovery::job::{
    Job, job_from_address, job_from_caller, job_from_environment, job_from_environment_or_alone,
    size_in_environment, source_in_environment,
};
pub use discovery::launcher_services::{abort_job, leave_launcher, program_number, universe_size};
pub use job::key::JobKey;
pub use job::unique_id::{UNIQUE_ID_BYTES, UniqueId};
pub use mesh::{Mesh, Peer, PeerInfo};
pub use store::caller::CallerStore;
#[cfg(test)]
pub(crate) use store::pmi::session::{goodbye, hold as hold_session};
pub use store::{MemoryStore, Store};
