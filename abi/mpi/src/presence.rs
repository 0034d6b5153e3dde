//! This library's identity: the mark that tells it from other MPIs, its file, and its report to the launcher.
//!
//! It has the names and functions of MPI. When anyccl looks for an MPI as an engine, it must not take this
//! library for one: `anyccl_engine::backend::mpi::identity` looks for the mark. `anyccl run --as mpi` needs
//! to know which MPI a process has initialised.

use std::ffi::{CStr, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyccl_launch_report::{Event, Facade, Reporter};

/// Reports to the launcher, if there is one, that this library was called.
pub fn tell() {
    let Some(reporter) = Reporter::of_environment(Facade::Mpi) else { return };
    // A failure means that the launcher has ended, and needs no report.
    let _ = reporter.tell(Event::Called, &own_path(), None);
}

/// The file from which this library was loaded.
pub fn own_path() -> PathBuf {
    let own = (tell as fn()) as *const c_void;
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the answer is written to `info`, which outlives the call.
    let found = unsafe { libc::dladdr(own, info.as_mut_ptr()) };
    // SAFETY: zero is a valid value of each field, and the call has written nothing or all of them.
    let info = unsafe { info.assume_init() };
    if found == 0 || info.dli_fname.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the loader's name of this library, which stays as long as this code.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(name.to_bytes())).to_path_buf()
}
