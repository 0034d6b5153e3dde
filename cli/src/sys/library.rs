//! Asks a shared library something, in a process of its own: what it does when it is loaded is not known.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io::{self, Read, Write};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::process::{fork, signal_one, wait};

/// Calls `int function(int *number)` of a library, and gives the number if the call returns 0 within the
/// time.
///
/// This process must not have a second thread.
pub fn number_of(library: &Path, function: &CStr, patience: Duration) -> io::Result<i32> {
    let path = CString::new(library.as_os_str().as_bytes())?;
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let child = fork(|| match call(&path, function) {
        Some(number) => i32::from(theirs.write_all(&number.to_ne_bytes()).is_err()),
        None => 1,
    })?;
    // Else its end would not be the end of what can be read.
    drop(theirs);
    let mut bytes = [0; size_of::<c_int>()];
    let told = ours.set_read_timeout(Some(patience)).and_then(|()| ours.read_exact(&mut bytes));
    signal_one(child, libc::SIGKILL);
    wait(child)?;
    told.map(|()| i32::from_ne_bytes(bytes))
}

fn call(path: &CStr, name: &CStr) -> Option<c_int> {
    // SAFETY: a string. What the library does when it is loaded, it does to this process alone, which was
    // made for it.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return None;
    }
    // SAFETY: a library that is open, and a string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    if address.is_null() {
        return None;
    }
    // SAFETY: our caller names a function of this type; the address is not NULL.
    let function =
        unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(address) };
    let mut number = 0;
    // SAFETY: the function takes a place for one number, which outlives the call.
    let answer = unsafe { function(&mut number) };
    (answer == 0).then_some(number)
}
