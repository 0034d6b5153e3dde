//! What the tests of the kernels stand on: memory of a pretended device, elements, and the engine's own
//! kernels as oracle.
#![allow(dead_code, reason = "each test uses a part")]

pub mod device;
pub mod oracle;
pub mod values;
