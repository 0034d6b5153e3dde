//! Memory that peers read in place, and registration.
//!
//! This library moves host memory. It refuses memory of a GPU with a sentence, instead of reading it like
//! host memory ([`anyccl_engine::device`]).

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

/// ncclCommRegister. Nothing needs preparation: memory of ncclMemAlloc is read in place, registered or not,
/// and other memory cannot be. The handle is kept so that a wrong one can be refused.
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
    // NCCL gives NULL for memory that it has not registered, and takes it back here.
    if handle.is_null() || comm.registrations.lock().remove(handle.addr()) {
        return Ok(());
    }
    invalid("handle", format!("{handle:p}, which is not registered with this communicator"))
}
