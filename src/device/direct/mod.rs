//! What the driver gives for the direct path: kernels, and memory that other ranks and processes reach.
//!
//! - [`DeviceMemory`] is memory for the library itself, which other processes may map (`memory`).
//! - [`Kernels`] are the kernels of a device, loaded (`loaded`). They read tables of addresses.
//! - [`Mapped`] is an allocation of another process that this one has mapped (`mapped`), some by handles
//!   (`interprocess`).
//! - `ended` is what is to be freed and unmapped.
//! - [`waiting_kernels`] tells whether streams wait by a kernel (`stream_wait`).
//! - `moves` are copies on a device, and memory for them, in the order of a stream.

mod ended;
mod interprocess;
mod loaded;
mod mapped;
mod memory;
mod moves;
mod stream_wait;

pub(crate) use ended::{give_back_ended, when_quiet};
pub(crate) use interprocess::{IpcHandle, enable_peer};
pub(crate) use loaded::Kernels;
pub(crate) use mapped::{Allocation, Export, Mapped};
pub(crate) use memory::DeviceMemory;
pub(crate) use moves::{allocate_in, check_moves, copy_in, fill_in, free_in};
pub(crate) use stream_wait::waiting_kernels;
