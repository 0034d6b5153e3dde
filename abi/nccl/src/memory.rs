//! Memory that peers read in place, and registration: ncclMemAlloc, ncclCommRegister and their counterparts.
//!
//! ncclMemAlloc gives host memory, and registration changes nothing, whatever the memory is.

use std::ffi::c_void;

use anyccl_edge::Out;
use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::Result;
use anyccl_engine::memory as shared;

use crate::communicator::Comm;
use crate::types::ncclComm_t;

/// ncclMemAlloc. A `size` of 0 gives NULL.
pub unsafe fn alloc(ptr: *mut *mut c_void, size: usize) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(ptr, "ptr") }?;
    place.set(if size == 0 { std::ptr::null_mut() } else { shared::allocate(size)?.cast() });
    Ok(())
}

/// ncclMemFree. Accepts NULL.
pub unsafe fn free(ptr: *mut c_void) -> Result<()> {
    if ptr.is_null() { Ok(()) } else { shared::free(ptr.cast()) }
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
