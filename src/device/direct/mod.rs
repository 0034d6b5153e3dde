//! The direct path: one rank, the *leader*, carries out a call for all ranks by one kernel, which reads and
//! writes the buffers of all of them.
//!
//! - [`Bounce`] is memory of a rank that the leader can address (`bounce`).
//! - [`Kernels`] are the kernels of a device, loaded (`loaded`). They read tables of addresses.
//! - [`Leases`] are the parts of such memory, which calls use one at a time (`leases`).
//! - [`Mapped`] is an allocation of another process that this one has mapped (`mapped`).
//! - [`DirectCall`] is the part of a call in the stream of one rank (`call`).
//!
//! Every wait in a stream is for a word that the CPU sets, as in the staged path. So no stream waits for
//! another one, in whatever order the device serves them.

mod bounce;
mod call;
mod leases;
mod loaded;
mod mapped;
mod moves;

pub(crate) use bounce::{Bounce, IpcHandle, SharedBounce, enable_peer};
pub(crate) use call::{
    DeviceCopy, DirectCall, DirectTail, HeldMemory, KernelLaunches, Launch, StreamCopies, Temporary,
};
pub(crate) use leases::{Lease, Leases};
pub(crate) use loaded::Kernels;
pub(crate) use mapped::{Allocation, Export, Mapped, has_unmapped_all, when_quiet};
pub(crate) use moves::check_moves;
