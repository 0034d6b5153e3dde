//! Model checking, by loom, of the engine's lock-free parts and of the handle table. Loom tries every
//! interleaving of two or three threads. The models of sleepers allow at most three preemptions.
//!
//! The sources are those of the engine and of `anyccl-edge`. This crate compiles them again, with loom's
//! atomics in place of the machine's.

#[cfg(test)]
#[path = "../../src/transport/shm/protocol.rs"]
mod protocol;

#[cfg(test)]
#[path = "../../src/transport/shm/pool.rs"]
mod pool;

#[cfg(test)]
#[path = "../../abi/edge/src/sync.rs"]
mod sync;

#[cfg(test)]
#[path = "../../abi/edge/src/slot.rs"]
mod slot;

#[cfg(test)]
#[path = "../../abi/edge/src/handle_table/mod.rs"]
mod handle_table;

#[cfg(test)]
#[path = "../../src/progress/sleepers.rs"]
mod sleepers;

#[cfg(test)]
mod sys;

#[cfg(test)]
#[path = "../../src/progress/wait/abort_requests.rs"]
mod abort_requests;

#[cfg(test)]
#[path = "../../src/observe/log/sink.rs"]
mod sink;

#[cfg(test)]
#[path = "../../src/comm/device/outcome_cell.rs"]
mod outcome_cell;

#[cfg(test)]
#[path = "../../src/comm/device/call_queue.rs"]
mod call_queue;

#[cfg(test)]
#[path = "../../src/comm/device/direct/ipc_cache/use_word.rs"]
mod use_word;
