//! `libpmix.so.2`: where it is, and the functions of it that are needed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::{fs, mem};

use crate::base::{Error, Result};
use crate::sys::foreign_library::ForeignLibrary;

/// Name of the library for the loader. Version 2 of its ABI has been kept from PMIx 2 on.
const NAME: &str = "libpmix.so.2";

/// The type of a value that is a text (`PMIX_STRING`).
pub(super) const STRING: u16 = 3;
/// A value for all processes of the job (`PMIX_GLOBAL`).
pub(super) const GLOBAL: u8 = 3;

/// `pmix_proc_t`: a process of a job.
#[repr(C)]
#[derive(Clone)]
pub(super) struct Process {
    pub job: [c_char; 256],
    pub rank: u32,
}

/// `pmix_value_t`, as far as texts need it. The library's own is not longer than this one.
#[repr(C)]
pub(super) struct Value {
    pub kind: u16,
    pub text: *mut c_char,
    rest: [u64; 6],
}

impl Value {
    /// A text, which the caller keeps.
    pub fn of(text: &CStr) -> Value {
        Value { kind: STRING, text: text.as_ptr().cast_mut(), rest: [0; 6] }
    }
}

/// Defines the functions by field, symbol and type.
macro_rules! functions {
    ($($field:ident: $symbol:literal, fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions. An info array is NULL with a length of 0 wherever one could be passed.
        pub(super) struct Pmix {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Pmix {
            fn of(library: &ForeignLibrary) -> Result<Pmix> {
                Ok(Pmix {
                    $($field: {
                        let address = address(library, $symbol)?;
                        // SAFETY: the function has this type in every version of this name.
                        unsafe {
                            mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> $result>(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    init: c"PMIx_Init", fn(*mut Process, *const c_void, usize) -> c_int;
    put: c"PMIx_Put", fn(u8, *const c_char, *mut Value) -> c_int;
    commit: c"PMIx_Commit", fn() -> c_int;
    fence: c"PMIx_Fence", fn(*const Process, usize, *const c_void, usize) -> c_int;
    get: c"PMIx_Get", fn(*const Process, *const c_char, *const c_void, usize, *mut *mut Value) -> c_int;
    abort: c"PMIx_Abort", fn(c_int, *const c_char, *const Process, usize) -> c_int;
    finalize: c"PMIx_Finalize", fn(*const c_void, usize) -> c_int;
    error_string: c"PMIx_Error_string", fn(c_int) -> *const c_char;
}

impl Pmix {
    /// Opens the library: the one that the launcher itself uses, or else the one that the loader finds.
    pub fn open() -> Result<Pmix> {
        let name = of_launcher().unwrap_or_else(|| NAME.into());
        // SAFETY: the launcher of this process has opened the same file, or the system's loader finds it.
        let library = unsafe { ForeignLibrary::open(&name) }.map_err(|why| {
            Error::Bootstrap(format!(
                "the ranks are on several hosts, and the library of the launcher's PMIx cannot be opened ({why}): \
                 install it (package libpmix2), or add `-x ANYCCL_STORE=tcp://HOST:PORT` (rank 0's host, a free \
                 port) or `-x ANYCCL_STORE=file:PATH` (on a shared file system) to mpiexec"
            ))
        })?;
        Pmix::of(&library)
    }

    /// The error of a call that has returned `status`.
    pub fn check(&self, call: &str, status: c_int) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: gives a text of the library's own for any number, or NULL.
        let text = unsafe { (self.error_string)(status) };
        let text = if text.is_null() {
            String::new()
        } else {
            // SAFETY: not NULL, so a terminated text.
            format!(" ({})", unsafe { CStr::from_ptr(text) }.to_string_lossy())
        };
        Err(Error::Bootstrap(format!("the launcher's PMIx refuses {call}: status {status}{text}")))
    }
}

fn address(library: &ForeignLibrary, name: &CStr) -> Result<*mut c_void> {
    library.symbol(name).ok_or_else(|| {
        Error::Bootstrap(format!("{} has no function {}", library.name(), name.to_string_lossy()))
    })
}

/// The file of the library in the nearest ancestor of this process that uses it: the launcher's daemon.
fn of_launcher() -> Option<String> {
    let mut process = parent_of("self")?;
    while process > 1 {
        // An ancestor of another user does not show its files.
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        if let Some(path) = mapped_library(&maps) {
            return Some(path.to_owned());
        }
        process = parent_of(&process.to_string())?;
    }
    None
}

/// The path of the library in a list of mapped files.
fn mapped_library(maps: &str) -> Option<&str> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.into_iter().find(|path| path.rsplit('/').next().is_some_and(|file| file.starts_with(NAME)))
}

fn parent_of(process: &str) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may hold anything. The state and the parent follow it.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launchers_library_is_found_among_its_files() {
        let line = "7f0a8000-7f0a9000 r--p 00000000 08:01 1234   ";
        let maps = format!("{line}/usr/lib/libc.so.6\n{line}\n{line}/opt/mpi 5/lib/libpmix.so.2.13.4\n");
        assert_eq!(mapped_library(&maps), Some("/opt/mpi 5/lib/libpmix.so.2.13.4"));
        assert_eq!(mapped_library("/usr/lib/notlibpmix.so.2"), None);
        assert_eq!(parent_of("self"), Some(std::os::unix::process::parent_id()));
    }
}
