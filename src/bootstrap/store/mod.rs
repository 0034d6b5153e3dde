//! The store: how the ranks of a job meet.
//!
//! All ranks read and write one [`Store`]. Rank 0 or the launcher serves it over TCP (`tcp`); ranks that are
//! threads of one process share a [`MemoryStore`]. A file, a process manager (`pmi`, `pmix`) or a store of
//! the caller only leads to the store.

pub(super) mod beacon;
pub(super) mod caller;
pub(super) mod file;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
pub(super) mod key_value;
pub(super) mod known_place;
pub(super) mod lookup;
pub(super) mod memory;
pub(super) mod missing;
pub(super) mod pmi;
pub(super) mod pmix;
pub(super) mod serve;
pub(super) mod tcp;
mod timed_socket;
pub(super) mod waiting;

pub use key_value::Store;
pub use memory::MemoryStore;
pub use tcp::server::Server;
