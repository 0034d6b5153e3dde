//! Calls on memory of a GPU, by the driver double: right bytes in the order of streams, errors, nothing left.
//!
//! How to run one module: the head of `tests/collectives/main.rs`. The double has one seed, one list of
//! faults and one count of objects per process, so these tests need a process each, or `--test-threads=1`.

#[path = "../common/mod.rs"]
mod common;

mod block_orders;
mod blocks;
mod calls;
mod captures;
mod direct;
mod exportable;
mod failures;
mod faults;
mod later;
mod launch_orders;
mod launches;
mod list_orders;
mod lists;
mod mapped;
mod messages;
mod mutations;
mod pageable;
mod persistent;
mod pieces;
mod pool;
mod seeds;
mod shared_memory;
