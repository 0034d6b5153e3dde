//! Managed memory: `cuMemAllocManaged`. The host and all devices use it by one address, and the driver calls
//! it memory of a device.
//!
//! A GPU moves its pages between host and device. Here they stay in host memory.

use crate::address_space::{self, Kind, Range};
use crate::argument::Out;
use crate::context;
use crate::counts::{self, Kind as Counted};
use crate::entry::call;
use crate::pinned;
use crate::status::{Result, Status, require};

/// `cuMemAllocManaged`, for all streams (1) or at first for the host alone (2).
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocManaged(address: Out<u64>, size: usize, flags: u32) -> Status {
    call("cuMemAllocManaged", || {
        let context = context::current()?;
        require(!address.is_null() && size > 0 && matches!(flags, 1 | 2))?;
        context.device.drain("cuMemAllocManaged");
        let memory = pinned::map(size)?;
        pinned::add(memory, size as u64, Kind::Managed)?;
        counts::add(Counted::Allocations, 1);
        address.set(memory)
    })
}

/// Frees managed memory. Nothing may use it any more.
pub fn free(memory: u64) -> Result {
    pinned::unmap(memory, is_managed)?;
    counts::add(Counted::Allocations, -1);
    Ok(())
}

/// Frees what a context that ends still has.
pub fn free_all_of(context: usize) {
    for range in address_space::select(|range| range.context == context && is_managed(range)) {
        let _ = free(range.base);
    }
}

fn is_managed(range: &Range) -> bool {
    matches!(range.kind, Kind::Managed)
}
