//! Memory in stream order: `cuMemAllocAsync` from the default pool, which cannot be exported.
//!
//! The address is there at once. The memory is usable once the stream has come to the allocation; an
//! operation of another stream that comes earlier is an illegal access.

use std::ffi::c_int;

use crate::address_space::{self, Kind};
use crate::allocation;
use crate::argument::Out;
use crate::capture::rules;
use crate::context;
use crate::device::{self, Ordinal};
use crate::entry::call;
use crate::memory_file::FRESH;
use crate::status::{Status, require};
use crate::stream::{both_defaults, of_call};

/// The first handle of the default pools; each device has one.
const DEFAULT_POOL: usize = 0x5cdf_0000_0000_0000;

fn pool_of(device: Ordinal) -> usize {
    DEFAULT_POOL + (device as usize + 1) * 0x40
}

both_defaults! {
    /// `cuMemAllocAsync`.
    cuMemAllocAsync, cuMemAllocAsync_ptsz, "cuMemAllocAsync",
    (address: Out<u64>, size: usize, stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        // CUDA has nodes for allocations; the double has not.
        rules::refuse(&stream)?;
        require(!address.is_null())?;
        let context = stream.context()?;
        let kind = |file| Kind::AllocatedAsync { file, is_ready: false, is_freed: false };
        let base = allocation::create(&context, size as u64, kind)?;
        stream.enqueue(move |_| address_space::change(base, |range| match &mut range.kind {
            Kind::AllocatedAsync { file, is_ready, .. } => {
                *is_ready = true;
                file.fill(FRESH)
            }
            _ => Ok(()),
        }));
        address.set(base)
    }
}

both_defaults! {
    /// `cuMemFreeAsync`.
    cuMemFreeAsync, cuMemFreeAsync_ptsz, "cuMemFreeAsync", (address: u64, stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        rules::refuse(&stream)?;
        if address == 0 {
            return Ok(());
        }
        let in_order = address_space::change(address, |range| match &mut range.kind {
            Kind::AllocatedAsync { is_freed, .. } if !*is_freed => {
                *is_freed = true;
                Ok(true)
            }
            Kind::Allocated(_) => Ok(true),
            _ => Err(Status::INVALID_VALUE),
        })?;
        if in_order {
            stream.enqueue(move |_| allocation::destroy(address));
        }
        Ok(())
    }
}

/// `cuDeviceGetDefaultMemPool`.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: Ordinal) -> Status {
    call("cuDeviceGetDefaultMemPool", || pool.set(pool_of(device::get(device)?.ordinal)))
}

/// `cuDeviceGetMemPool`: always the default one.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetMemPool(pool: Out<usize>, device: Ordinal) -> Status {
    call("cuDeviceGetMemPool", || pool.set(pool_of(device::get(device)?.ordinal)))
}

fn check_pool(pool: usize) -> crate::status::Result {
    let exists = (0..device::count() as Ordinal).any(|device| pool_of(device) == pool);
    require(exists)
}

/// `cuMemPoolTrimTo`: nothing is cached.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolTrimTo(pool: usize, _keep: usize) -> Status {
    call("cuMemPoolTrimTo", || check_pool(pool))
}

/// `cuMemPoolSetAttribute`: accepted, without effect.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolSetAttribute(pool: usize, attribute: c_int, value: usize) -> Status {
    call("cuMemPoolSetAttribute", || {
        check_pool(pool)?;
        require((1..=8).contains(&attribute) && value != 0)
    })
}

/// `cuMemPoolExportToShareableHandle`: the default pool has no handle type.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolExportToShareableHandle(
    _handle: usize,
    pool: usize,
    _kind: c_int,
    _flags: u64,
) -> Status {
    call("cuMemPoolExportToShareableHandle", || {
        check_pool(pool)?;
        Err(Status::INVALID_VALUE)
    })
}

/// `cuMemPoolCreate`: the double has default pools only.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemPoolCreate(_pool: Out<usize>, _properties: usize) -> Status {
    call("cuMemPoolCreate", || {
        context::current()?;
        Err(Status::NOT_SUPPORTED)
    })
}
