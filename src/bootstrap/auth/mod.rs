//! Connections on which both sides prove that they know the job key, before anything else is read.

pub(super) mod absence;
pub(super) mod dial;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
pub(super) mod gate;
pub(super) mod handshake;
pub(super) mod hello;
pub(super) mod proof;
