//! Memory that peers read in place, and registration.
//!
//! This library moves host memory; that of a GPU is refused with a sentence before it would be read as if it
//! were ours ([`anyccl_engine::device`]).

use std::ffi::c_void;

use anyccl_edge::Out;
use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::Result;
use anyccl_engine::memory as shared;

use crate::communicator::Comm;
use crate::types::ncclComm_t;

/// ncclMemAlloc.
pub unsafe fn alloc(ptr: *mut *mut c_void, size: usize) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(ptr, "ptr") }?;
    place.set(if size == 0 { std::ptr::null_mut() } else { shared::allocate(size)?.cast() });
    Ok(())
}

/// ncclMemFree.
pub unsafe fn free(ptr: *mut c_void) -> Result<()> {
    if ptr.is_null() { Ok(()) } else { shared::free(ptr.cast()) }
}

/// ncclCommRegister. There is nothing to prepare: what is in memory of ncclMemAlloc is read in place,
/// registered or not, and other memory cannot be. The handle is kept so that a wrong one is found out.
pub unsafe fn register(
    comm: ncclComm_t,
    buff: *mut c_void,
    size: usize,
    handle: *mut *mut c_void,
) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(handle, "handle") }?;
    let comm = Comm::from_handle(comm)?;
    not_null(buff, "buff")?;
    comm.memory.check_host(buff.addr(), size, "buff")?;
    place.set(std::ptr::without_provenance_mut(comm.registrations.lock().add()));
    Ok(())
}

/// ncclCommDeregister.
pub unsafe fn deregister(comm: ncclComm_t, handle: *mut c_void) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    // As in NCCL, which gives NULL for what it has not registered.
    if handle.is_null() || comm.registrations.lock().remove(handle.addr()) {
        return Ok(());
    }
    invalid("handle", format!("{handle:p}, which is not registered with this communicator"))
}
