//! Memory of CUDA devices: what it is, and how the library moves it.
//!
//! - [`Kinds`] distinguishes device memory from host memory.
//! - [`CudaDriver`] is the table of the driver's functions (`driver`); `handles` are its objects, and
//!   `context` is the one in which work is enqueued. `context_key` tells whether it is still there.
//! - `pinned` is the pool of pinned memory. `few_queues` warns of ranks that may hold up each other.
//! - `events` show that a stream has passed a call. `graphs` is what the library adds to graphs.
//! - `direct` is what one rank needs to carry out calls for all.
//! - [`Exportable`] is memory of a device that other processes can map. [`allocations`] is memory that the
//!   library allocates for the program.
//! - [`tools`] is what the `anyccl` tool asks of the driver.
//!
//! A process that has loaded neither the driver nor CUDA's runtime, and gives no device memory to a call,
//! never opens it.

pub mod allocations;
mod context;
mod context_key;
pub(crate) mod direct;
mod driver;
mod events;
mod exportable;
mod few_queues;
mod graphs;
mod handles;
pub mod kernels;
mod kinds;
mod loaded;
mod pinned;
pub mod tools;

pub use context::Entered;
pub use context_key::ContextKey;
pub use driver::{CudaDriver, Ordinal, Uuid};
pub use events::{Events, StreamEvent};
pub use exportable::Exportable;
pub(crate) use graphs::{Capture, drop_given_back};
pub use handles::{CudaContext, CudaStream};
pub use kinds::Kinds;
pub(crate) use pinned::{
    Block as PinnedBlock, PINNED_AT_FIRST, PINNED_FOR_LATER, PoolUser, Queued, note_launch,
    note_launch_ended, pinned_bytes,
};
