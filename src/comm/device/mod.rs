//! Calls with buffers in memory of a device, served by the builtin engine.
//!
//! A *staged* call runs on copies in host memory (`staged`), so every collective,
//! datatype, operator and transport works, and ranks with and without a GPU share a communicator. On the wire
//! the call is the same as one on host memory. A *direct* call is carried out by one rank for all (`direct`).
//!
//! 1. The caller's thread checks the call, chooses its path and reserves its memory (`reserve`), and enqueues
//!    everything on the stream (`reserved`). Calls of a `group` are all reserved before the first is
//!    enqueued.
//! 2. The call joins the `queue` of its communicator. A thread of the library starts the calls in their
//!    order, each when its stream has come to it, and releases the stream when the call has ended
//!    (`worker`).
//! 3. The request completes when the stream has passed the call (`completion`).
//!
//! A call on a capturing stream becomes part of a graph instead (`graph`).
//!
//! A call on host memory first waits until all earlier calls have been started, so that all ranks start the
//! calls of a communicator in the same order.
//!
//! With a stream ([`Communicator::set_stream`]), a blocking call returns when it is enqueued. Without one,
//! the library enqueues on a stream of its own, and a blocking call waits for its end.
//!
//! A call is *reserved* when its memory is set aside, *queued* in its stream, *running* in the engine,
//! *completed* when its result is there, and *retired* when its stream has passed it. `call` is what both
//! paths have in common. `part` is what a communicator owns for its calls, and [`Host`] is what they need of
//! it. `memory` tells what all this takes.

mod call;
mod call_queue;
mod call_streams;
mod completion;
mod direct;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod graph;
mod group;
mod host;
mod memory;
mod on_copies;
mod on_direct_path;
mod outcome_cell;
mod part;
mod path;
mod queue;
mod reserve;
mod reserved;
mod staged;
mod stream_call_state;
mod stream_order;
mod stream_tail;
mod touched;
mod worker;

pub(super) use completion::DeviceCompletion;
pub use completion::StreamedCall;
pub(super) use direct::set_up_direct_path;
pub use group::DeviceGroup;
pub(super) use host::{Host, Named, Started};
pub use memory::{DeviceMemoryLimits, DeviceMemoryUse};
pub(super) use part::DevicePart;
pub use path::DevicePath;
pub use reserve::enqueue_on;
pub(super) use reserve::{run, start, takes, touches};
