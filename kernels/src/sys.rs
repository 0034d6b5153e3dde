//! What the kernels use of the engine's `sys`.

#[path = "../../src/sys/line_store.rs"]
pub mod line_store;
