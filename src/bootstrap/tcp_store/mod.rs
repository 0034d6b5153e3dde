//! The store over TCP: a server thread in one process, a client in each rank.
//!
//! Only connections that proved the job key are heard (see `gate`), and even those cannot make the
//! server hold more than `LIMITS` allow. A rank *joins*, sets and gets, and *leaves*; one that is
//! gone without leaving has died, and all others are told at once instead of waiting for it.
//!
//! A request is 16 bytes of header, key, value; a response 8 bytes of header, value. One request
//! is under way per connection. A get waits on the server's side until the key is set.

mod board;
mod client;
mod connection;
mod message;
mod server;
mod service;

pub(crate) use client::{Applicant, Client, Joined};
pub use server::Server;
pub(crate) use service::Service;

/// How many worlds a server sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worlds {
    /// It ends when all ranks have left.
    One,
    /// When all ranks have left it begins again, until it is dropped.
    Many,
}

/// What a store holds at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of one key.
    pub key_bytes: usize,
    /// Bytes of one value.
    pub value_bytes: usize,
    /// Bytes of all values together.
    pub total_bytes: usize,
    /// Number of keys.
    pub keys: usize,
}

/// Generous for a bootstrap: a record is below 4 KiB, and the table has one per rank.
pub(crate) const LIMITS: Limits =
    Limits { key_bytes: 256, value_bytes: 256 << 20, total_bytes: 512 << 20, keys: 1 << 21 };
