//! How much memory of its own the library takes for calls on memory of devices.

use super::direct::{BOUNCE_BYTES, COMMUNICATORS_IN_MORE, COMMUNICATORS_IN_ONE, bounce_bytes};
use crate::device::{PINNED_AT_FIRST, PINNED_FOR_LATER, pinned_bytes};

/// Limits of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemoryLimits {
    /// Bytes of a bounce buffer on a device.
    pub bounce_bytes: usize,
    /// Number of communicators for which one is enough.
    pub communicators_in_one: usize,
    /// Number of communicators for each further one.
    pub communicators_in_more: usize,
    /// Bytes of pinned memory at the first call.
    pub pinned_at_first: usize,
    /// Bytes up to which it grows because a call has found none. Calls while no other is queued get what
    /// they need.
    pub pinned_for_later: usize,
}

/// What this process has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemoryUse {
    /// Bytes of its bounce buffers, on all devices.
    pub bounce_bytes: usize,
    /// Bytes of its pinned memory.
    pub pinned_bytes: usize,
}

impl DeviceMemoryLimits {
    /// The limits of every process.
    pub const ALL: DeviceMemoryLimits = DeviceMemoryLimits {
        bounce_bytes: BOUNCE_BYTES,
        communicators_in_one: COMMUNICATORS_IN_ONE,
        communicators_in_more: COMMUNICATORS_IN_MORE,
        pinned_at_first: PINNED_AT_FIRST,
        pinned_for_later: PINNED_FOR_LATER,
    };
}

impl DeviceMemoryUse {
    /// What this process has taken now.
    pub fn now() -> DeviceMemoryUse {
        DeviceMemoryUse { bounce_bytes: bounce_bytes(), pinned_bytes: pinned_bytes() }
    }
}
