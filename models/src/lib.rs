//! Model checking of the engine's lock-free parts, by loom. Every interleaving of two threads is tried.
//!
//! The sources are the engine's own, compiled once more with loom's atomics in place of the machine's.

#[cfg(test)]
#[path = "../../src/transport/shm/protocol.rs"]
mod protocol;

#[cfg(test)]
#[path = "../../src/transport/shm/areas.rs"]
mod areas;
