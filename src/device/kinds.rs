//! Finds out whether an address belongs to the CPU's memory or a GPU's.
//!
//! Memory of a GPU can only come into a process through the CUDA driver. If the driver is not loaded, there
//! is nothing to ask. If it is, it is asked about each buffer. If it may come later, [`loaded`] looks for
//! it.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};

use super::driver::{CudaDriver, Ordinal};
use super::loaded::{self, DRIVER, PointerGetAttribute};
use crate::base::{Error, Result};
use crate::config::MemoryKind;

const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: c_int = 2;
const CU_POINTER_ATTRIBUTE_IS_MANAGED: c_int = 8;
const CU_MEMORYTYPE_DEVICE: c_uint = 2;

thread_local! {
    /// Whether all buffers of this thread's calls are host memory.
    static USES_HOST_MEMORY: Cell<bool> = const { Cell::new(false) };
}

/// A test of the kind of a buffer's memory. It is made with a communicator.
#[derive(Clone, Copy)]
pub struct Kinds {
    driver: Driver,
}

/// The driver, as it was found when the test was made.
#[derive(Clone, Copy)]
enum Driver {
    /// This machine has none.
    Missing,
    /// The program may load it later.
    MayCome,
    Loaded(PointerGetAttribute),
}

impl Kinds {
    /// Asks the loader whether the driver is loaded. It is loaded now if CUDA's runtime is there: the runtime
    /// loads it at its first call, which may come later. Nothing else is loaded.
    pub fn detect() -> Kinds {
        let driver = match loaded::detect() {
            Some(function) => Driver::Loaded(function),
            None if loaded::may_come() => Driver::MayCome,
            None => Driver::Missing,
        };
        Kinds { driver }
    }

    /// The driver's function, if the driver is loaded.
    #[inline]
    fn function(&self) -> Option<PointerGetAttribute> {
        match self.driver {
            Driver::Missing => None,
            Driver::MayCome => loaded::function_by_now(),
            Driver::Loaded(function) => Some(function),
        }
    }

    /// Whether this thread has a current context of the driver. Neither loads nor starts the driver.
    pub fn has_context(&self) -> bool {
        if !self.may_differ() {
            return false;
        }
        type GetCurrent = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
        let library = loaded::library(DRIVER);
        if library.is_null() {
            return false;
        }
        // SAFETY: an open library and a terminated name.
        let symbol = unsafe { libc::dlsym(library, c"cuCtxGetCurrent".as_ptr()) };
        // SAFETY: NULL becomes None, and the driver's function has this signature in every version.
        let Some(get) = (unsafe { std::mem::transmute::<*mut c_void, Option<GetCurrent>>(symbol) }) else {
            return false;
        };
        let mut context = std::ptr::null_mut();
        // SAFETY: writes one pointer. A driver that was not started says so.
        let answer = unsafe { get(&mut context) };
        answer == 0 && !context.is_null()
    }

    /// Number of devices, if the process has loaded the driver, which starts now. 0: none, or no driver.
    pub fn devices(&self) -> Ordinal {
        if !self.may_differ() {
            return 0;
        }
        CudaDriver::get().and_then(CudaDriver::device_count).unwrap_or(0)
    }

    /// Uses a test's own driver function.
    #[cfg(test)]
    pub(crate) fn by(driver: PointerGetAttribute) -> Kinds {
        Kinds { driver: Driver::Loaded(driver) }
    }

    /// Whether there may be more than one kind of memory.
    #[inline]
    pub fn may_differ(&self) -> bool {
        self.function().is_some()
    }

    /// Declares that this thread makes only calls whose buffers are known to be host memory. The driver is
    /// not asked about them again: if it fails by then, it cannot answer.
    pub(crate) fn trust_this_thread() {
        USES_HOST_MEMORY.set(true);
    }

    /// Whether this thread has called [`Kinds::trust_this_thread`].
    pub(crate) fn trusts_this_thread() -> bool {
        USES_HOST_MEMORY.get()
    }

    /// The kind of memory at an address. Memory that the CPU can read, too, counts as the CPU's.
    #[inline]
    pub fn of(&self, address: usize) -> MemoryKind {
        match self.function() {
            Some(ask) if !Kinds::trusts_this_thread() && is_device_only(ask, address) => MemoryKind::Cuda,
            _ => MemoryKind::Cpu,
        }
    }

    /// Whether the driver knows the memory at an address: that of devices, and pinned, registered and managed
    /// host memory. Streams may be about to read or write it. If the driver fails, it counts as known, so
    /// that the call fails by that error.
    pub fn is_known(&self, address: usize) -> bool {
        let Some(ask) = self.function() else { return false };
        let mut kind: c_uint = 0;
        // SAFETY: the attribute is written as an unsigned int; the address is only looked up.
        let answer = unsafe { ask((&raw mut kind).cast(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address as u64) };
        !ANSWERS_FOR_HOST.contains(&answer)
    }

    /// Refuses a buffer that the CPU cannot read. An empty buffer may have any address.
    #[inline]
    pub fn check_host(&self, address: usize, bytes: usize, what: &'static str) -> Result<()> {
        if bytes > 0 && self.of(address) == MemoryKind::Cuda { refuse(address, what) } else { Ok(()) }
    }
}

/// Answers of the driver for memory that it does not know, which is ordinary memory: invalid value, not
/// initialised, already deinitialised, and no context.
const ANSWERS_FOR_HOST: [c_int; 4] = [1, 3, 4, 201];

/// Whether only the device can read an address. After another error of the driver, nobody knows: the memory
/// counts as the device's, so that the call fails by that error instead of touching it.
#[cold]
fn is_device_only(ask: PointerGetAttribute, address: usize) -> bool {
    let mut kind: c_uint = 0;
    // SAFETY: the attribute is written as an unsigned int; the address is only looked up.
    let answer = unsafe { ask((&raw mut kind).cast(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address as u64) };
    if answer != 0 {
        return !ANSWERS_FOR_HOST.contains(&answer);
    }
    if kind != CU_MEMORYTYPE_DEVICE {
        return false;
    }
    // The attribute is documented as a bool. A larger variable is passed, so that its width does not matter.
    let mut managed: u64 = 0;
    // SAFETY: as above, large enough for the largest result.
    let answered =
        unsafe { ask((&raw mut managed).cast(), CU_POINTER_ATTRIBUTE_IS_MANAGED, address as u64) } == 0;
    !(answered && managed & 0xff != 0)
}

#[cold]
fn refuse(address: usize, what: &'static str) -> Result<()> {
    Err(Error::Unsupported(format!(
        "{what} at {address:#x} is memory of a GPU, and this call moves host memory: copy it to the host first, or let NCCL serve GPU \
         memory, which it can for collectives with one count and a builtin operator: ANYCCL_BACKEND=cuda:nccl"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver that knows one device allocation at 4096 and a managed one at 8192, and fails at 12288.
    unsafe extern "C" fn driver(place: *mut c_void, attribute: c_int, address: u64) -> c_int {
        let value: u32 = match (attribute, address) {
            (CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 4096 | 8192) => CU_MEMORYTYPE_DEVICE,
            (CU_POINTER_ATTRIBUTE_IS_MANAGED, 4096) => 0,
            (CU_POINTER_ATTRIBUTE_IS_MANAGED, 8192) => 1,
            // The device has failed.
            (_, 12288) => return 700,
            _ => return 1,
        };
        // SAFETY: both attributes have at least the size of an unsigned int.
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
        assert!(kinds.check_host(12288, 1, "send").is_err());
        assert!(Kinds { driver: Driver::Missing }.check_host(4096, 1, "send").is_ok());
        assert!(kinds.is_known(4096) && kinds.is_known(8192) && kinds.is_known(12288) && !kinds.is_known(77));
        assert!(!Kinds { driver: Driver::Missing }.is_known(4096));
    }
}
