//! What the driver gives for the direct path: kernels, and memory that other ranks and processes reach.
//!
//! - [`Bounce`] is memory of a rank that the leader can address (`bounce`).
//! - [`Kernels`] are the kernels of a device, loaded (`loaded`). They read tables of addresses.
//! - [`Mapped`] is an allocation of another process that this one has mapped (`mapped`).
//! - [`waiting_kernels`] tells whether streams wait by a kernel (`stream_wait`).
//! - `moves` are copies on a device, and memory for them, in the order of a stream.

mod bounce;
mod loaded;
mod mapped;
mod moves;
mod stream_wait;

pub(crate) use bounce::{Bounce, IpcHandle, SharedBounce, enable_peer};
pub(crate) use loaded::Kernels;
pub(crate) use mapped::{Allocation, Export, Mapped, has_unmapped_all, when_quiet};
pub(crate) use moves::{allocate_in, check_moves, copy_in, fill_in, free_in};
pub(crate) use stream_wait::waiting_kernels;
