//! Bootstrap: finds the job that this process belongs to, and connects its ranks.
//!
//! 1. [`job_from_id`] or [`job_from_environment`] finds the [`Job`]: rank, size, secret key, store. It comes
//!    from an explicit unique id or a store of the caller's, else from the environment. `environment` reads
//!    `ANYCCL_*`, then the launchers of `launcher` in their order; without either it is a world of one.
//!    `discovery` has the ways by which ranks that know their seats find rank 0's store.
//! 2. `exchange` gathers one record per rank through the store.
//! 3. [`mesh`] connects every pair of ranks with authenticated sockets.
//!
//! Every connection, to a store or between ranks, proves the job key in both directions (`auth`, `handshake`)
//! before any further byte is interpreted. It comes in through a `gate` that strangers cannot clog.
//! docs/security.md says what this protects from.

mod absence;
mod address;
mod auth;
mod backoff;
mod beacon;
mod caller_store;
mod dial;
mod discovery;
mod environment;
mod exchange;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
mod gate;
mod handshake;
mod hello;
mod host_list;
mod id_exchange;
mod id_server;
pub mod interface;
mod job;
mod key;
mod launcher;
mod listeners;
mod memory_store;
pub mod mesh;
mod missing;
mod pmi;
mod ports;
mod private_folder;
mod reach;
mod record;
mod seat;
mod served_store;
mod store;
mod store_address;
mod store_file;
pub mod tcp_store;
mod unique_id;
mod variable;
mod waiting;
mod wire;

#[cfg(test)]
pub(crate) use {
    id_server::hold as hold_id_servers,
    pmi::{goodbye, hold as hold_session},
};

#[cfg(test)]
mod tests;

pub use caller_store::{CallerStore, job_from_caller};
pub use id_exchange::{ExchangedId, LONGEST_EXCHANGE, exchange_id_by_file};
pub use job::{
    Job, job_from_address, job_from_environment, job_from_environment_or_alone, source_in_environment,
};
pub use key::JobKey;
pub use memory_store::MemoryStore;
pub use mesh::{Mesh, Peer};
pub use record::PeerInfo;
pub use store::Store;
pub use unique_id::{UNIQUE_ID_BYTES, UniqueId, job_from_id};

/// Asks the launcher to end the job with this exit code. `false`: the launcher takes no such request, and
/// looks at the exit codes of the processes instead.
pub fn abort_job(code: u8) -> bool {
    pmi::abort(code)
}

/// The number of this rank's program among those that were started as one job. `None`: the launcher does not
/// say.
pub fn program_number() -> Option<u32> {
    let set = ["ANYCCL_APPNUM", "OMPI_COMM_WORLD_APP_CTX", "PMI_APPNUM"].into_iter().find_map(number_in);
    set.or_else(|| pmi::number("cmd=get_appnum", "appnum", "appnum")?.try_into().ok())
}

/// How many ranks the launcher has room for. `None`: it does not say.
pub fn universe_size() -> Option<u32> {
    let set = ["OMPI_UNIVERSE_SIZE", "PMI_UNIVERSE_SIZE"].into_iter().find_map(number_in);
    set.or_else(|| pmi::number("cmd=get_universe_size", "universe_size", "size")?.try_into().ok())
}

fn number_in(variable: &str) -> Option<u32> {
    crate::config::raw(variable)?.parse().ok()
}

/// Says goodbye to the launcher when the world ends, if the launcher expects it.
pub fn leave_launcher() {
    pmi::leave();
}
