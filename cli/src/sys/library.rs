//! Queries of shared libraries. Each runs in a process of its own, because the effects of loading a library
//! are unknown.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{self, Read, Write};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::process::{fork, signal_one, wait};

/// Length of the longest version text of an MPI.
const TEXT_BYTES: usize = 8192;

/// The answers of an MPI library.
pub struct MpiAnswer {
    /// The text of `MPI_Get_library_version`; empty if it gives none.
    pub version: String,
    /// Whether it has a symbol of Open MPI.
    pub has_open_mpi: bool,
    /// Whether it has the standard ABI.
    pub has_abi: bool,
}

/// Asks an MPI library for its version and its ABI, within a time limit.
///
/// This process must not have a second thread.
pub fn ask_mpi(library: &Path, patience: Duration) -> io::Result<MpiAnswer> {
    let path = CString::new(library.as_os_str().as_bytes())?;
    let bytes = in_a_child(patience, |theirs| {
        let answer = mpi_answer(&path)?;
        theirs.write_all(&[u8::from(answer.has_open_mpi), u8::from(answer.has_abi)]).ok()?;
        theirs.write_all(answer.version.as_bytes()).ok()
    })?;
    match bytes[..] {
        [open_mpi, abi, ref text @ ..] => {
            let version = String::from_utf8_lossy(text).into_owned();
            Ok(MpiAnswer { version, has_open_mpi: open_mpi != 0, has_abi: abi != 0 })
        }
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn mpi_answer(path: &CStr) -> Option<MpiAnswer> {
    let library = open(path)?;
    let symbol = |name: &CStr| symbol(library, name);
    let mut text = vec![0u8; TEXT_BYTES + 1];
    if let Some(address) = symbol(c"MPI_Get_library_version") {
        // SAFETY: MPI gives the function of this name this type.
        let function = unsafe {
            mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int>(address)
        };
        let mut length = 0;
        // SAFETY: it may be called before MPI_Init; there is room for the longest text of every ABI, and for
        // a number.
        unsafe { function(text.as_mut_ptr().cast(), &mut length) };
    }
    let version = CStr::from_bytes_until_nul(&text).ok()?.to_string_lossy().into_owned();
    let number = |address| {
        // SAFETY: MPI gives the function of this name this type.
        let function = unsafe {
            mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(address)
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: it may be called before MPI_Init; there is room for two numbers.
        let status = unsafe { function(&mut major, &mut minor) };
        (status == 0).then_some(major)
    };
    let has_abi = symbol(c"MPI_Abi_get_version").and_then(number).is_some_and(|major| major > 0);
    Some(MpiAnswer { version, has_open_mpi: symbol(c"ompi_mpi_comm_world").is_some(), has_abi })
}

/// Calls `int function(int *number)` of a library, and returns the number if the call returns 0 within the
/// time limit.
///
/// This process must not have a second thread.
pub fn number_of(library: &Path, function: &CStr, patience: Duration) -> io::Result<i32> {
    let path = CString::new(library.as_os_str().as_bytes())?;
    number_in_a_child(patience, || call(&path, function))
}

/// Calls `int function(void)` of a library, and returns its result, within the time limit.
///
/// This process must not have a second thread.
pub fn value_of(library: &Path, function: &CStr, patience: Duration) -> io::Result<i32> {
    let path = CString::new(library.as_os_str().as_bytes())?;
    number_in_a_child(patience, || {
        let address = symbol(open(&path)?, function)?;
        // SAFETY: our caller names a function of this type.
        let function = unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(address) };
        // SAFETY: by its type, the function has no condition.
        Some(unsafe { function() })
    })
}

fn number_in_a_child(patience: Duration, body: impl FnOnce() -> Option<i32>) -> io::Result<i32> {
    let bytes = in_a_child(patience, |theirs| theirs.write_all(&body()?.to_ne_bytes()).ok())?;
    let bytes = bytes.try_into().map_err(|_| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    Ok(i32::from_ne_bytes(bytes))
}

/// The bytes that a child process writes until it ends, which must happen within `patience`.
fn in_a_child(patience: Duration, body: impl FnOnce(&mut UnixStream) -> Option<()>) -> io::Result<Vec<u8>> {
    let (mut ours, mut theirs) = UnixStream::pair()?;
    let child = fork(|| i32::from(body(&mut theirs).is_none()))?;
    // Otherwise the child's end would not end the stream.
    drop(theirs);
    let mut bytes = Vec::new();
    let told = ours.set_read_timeout(Some(patience)).and_then(|()| ours.read_to_end(&mut bytes));
    signal_one(child, libc::SIGKILL);
    wait(child)?;
    told.map(|_| bytes)
}

fn open(path: &CStr) -> Option<*mut c_void> {
    // SAFETY: a string. Whatever the library does when it is loaded, it does to this process alone, which was
    // made for that.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    (!library.is_null()).then_some(library)
}

fn symbol(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a library that is open, and a string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

fn call(path: &CStr, name: &CStr) -> Option<c_int> {
    let address = symbol(open(path)?, name)?;
    // SAFETY: our caller names a function of this type.
    let function =
        unsafe { mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int) -> c_int>(address) };
    let mut number = 0;
    // SAFETY: the function takes a place for one number, which outlives the call.
    let answer = unsafe { function(&mut number) };
    (answer == 0).then_some(number)
}
