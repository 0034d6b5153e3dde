//! Memory of CUDA devices: what it is, and how the library moves it.
//!
//! - [`Kinds`] distinguishes device memory from host memory.
//! - [`CudaDriver`] is the table of the driver's functions (`driver`); `handles` are its objects, and
//!   `context` is the one in which work is enqueued.
//! - `StagedCall` is a call on copies in pinned memory (`staged`). `ranges` lays out the copies in a
//!   block of the `pinned` pool; `stream_tail` is the tail of a call that is enqueued apart from its start.
//! - `few_queues` warns of ranks that may hold up each other.
//! - `call_streams` has the streams of a communicator's calls, and `events` what shows that a stream has
//!   passed a call.
//! - `direct` is the direct path: one rank carries out a call for all. `stream_call_state` is what is known
//!   of a call in a stream, with its block of pinned memory.
//! - [`Exportable`] is memory of a device that other processes can map. [`allocations`] is memory that the
//!   library allocates for the program.
//! - [`tools`] is what the `anyccl` tool asks of the driver.
//!
//! A process that has loaded neither the driver nor CUDA's runtime, and gives no device memory to a call,
//! never opens it.

pub mod allocations;
mod call_streams;
mod context;
pub(crate) mod direct;
mod driver;
mod events;
mod exportable;
mod few_queues;
mod handles;
pub mod kernels;
mod kinds;
mod loaded;
mod pinned;
mod ranges;
mod staged;
mod stream_call_state;
mod stream_tail;
pub mod tools;

pub use call_streams::CallStream;
pub(crate) use call_streams::CallStreams;
pub use context::Entered;
pub use driver::{CudaDriver, Ordinal, Uuid};
pub use events::{Events, StreamEvent};
pub use exportable::Exportable;
pub use handles::{CudaContext, CudaStream};
pub use kinds::Kinds;
pub(crate) use ranges::{Access, Touched};
pub(crate) use staged::StagedCall;
pub(crate) use stream_tail::StagedTail;
