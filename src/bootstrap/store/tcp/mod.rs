//! The store over TCP: a server thread in one process, a client in each rank.
//!
//! The server reads requests only from connections that proved the job key (see `auth::gate`), and even those
//! cannot make it hold more than `LIMITS` allow. A rank *joins*, sets and gets, and *leaves*. A rank whose
//! connection ends without leaving has died; all others are told at once instead of waiting for it.
//!
//! A request has 16 bytes of header, key, value; a response 8 bytes of header, value. One request is under
//! way per connection. A get waits on the server's side until the key is set.

mod answers;
mod board;
pub(in crate::bootstrap) mod client;
mod connection;
#[cfg(any(test, feature = "fuzzing"))]
pub(in crate::bootstrap) mod foreign_bytes;
mod limits;
mod message;
mod reach;
pub(in crate::bootstrap) mod server;
pub(in crate::bootstrap) mod service;
