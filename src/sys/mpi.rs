//! MPI libraries in this process, and what they say about themselves.
//!
//! They are found by name among the loaded libraries. A search for symbols would not do: a Python extension
//! loads MPI into a scope that such a search does not see.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// Whether an MPI library is loaded, other than the one that contains this code.
pub fn is_loaded() -> bool {
    !functions().is_empty()
}

/// Whether an MPI library in this process has been initialised. It stays true after MPI_Finalize.
pub fn is_initialized() -> bool {
    functions().into_iter().any(|initialized| {
        let mut flag: c_int = 0;
        // SAFETY: MPI_Initialized may be called at any time on any thread; it writes one int.
        unsafe { initialized(&mut flag) };
        flag != 0
    })
}

/// The file of an MPI library in this process that has been initialised.
pub fn initialized() -> Option<String> {
    let is_initialized = |name: &CString| {
        let mut flag: c_int = 0;
        let function = function_of(name);
        // SAFETY: as in `is_initialized`.
        function.map(|initialized| unsafe { initialized(&mut flag) });
        flag != 0
    };
    names().into_iter().find(is_initialized).and_then(|name| name.into_string().ok())
}

type Initialized = unsafe extern "C" fn(*mut c_int) -> c_int;

/// `MPI_Initialized` of every MPI library.
fn functions() -> Vec<Initialized> {
    names().iter().filter_map(|name| function_of(name)).collect()
}

/// Files of the libraries in this process whose names are those of an MPI library.
fn names() -> Vec<CString> {
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the callback gets this list back, which outlives the call, and is the only one to use it
    // meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(note_mpi), (&raw mut names).cast()) };
    names
}

unsafe extern "C" fn note_mpi(info: *mut libc::dl_phdr_info, _bytes: usize, names: *mut c_void) -> c_int {
    // SAFETY: the loader passes a record that lives during the call.
    let name = unsafe { (*info).dlpi_name };
    if name.is_null() {
        return 0;
    }
    // SAFETY: not NULL, so a terminated text that the loader owns.
    let name = unsafe { CStr::from_ptr(name) };
    let file = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    // libmpi.so.12, libmpi.so.40, libmpi_abi.so.1, libmpich.so.12.
    if file.starts_with(b"libmpi") {
        // SAFETY: `names` passes its list, which no one else uses during the call.
        let names = unsafe { &mut *names.cast::<Vec<CString>>() };
        names.push(name.to_owned());
    }
    0
}

/// `MPI_Initialized` of a library, unless it lacks the function or contains this code.
fn function_of(library: &CStr) -> Option<Initialized> {
    // SAFETY: a terminated name; NOLOAD runs no code of the library, which is loaded already.
    let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: a handle that was just given, and a terminated name.
    let symbol = unsafe { libc::dlsym(handle, c"MPI_Initialized".as_ptr()) };
    // SAFETY: gives back what dlopen counted; the code that loaded the library keeps it.
    unsafe { libc::dlclose(handle) };
    if symbol.is_null() || base_of(symbol) == base_of(base_of as *const c_void) {
        return None;
    }
    // SAFETY: every MPI library gives this function this type.
    Some(unsafe { std::mem::transmute::<*mut c_void, Initialized>(symbol) })
}

/// Start address of the library to which an address belongs.
fn base_of(address: *const c_void) -> Option<usize> {
    let nothing: *const c_char = std::ptr::null();
    let mut info = libc::Dl_info {
        dli_fname: nothing,
        dli_fbase: std::ptr::null_mut(),
        dli_sname: nothing,
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: asks about an address, whatever is there; writes one record, which outlives the call.
    let found = unsafe { libc::dladdr(address, &mut info) };
    (found != 0).then(|| info.dli_fbase.addr())
}

#[cfg(test)]
mod tests {
    #[test]
    fn without_mpi_no_library_is_found() {
        assert!(!super::is_loaded() && !super::is_initialized());
    }
}
