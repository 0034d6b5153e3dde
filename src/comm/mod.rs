//! Communicators: the interface that the doors use.
//!
//! `call` is what a call is and how it is planned, `create` how communicators are made, `device` how calls
//! reach GPU memory, `foreign` the other engines. [`Communicator`] is the centre, with a part for each
//! of the last two; `leaving` ends it. `dispatch` decides where a call goes, and returns a [`Request`], a
//! [`Persistent`] or a [`Work`] to wait for. `builtin` is the way to the builtin engine, with `messages`,
//! `coalesced` (lists of buffers) and `prepared_unequal`.
//!
//! A [`Communicator`] is shared (`&self` everywhere, any thread). Buffers are raw pointers: the caller keeps
//! them valid until the call or its [`Request`] is complete.

mod builtin;
mod call;
mod coalesced;
mod communicator;
mod create;
mod device;
mod device_host;
mod dispatch;
mod engine_host;
mod estimate;
mod foreign;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign_bytes;
mod graph;
mod late;
mod leaving;
mod lingering;
mod messages;
mod persistent;
mod prepared_unequal;
mod ready;
mod request;
mod sar;
mod timeout;
mod wait_all;
mod work;

pub use crate::progress::wait::ProgressHook;
pub use crate::progress::{Agreement, Survivors};
pub use call::list::{List, Part};
pub use call::operation::Operation;
pub use call::operator::{Operator, Scalar};
pub use call::spec::CallSpec;
pub use call::unequal::{Places, Unequal};
pub use communicator::{CommConfig, Communicator};
pub use create::{is_world_of_parent, world, world_finalize, world_init, world_init_or_alone, world_now};
pub use device::{DeviceGroup, DeviceMemoryLimits, DeviceMemoryUse, DevicePath, StreamedCall, enqueue_on};
pub use estimate::{begin_estimate, end_estimate, estimates};
pub use graph::Graph;
pub use late::Late;
pub use messages::StartedReceive;
pub use persistent::Persistent;
pub use request::{Request, Watch};
pub use wait_all::{Pending, wait_all, wait_for_any, wait_for_watched, wait_until_one_engine};
pub use work::{Work, wait_some};

#[cfg(test)]
mod tests;
