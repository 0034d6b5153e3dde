//! The shared library, opened as a program opens the driver.

use std::ffi::{CString, c_char, c_int, c_void};

const FUNCTIONS: [&str; 12] = [
    "cuInit",
    "cuCtxCreate_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuMemAlloc_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyHtoDAsync_v2_ptsz",
    "cuMemcpyDtoH_v2_ptds",
    "cuStreamWaitValue32_v2",
    "cuStreamBatchMemOp_v2",
    "cuIpcOpenMemHandle_v2",
    "cuMemExportToShareableHandle",
    "cudaDoubleLiveObjects",
];

type GetProcAddress = extern "C" fn(*const c_char, *mut *const c_void, c_int, u64, *mut c_int) -> c_int;

/// The library that cargo built for the tests.
fn library() -> *mut c_void {
    let folder = std::env::current_exe().unwrap();
    let path = folder.with_file_name("libcuda.so").into_os_string().into_string().unwrap();
    let path = CString::new(path).unwrap();
    // SAFETY: the library runs no code when it is opened.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!library.is_null(), "{path:?} cannot be opened");
    library
}

fn symbol(library: *mut c_void, name: &str) -> *mut c_void {
    let text = CString::new(name).unwrap();
    // SAFETY: the library is open, and the name ends with a zero.
    let address = unsafe { libc::dlsym(library, text.as_ptr()) };
    assert!(!address.is_null(), "{name} is not exported");
    address
}

#[test]
fn the_library_exports_the_drivers_names_and_finds_them_by_name() {
    let library = library();
    for name in FUNCTIONS {
        symbol(library, name);
    }
    let find = symbol(library, "cuGetProcAddress_v2");
    // SAFETY: the function has this type.
    let find = unsafe { std::mem::transmute::<*mut c_void, GetProcAddress>(find) };
    let (mut found, mut code) = (std::ptr::null(), 9);
    assert_eq!(find(c"cuMemAlloc".as_ptr(), &raw mut found, 12000, 0, &raw mut code), 0);
    assert_eq!((found.cast_mut(), code), (symbol(library, "cuMemAlloc_v2"), 0));
    let per_thread = 2;
    assert_eq!(find(c"cuMemcpy".as_ptr(), &raw mut found, 12000, per_thread, &raw mut code), 0);
    assert_eq!(found.cast_mut(), symbol(library, "cuMemcpy_ptds"));
    assert_eq!(find(c"cuNothing".as_ptr(), &raw mut found, 12000, 0, &raw mut code), 0);
    assert!(found.is_null() && code == 1);
}
