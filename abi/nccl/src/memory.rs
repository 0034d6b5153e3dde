//! Memory: which kind a buffer is, memory that peers read in place, and registration.
//!
//! This library moves host memory. Memory of a GPU can only come into a process by the CUDA driver, so where that is
//! not loaded there is nothing to ask; where it is, it is asked, and device memory is refused with a sentence before it
//! would be read as if it were ours.

use std::ffi::{CStr, c_int, c_uint, c_void};

use anyccl_edge::Out;
use anyccl_edge::check::{invalid, not_null};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::memory as shared;

use crate::communicator::Comm;
use crate::types::ncclComm_t;

/// cuPointerGetAttribute of the driver.
type PointerGetAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: c_int = 2;
const CU_POINTER_ATTRIBUTE_IS_MANAGED: c_int = 8;
const CU_MEMORYTYPE_DEVICE: c_uint = 2;

/// How to find out about a buffer. Made with a communicator: a program that uses the driver has loaded it by then.
#[derive(Clone, Copy)]
pub struct Kinds {
    driver: Option<PointerGetAttribute>,
}

impl Kinds {
    /// Asks the loader, not the driver: nothing is loaded that is not there.
    pub fn detect() -> Kinds {
        const DRIVER: &CStr = c"libcuda.so.1";
        // SAFETY: a terminated name; NOLOAD only looks it up.
        let library = unsafe { libc::dlopen(DRIVER.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if library.is_null() {
            return Kinds { driver: None };
        }
        // SAFETY: an open library and a terminated name. It stays open: the driver is never unloaded.
        let symbol = unsafe { libc::dlsym(library, c"cuPointerGetAttribute".as_ptr()) };
        // SAFETY: NULL becomes None, and the driver's function has this signature in every version.
        Kinds { driver: unsafe { std::mem::transmute::<*mut c_void, Option<PointerGetAttribute>>(symbol) } }
    }

    /// Refuses a buffer that the processor cannot read. One of no bytes may be anything.
    #[inline]
    pub fn check(&self, address: usize, bytes: usize, what: &'static str) -> Result<()> {
        match self.driver {
            None => Ok(()),
            Some(ask) if bytes > 0 && is_device_only(ask, address) => refuse(address, what),
            Some(_) => Ok(()),
        }
    }
}

/// Memory that the driver does not know is ordinary memory: it answers with an error there.
fn is_device_only(ask: PointerGetAttribute, address: usize) -> bool {
    let mut kind: c_uint = 0;
    // SAFETY: the attribute is written as an unsigned int; the address is only looked up.
    let known = unsafe { ask((&raw mut kind).cast(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address as u64) } == 0;
    if !known || kind != CU_MEMORYTYPE_DEVICE {
        return false;
    }
    // A bool on paper; room for more, so that nobody's idea of its width matters.
    let mut managed: u64 = 0;
    // SAFETY: as above, with room for the largest answer.
    let answered =
        unsafe { ask((&raw mut managed).cast(), CU_POINTER_ATTRIBUTE_IS_MANAGED, address as u64) } == 0;
    !(answered && managed & 0xff != 0)
}

#[cold]
fn refuse(address: usize, what: &'static str) -> Result<()> {
    Err(Error::Unsupported(format!(
        "{what} at {address:#x} is memory of a GPU; this library moves host memory: copy it, or use NCCL itself"
    )))
}

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

/// ncclCommRegister. There is nothing to prepare: what is in memory of ncclMemAlloc is read in place, registered or
/// not, and other memory cannot be. The handle is kept so that a wrong one is found out.
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
    comm.memory.check(buff.addr(), size, "buff")?;
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

/// The registrations of one communicator.
#[derive(Default)]
pub struct Registrations {
    given: usize,
    live: std::collections::HashSet<usize>,
}

impl Registrations {
    fn add(&mut self) -> usize {
        self.given += 1;
        self.live.insert(self.given);
        self.given
    }

    fn remove(&mut self, handle: usize) -> bool {
        self.live.remove(&handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver that knows one device allocation at 4096 and a managed one at 8192.
    unsafe extern "C" fn driver(place: *mut c_void, attribute: c_int, address: u64) -> c_int {
        let value: u32 = match (attribute, address) {
            (CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 4096 | 8192) => CU_MEMORYTYPE_DEVICE,
            (CU_POINTER_ATTRIBUTE_IS_MANAGED, 4096) => 0,
            (CU_POINTER_ATTRIBUTE_IS_MANAGED, 8192) => 1,
            _ => return 1,
        };
        // SAFETY: both attributes are given room for an unsigned int at least.
        unsafe { place.cast::<u32>().write(value) };
        0
    }

    #[test]
    fn device_memory_is_refused_and_managed_and_unknown_memory_is_not() {
        let kinds = Kinds { driver: Some(driver) };
        assert!(matches!(kinds.check(4096, 1, "sendbuff"), Err(Error::Unsupported(_))));
        assert!(kinds.check(4096, 0, "sendbuff").is_ok());
        assert!(kinds.check(8192, 1, "sendbuff").is_ok());
        assert!(kinds.check(77, 1, "sendbuff").is_ok());
        assert!(Kinds { driver: None }.check(4096, 1, "sendbuff").is_ok());
    }

    #[test]
    fn a_registration_is_given_back_once() {
        let mut registrations = Registrations::default();
        let (first, second) = (registrations.add(), registrations.add());
        assert!(first != 0 && first != second);
        assert!(registrations.remove(first) && !registrations.remove(first));
        assert!(registrations.remove(second));
    }
}
