//! The kind of memory that an address is in.
//!
//! Memory of a GPU can only come into a process by the CUDA driver, so where that is not loaded there is
//! nothing to ask; where it is, it is asked about each buffer.

use std::ffi::{CStr, c_int, c_uint, c_void};

use crate::base::{Error, Result};
use crate::config::MemoryKind;

/// cuPointerGetAttribute of the driver.
type PointerGetAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: c_int = 2;
const CU_POINTER_ATTRIBUTE_IS_MANAGED: c_int = 8;
const CU_MEMORYTYPE_DEVICE: c_uint = 2;

/// The way to find the kind of a buffer. Made with a communicator: a program that uses the driver has loaded
/// it by then.
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

    /// By a driver of a test's own.
    #[cfg(test)]
    pub(crate) fn by(driver: PointerGetAttribute) -> Kinds {
        Kinds { driver: Some(driver) }
    }

    /// Whether there may be more than one.
    #[inline]
    pub fn may_differ(&self) -> bool {
        self.driver.is_some()
    }

    /// The kind of memory at an address. What the processor can read, too, is the processor's.
    #[inline]
    pub fn of(&self, address: usize) -> MemoryKind {
        match self.driver {
            Some(ask) if is_device_only(ask, address) => MemoryKind::Cuda,
            _ => MemoryKind::Cpu,
        }
    }

    /// Refuses a buffer that the processor cannot read. One of no bytes may be anything.
    #[inline]
    pub fn check_host(&self, address: usize, bytes: usize, what: &'static str) -> Result<()> {
        if bytes > 0 && self.of(address) == MemoryKind::Cuda { refuse(address, what) } else { Ok(()) }
    }
}

/// Memory that the driver does not know is ordinary memory: it answers with an error there.
#[cold]
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
        "{what} at {address:#x} is memory of a GPU, and this call moves host memory: copy it there first; or let NCCL serve GPU \
         memory, which it can for collectives with one count and a builtin operator: ANYCCL_BACKEND=cuda:nccl"
    )))
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
        let kinds = Kinds::by(driver);
        assert!(matches!(kinds.check_host(4096, 1, "send"), Err(Error::Unsupported(_))));
        assert!(kinds.check_host(4096, 0, "send").is_ok());
        assert!(kinds.check_host(8192, 1, "send").is_ok());
        assert!(kinds.check_host(77, 1, "send").is_ok());
        assert!(Kinds { driver: None }.check_host(4096, 1, "send").is_ok());
    }
}
