//! The operating system, where unsafe is at home.

pub mod memory_copy;
pub mod socket;
