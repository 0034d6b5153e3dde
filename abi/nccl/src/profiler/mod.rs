//! Profiler plugins of NCCL: a library that `NCCL_PROFILER_PLUGIN` names sees the calls of this one.
//!
//! The interface is NCCL's, in its versions 5 and 4 (`abi`, `plugin`). A call has the events that NCCL gives
//! it: in version 5 the call of the function within that of its group, and the operation within these; in
//! version 4 the operation within its group. All end when the call, or its outermost group, returns: on host
//! memory all is done then, and calls on GPU memory are in their streams. There are no channels, proxies and
//! kernels of NCCL here, and so no events of these.
//!
//! Without a plugin nothing is spent on this: who asks for it looks at a flag that is read anyway.

mod abi;
mod comm_profile;
mod events;
mod plugin;

pub use comm_profile::CommProfile;
pub use events::{CallEvents, GroupEvents};
pub use plugin::is_wanted;
