//! Host memory that devices can use: `cuMemHostAlloc`, `cuMemHostRegister`.
//!
//! Both may synchronise the device; here they always do, and so do their counterparts. Host pointer and
//! device pointer are the same number.

use std::ptr;

use crate::address_space::{self, Kind, Range};
use crate::argument::Out;
use crate::context;
use crate::counts::{self, Kind as Counted};
use crate::device::{self, Device};
use crate::entry::call;
use crate::memory_file::{FRESH, PAGE};
use crate::status::{Result, Status, require};

/// Adds a range of the current context.
pub fn add(base: u64, size: u64, kind: Kind) -> Result {
    let context = context::current()?;
    let (id, device) = (address_space::fresh_id(), context.device.ordinal);
    address_space::insert(Range { base, size, kind, id, context: context.handle, device });
    Ok(())
}

/// Pinned memory is known to all devices, so all are drained.
fn drain_all(drain: impl Fn(&Device)) {
    (0..device::count() as i32).flat_map(device::get).for_each(|device| drain(device));
}

/// Memory of the host at a new address, with bytes that nobody wrote.
pub fn map(bytes: usize) -> Result<u64> {
    let length = bytes.next_multiple_of(PAGE as usize);
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping; the kernel picks the addresses.
    let memory = unsafe { libc::mmap(ptr::null_mut(), length, access, kind, -1, 0) };
    if memory == libc::MAP_FAILED {
        return Err(Status::OUT_OF_MEMORY);
    }
    // SAFETY: the mapping has so many bytes.
    unsafe { ptr::write_bytes(memory.cast::<u8>(), FRESH, length) };
    Ok(memory as u64)
}

/// Removes a range of memory of [`map`], and unmaps it. `fits` says whether it is one.
pub fn unmap(memory: u64, fits: impl Fn(&Range) -> bool) -> Result {
    address_space::remove(memory, fits, |range| {
        let length = range.size.next_multiple_of(PAGE) as usize;
        // SAFETY: the mapping is ours, as the range says, and no stream reads it under this lock.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(memory as usize), length) };
    })
    .map(drop)
}

fn allocate(name: &str, place: Out<u64>, bytes: usize, flags: u32) -> Result {
    context::current()?;
    require(!place.is_null() && bytes > 0 && flags <= 7)?;
    drain_all(|device| device.drain(name));
    let memory = map(bytes)?;
    add(memory, bytes as u64, Kind::Pinned(flags))?;
    counts::add(Counted::Pinned, 1);
    place.set(memory)
}

/// `cuMemHostAlloc`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostAlloc(memory: Out<u64>, bytes: usize, flags: u32) -> Status {
    call("cuMemHostAlloc", || allocate("cuMemHostAlloc", memory, bytes, flags))
}

/// `cuMemAllocHost_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAllocHost_v2(memory: Out<u64>, bytes: usize) -> Status {
    call("cuMemAllocHost", || allocate("cuMemAllocHost", memory, bytes, 0))
}

/// `cuMemFreeHost`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeHost(memory: u64) -> Status {
    call("cuMemFreeHost", || {
        context::current()?;
        require(address_space::find(memory).is_some_and(|range| is_pinned(&range) && range.base == memory))?;
        drain_all(|device| device.drain_always("cuMemFreeHost"));
        free(memory)
    })
}

fn is_pinned(range: &Range) -> bool {
    matches!(range.kind, Kind::Pinned(_))
}

fn is_registered(range: &Range) -> bool {
    matches!(range.kind, Kind::Registered(_))
}

fn free(memory: u64) -> Result {
    unmap(memory, is_pinned)?;
    counts::add(Counted::Pinned, -1);
    Ok(())
}

fn unregister(memory: u64) -> Result {
    address_space::remove(memory, is_registered, |_| {})?;
    counts::add(Counted::Registrations, -1);
    Ok(())
}

/// Frees and unregisters what a context that ends still has.
pub fn free_all_of(context: usize) {
    for range in
        address_space::select(|range| range.context == context && (is_pinned(range) || is_registered(range)))
    {
        let _ = if is_pinned(&range) { free(range.base) } else { unregister(range.base) };
    }
}

/// `cuMemHostRegister_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostRegister_v2(memory: u64, bytes: usize, flags: u32) -> Status {
    call("cuMemHostRegister", || {
        context::current()?;
        require(memory != 0 && bytes > 0 && flags <= 15)?;
        // Memory for devices of others (4) and memory that is only read (8) need hardware.
        if flags & 12 != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        // Whole pages are pinned, so two registrations cannot share one.
        let first = memory / PAGE * PAGE;
        let end = (memory + bytes as u64).next_multiple_of(PAGE);
        if is_host_memory_in(first, end - first) {
            return Err(Status::HOST_MEMORY_ALREADY_REGISTERED);
        }
        require(is_mapped(memory, bytes))?;
        drain_all(|device| device.drain("cuMemHostRegister"));
        add(memory, bytes as u64, Kind::Registered(flags))?;
        counts::add(Counted::Registrations, 1);
        Ok(())
    })
}

/// Whether a page from `first` on holds memory that is pinned or registered already.
fn is_host_memory_in(first: u64, bytes: u64) -> bool {
    let touches = |range: &Range| range.base < first + bytes && range.end().next_multiple_of(PAGE) > first;
    !address_space::select(|range| range.is_host() && touches(range)).is_empty()
}

/// Whether memory is mapped there at all.
fn is_mapped(memory: u64, bytes: usize) -> bool {
    let first = memory / PAGE * PAGE;
    let pages = (memory + bytes as u64).div_ceil(PAGE) - first / PAGE;
    let mut resident = vec![0; pages as usize];
    let first = ptr::with_exposed_provenance_mut(first as usize);
    // SAFETY: the kernel writes a byte per page; memory that is not mapped is an error.
    unsafe { libc::mincore(first, (pages * PAGE) as usize, resident.as_mut_ptr()) == 0 }
}

/// `cuMemHostUnregister`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostUnregister(memory: u64) -> Status {
    call("cuMemHostUnregister", || {
        context::current()?;
        let found = address_space::find(memory);
        if !found.is_some_and(|range| is_registered(&range) && range.base == memory) {
            return Err(Status::HOST_MEMORY_NOT_REGISTERED);
        }
        drain_all(|device| device.drain_always("cuMemHostUnregister"));
        unregister(memory)
    })
}

/// `cuMemHostGetDevicePointer_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostGetDevicePointer_v2(device: Out<u64>, memory: u64, flags: u32) -> Status {
    call("cuMemHostGetDevicePointer", || {
        context::current()?;
        require(
            flags == 0
                && address_space::find(memory)
                    .is_some_and(|range| is_pinned(&range) || is_registered(&range)),
        )?;
        device.set(memory)
    })
}

/// `cuMemHostGetFlags`; of memory from `cuMemHostAlloc` only.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemHostGetFlags(flags: Out<u32>, memory: u64) -> Status {
    call("cuMemHostGetFlags", || {
        context::current()?;
        match address_space::find(memory).map(|range| range.kind) {
            // With unified addresses all pinned memory is mapped and portable.
            Some(Kind::Pinned(given)) => flags.set(given | 3),
            _ => Err(Status::INVALID_VALUE),
        }
    })
}
