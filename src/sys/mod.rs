//! The operating system, where unsafe is at home.

pub mod cores;
pub mod descriptor_passing;
pub mod memory_copy;
pub mod poll;
pub mod shared_memory;
pub mod socket;
pub mod wake;
