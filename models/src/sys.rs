//! The parts of the engine's room `sys` that models use, under the names by which its sources know them.

#[path = "../../src/sys/sync.rs"]
pub mod sync;
