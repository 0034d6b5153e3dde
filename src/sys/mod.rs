//! The operating system: system calls and CPU instructions, the home of unsafe code.

pub mod at_exit;
pub mod clock;
pub mod connect;
pub mod cores;
pub mod cycles;
pub mod descriptor_passing;
pub mod foreign_library;
pub mod fork;
pub mod host;
pub mod inherited;
pub mod interfaces;
#[cfg(target_arch = "x86_64")]
pub mod line_store;
pub mod listener;
pub mod memory_copy;
pub mod mpi;
pub mod owned;
pub mod per_process;
pub mod poll;
pub mod populate;
pub mod port;
pub mod process;
pub mod process_memory;
pub mod resolve;
#[cfg(test)]
pub(crate) mod scheduler;
pub mod shared_memory;
pub mod shared_values;
pub mod shortage;
pub mod socket;
pub mod sparse_memory;
pub mod standard_error;
pub mod thread;
pub mod trusted_file;
pub mod wake;
pub mod zeroed;
