//! Memory that peers read in place, and registration: ncclMemAlloc, ncclCommRegister and their counterparts.
//!
//! In a process with a GPU, ncclMemAlloc gives GPU memory that other processes can map, as NCCL does. In
//! others it gives host memory. Registration changes nothing, whatever the memory is.

use std::ffi::c_void;

use anyccl_edge::Out;
use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::device::Kinds;
use anyccl_engine::device::allocations::{self, DeviceMemory};
use anyccl_engine::memory as shared;

use crate::communicator::Comm;
use crate::types::ncclComm_t;

/// ncclMemAlloc. A `size` of 0 gives NULL.
pub unsafe fn alloc(ptr: *mut *mut c_void, size: usize) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(ptr, "ptr") }?;
    place.set(match size {
        0 => std::ptr::null_mut(),
        _ if Kinds::detect().devices() > 0 => std::ptr::with_exposed_provenance_mut(on_device(size)?),
        _ => shared::allocate(size)?.cast(),
    });
    Ok(())
}

/// Memory of the current device. A driver that cannot export memory gives plain one, as NCCL does.
fn on_device(size: usize) -> Result<usize> {
    allocations::allocate(DeviceMemory::Exportable, size).or_else(|error| match error {
        Error::Unsupported(_) => allocations::allocate(DeviceMemory::Plain, size),
        _ => Err(error),
    })
}

/// ncclMemFree. Accepts NULL.
pub unsafe fn free(ptr: *mut c_void) -> Result<()> {
    if ptr.is_null() || allocations::free(ptr.addr())? { Ok(()) } else { shared::free(ptr.cast()) }
}

/// ncclCommRegister. It prepares nothing: peers can map all memory of ncclMemAlloc, registered or not, and no
/// other memory. The handle is a number, noted so that ncclCommDeregister can refuse any other.
pub unsafe fn register(
    comm: ncclComm_t,
    buff: *mut c_void,
    _size: usize,
    handle: *mut *mut c_void,
) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(handle, "handle") }?;
    let comm = Comm::from_handle(comm)?;
    not_null(buff, "buff")?;
    place.set(std::ptr::without_provenance_mut(comm.registrations.lock().add()));
    Ok(())
}

/// ncclCommDeregister.
pub unsafe fn deregister(comm: ncclComm_t, handle: *mut c_void) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    // NCCL's ncclCommRegister gives the handle NULL if it registers nothing, so programs may pass NULL here.
    if handle.is_null() || comm.registrations.lock().remove(handle.addr()) {
        return Ok(());
    }
    invalid("handle", format!("{handle:p}, which is not registered with this communicator"))
}
