//! What is known of failures in a communicator.

use std::sync::atomic::AtomicBool;

use anyccl_engine::base::Rank;
use parking_lot::Mutex;

/// What is known of failures in a communicator.
#[derive(Default)]
pub struct Failures {
    /// Whether this rank has revoked it.
    pub is_revoked: AtomicBool,
    /// The processes that are lost.
    pub lost: Mutex<Lost>,
}

/// Lost processes.
#[derive(Default)]
pub struct Lost {
    /// Their ranks in the engine, in the order in which they became known.
    pub ranks: Vec<Rank>,
    /// How many of them the program has acknowledged.
    pub acknowledged: usize,
}
