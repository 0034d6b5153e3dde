//! Whether the program has loaded the CUDA driver.
//!
//! It may load the driver after it has made a communicator: a CUDA runtime that is linked in, as nvcc does,
//! loads the driver at its first call, and Python loads it with a package. So calls look for it from time
//! to time, but only on a machine that has a driver. The driver takes much longer to start than the time
//! between two looks.

use std::env;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::log_line;
use crate::sys::cycles;

/// Type of the driver's cuPointerGetAttribute.
pub(super) type PointerGetAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

pub(super) const DRIVER: &CStr = c"libcuda.so.1";
/// The runtimes as shared libraries.
const RUNTIMES: [&CStr; 3] = [c"libcudart.so.13", c"libcudart.so.12", c"libcudart.so.11.0"];

/// What a machine with a driver has: the control device on Linux, on Windows' Linux, and on Jetson.
const DEVICES: [&str; 3] = ["/dev/nvidiactl", "/dev/dxg", "/dev/nvgpu"];

/// Cycles of the time stamp counter between two looks: less than a millisecond.
const BETWEEN_LOOKS: u64 = 1 << 21;

/// The driver's function, once a look has found it.
static FOUND: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
/// The time of the next look.
static NEXT_LOOK: AtomicU64 = AtomicU64::new(0);
/// The number of libraries that the process had ever loaded at the last look.
static LIBRARIES: AtomicU64 = AtomicU64::new(0);

/// A library that is loaded, or NULL.
pub(super) fn library(name: &CStr) -> *mut c_void {
    // SAFETY: a terminated name; NOLOAD only looks it up.
    unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) }
}

/// Loads the driver if CUDA's runtime is loaded as a shared library: the runtime loads it at its first call,
/// which may come later.
fn load_for_runtime() {
    if library(DRIVER).is_null() && RUNTIMES.into_iter().any(|runtime| !library(runtime).is_null()) {
        // SAFETY: a terminated name. The driver's initialisers may run at any time.
        unsafe { libc::dlopen(DRIVER.as_ptr(), libc::RTLD_LAZY) };
    }
}

/// The function of the driver, if the driver is loaded, or is now because CUDA's runtime is. Asks the loader
/// only if its list has one of them: each search of its path takes many microseconds.
pub(super) fn detect() -> Option<PointerGetAttribute> {
    static NOTHING_AMONG: AtomicU64 = AtomicU64::new(0);
    let libraries = search_new_list(&NOTHING_AMONG, &[b"libcuda.so", b"libcudart.so"])?;
    load_for_runtime();
    let function = function();
    if function.is_none() {
        NOTHING_AMONG.store(libraries, Ordering::Relaxed);
    }
    function
}

/// The function of the driver, if the driver is loaded.
pub(super) fn function() -> Option<PointerGetAttribute> {
    let library = library(DRIVER);
    if library.is_null() {
        return None;
    }
    // SAFETY: an open library and a terminated name. It stays open: the driver is never unloaded.
    let symbol = unsafe { libc::dlsym(library, c"cuPointerGetAttribute".as_ptr()) };
    // SAFETY: NULL becomes None, and the driver's function has this signature in every version.
    unsafe { std::mem::transmute::<*mut c_void, Option<PointerGetAttribute>>(symbol) }
}

/// Whether a driver may be loaded on this machine at all. Found once.
pub(super) fn may_come() -> bool {
    static MAY_COME: OnceLock<bool> = OnceLock::new();
    *MAY_COME.get_or_init(|| {
        let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        DEVICES.into_iter().any(|device| Path::new(device).exists())
            || env::split_paths(&path)
                .any(|folder| folder.join(OsStr::from_bytes(DRIVER.to_bytes())).exists())
    })
}

/// The function of the driver, if a look since it was loaded has found it. Looks, if it is time.
#[inline]
pub(super) fn function_by_now() -> Option<PointerGetAttribute> {
    let found = FOUND.load(Ordering::Acquire);
    if found.is_null() {
        let now = cycles::now();
        return if now < NEXT_LOOK.load(Ordering::Relaxed) { None } else { look(now) };
    }
    // SAFETY: `look` has stored a function of this type. The driver is never unloaded.
    Some(unsafe { std::mem::transmute::<*mut (), PointerGetAttribute>(found) })
}

#[cold]
fn look(now: u64) -> Option<PointerGetAttribute> {
    // On a CPU without the counter, every call looks.
    if now > 0 {
        NEXT_LOOK.store(now.saturating_add(BETWEEN_LOOKS), Ordering::Relaxed);
    }
    // The loader's list is asked first: to open a library means to wait until another thread has loaded its
    // own, which may take seconds.
    search_new_list(&LIBRARIES, &[b"libcuda.so"])?;
    let function = function()?;
    if FOUND.swap(function as *mut (), Ordering::Release).is_null() {
        log_line!(
            Info,
            "the program has loaded the CUDA driver: existing communicators will stage GPU buffers"
        );
    }
    Some(function)
}

/// Looks for one of these among all libraries, if some were loaded since the last look found none. `looked`:
/// the number of libraries that the process had ever loaded at that look. Returns that number now, or `None`
/// if there is none of these.
fn search_new_list(looked: &AtomicU64, names: &[&[u8]]) -> Option<u64> {
    struct Search<'a> {
        looked: u64,
        names: &'a [&'a [u8]],
        adds: u64,
    }
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes an entry that is valid during the call.
        let info = unsafe { &*info };
        // SAFETY: the search of our caller, which nobody else uses meanwhile.
        let search = unsafe { &mut *search.cast::<Search>() };
        search.adds = info.dlpi_adds;
        if info.dlpi_adds == search.looked {
            return UNCHANGED;
        }
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: the name is terminated, and valid during the call.
        let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let file = path.rsplit(|byte| *byte == b'/').next();
        let is_one = |file: &[u8]| search.names.iter().any(|name| file.starts_with(name));
        if file.is_some_and(is_one) { FOUND_IT } else { 0 }
    }
    const UNCHANGED: c_int = 1;
    const FOUND_IT: c_int = 2;
    let mut search = Search { looked: looked.load(Ordering::Relaxed), names, adds: 0 };
    // SAFETY: the function gets the search, which lives until the call returns.
    let answer = unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    if answer == 0 {
        looked.store(search.adds, Ordering::Relaxed);
    }
    (answer == FOUND_IT).then_some(search.adds)
}
