//! Jobs beside their collectives: messages, requests, networks, memory, and what a long or idle job costs.
//!
//! How to run one module: the head of `tests/collectives/main.rs`. `shared_memory` forks, and `endurance`
//! and `idle` count, so they need a process each, or `--test-threads=1`.

#[path = "../common/mod.rs"]
mod common;

mod endurance;
mod idle;
mod many_ranks;
mod networks;
mod no_memory;
mod p2p;
mod shared_memory;
mod wait_some;
