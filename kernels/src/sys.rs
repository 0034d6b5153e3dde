//! The part of the engine's `sys` that the kernels use.

#[path = "../../src/sys/line_store.rs"]
pub mod line_store;
