//! Model checking of the lock-free parts of the engine and of the table of handles, by loom. Every
//! interleaving of two or three threads is tried.
//!
//! The sources are those of the engine and of `anyccl-edge`, compiled once more with loom's atomics in place
//! of the machine's.

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
#[path = "../../src/progress/wait/sleepers.rs"]
mod sleepers;
