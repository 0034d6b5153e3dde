//! The operating system, where unsafe is at home.

pub mod at_exit;
pub mod connect;
pub mod cores;
pub mod cycles;
pub mod descriptor_passing;
pub mod foreign_library;
pub mod host;
pub mod inherited;
pub mod interfaces;
#[cfg(target_arch = "x86_64")]
pub mod line_store;
pub mod listener;
pub mod memory_copy;
pub mod mpi;
pub mod poll;
pub mod populate;
pub mod process_memory;
pub mod resolve;
pub mod shared_memory;
pub mod socket;
pub mod sparse_memory;
pub mod standard_error;
pub mod thread;
pub mod trusted_file;
pub mod wake;
