//! What goes wrong is told: ranks that die, stop, leave, disagree or make different calls, stores that fail,
//! strangers. No rank hangs or has a wrong result, and nothing is left behind.
//!
//! How to run one module: the head of `tests/collectives/main.rs`. Several of these measure time, or count
//! descriptors and files, so they need a process each, or `--test-threads=1`.

#[path = "../common/mod.rs"]
mod common;

mod broken_store;
mod descriptors;
mod different_calls;
mod disagreements;
mod faults;
mod lateness;
mod random_kills;
mod reliability;
mod strangers;
mod survivors;
