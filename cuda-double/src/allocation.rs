//! `cuMemAlloc` and what belongs to it.
//!
//! `cuMemAlloc` and `cuMemFree` may synchronise the device; here they always do.

use std::sync::Arc;

use crate::address_space::{self, Kind, Range};
use crate::arena::ARENA;
use crate::argument::Out;
use crate::context::{self, Context};
use crate::counts::{self, Kind as Counted};
use crate::device;
use crate::entry::call;
use crate::ipc;
use crate::managed;
use crate::memory_file::{FREED, MemoryFile, PAGE};
use crate::status::{Result, Status, require};

/// Allocates memory and makes a range of it; `kind` says which.
pub fn create(context: &Context, size: u64, kind: impl FnOnce(Arc<MemoryFile>) -> Kind) -> Result<u64> {
    require(size > 0)?;
    let device = context.device;
    let bytes = size.checked_next_multiple_of(PAGE).ok_or(Status::OUT_OF_MEMORY)?;
    device.take(bytes)?;
    let create = || {
        let file = Arc::new(MemoryFile::create(size, device.physical, 0)?);
        let base = ARENA.take(bytes, PAGE, 0)?;
        ARENA.map(base, &file, 0, bytes).inspect_err(|_| ARENA.give_back(base, bytes))?;
        Ok((base, file))
    };
    let (base, file) = create().inspect_err(|_: &Status| device.release(bytes))?;
    counts::add(Counted::Allocations, 1);
    let (id, ordinal) = (address_space::fresh_id(), device.ordinal);
    address_space::insert(Range {
        base,
        size,
        kind: kind(file),
        id,
        context: context.handle,
        device: ordinal,
    });
    Ok(base)
}

/// Frees memory of [`create`]. Nothing may use it any more.
pub fn destroy(base: u64) -> Result {
    let is_ours = |range: &Range| matches!(range.kind, Kind::Allocated(_) | Kind::AllocatedAsync { .. });
    let range = address_space::remove(base, is_ours, |range| {
        ARENA.unmap(range.base, range.size.next_multiple_of(PAGE));
    })?;
    let (Kind::Allocated(file) | Kind::AllocatedAsync { file, .. }) = &range.kind else { return Ok(()) };
    ipc::check_free(file.descriptor());
    let filled = file.fill(FREED);
    ARENA.give_back(range.base, file.size);
    device::get(range.device)?.release(file.size);
    counts::add(Counted::Allocations, -1);
    filled
}

/// Frees what a context that ends still has.
pub fn free_all_of(context: usize) {
    for range in address_space::select(|range| range.context == context && !range.is_host()) {
        // Mappings and openings of other processes end by their own functions.
        let _ = destroy(range.base);
    }
}

/// `cuMemAlloc_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAlloc_v2(address: Out<u64>, size: usize) -> Status {
    call("cuMemAlloc", || {
        let context = context::current()?;
        require(!address.is_null())?;
        context.device.drain("cuMemAlloc");
        address.set(create(&context, size as u64, Kind::Allocated)?)
    })
}

/// `cuMemAllocPitch_v2`: rows of 512 bytes or a multiple.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocPitch_v2(
    address: Out<u64>,
    pitch: Out<usize>,
    width: usize,
    height: usize,
    element: u32,
) -> Status {
    call("cuMemAllocPitch", || {
        let context = context::current()?;
        require(!address.is_null() && !pitch.is_null() && matches!(element, 4 | 8 | 16))?;
        context.device.drain("cuMemAllocPitch");
        let row = width.next_multiple_of(512);
        let size = row.checked_mul(height).ok_or(Status::INVALID_VALUE)?;
        address.set(create(&context, size as u64, Kind::Allocated)?)?;
        pitch.set(row)
    })
}

/// `cuMemFree_v2`; NULL is nothing to free.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(address: u64) -> Status {
    call("cuMemFree", || {
        context::current()?;
        if address == 0 {
            return Ok(());
        }
        let range = address_space::find(address).ok_or(Status::INVALID_VALUE)?;
        let is_freed = matches!(range.kind, Kind::AllocatedAsync { is_freed: true, .. });
        require(range.base == address && !is_freed)?;
        device::get(range.device)?.drain_always("cuMemFree");
        if matches!(range.kind, Kind::Managed) { managed::free(address) } else { destroy(address) }
    })
}

/// `cuMemGetInfo_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> Status {
    call("cuMemGetInfo", || {
        let device = context::current_device()?;
        free.set(device.free() as usize)?;
        total.set(crate::settings::settings().memory as usize)
    })
}

/// `cuMemGetAddressRange_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemGetAddressRange_v2(base: Out<u64>, size: Out<usize>, address: u64) -> Status {
    call("cuMemGetAddressRange", || {
        context::current()?;
        let range = address_space::find(address).ok_or(Status::NOT_FOUND)?;
        base.set_if_asked(range.base);
        size.set_if_asked(range.size as usize);
        Ok(())
    })
}
