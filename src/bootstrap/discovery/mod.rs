//! How a rank finds the store of its job, or serves it on rank 0.
//!
//! There is one file for each way.

mod by_beacon;
mod by_memory;
mod by_ports;
mod by_store_file;
mod by_tcp;
pub(super) mod by_unique_id;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
pub(super) mod id_exchange;
pub(super) mod id_server;
pub mod interface;
pub(super) mod job;
pub(super) mod launcher_services;
pub(super) mod listeners;
mod meeting;
pub(super) mod ports;
