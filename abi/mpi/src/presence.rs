//! This library, as it says of itself: the mark that tells it from other MPIs, its file, and a word to the
//! launcher that it is in use.
//!
//! Its names and functions are those of MPI. When anyccl looks for an MPI as its engine, it must not take
//! this for one: `anyccl_engine::backend::mpi::identity` asks for the mark. `anyccl run --as mpi` wants to
//! know which MPI a process has begun.

use std::ffi::{CStr, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyccl_launch_report::{Event, Facade, Reporter};

/// Tells the launcher, if it wants to know, that this library is the one that is called.
pub fn tell() {
    let Some(reporter) = Reporter::of_environment(Facade::Mpi) else { return };
    // A launcher that has gone does not want to know any more.
    let _ = reporter.tell(Event::Called, &own_path(), None);
}

/// The file that this library was loaded from.
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
    // SAFETY: the loader's name of this library, which is there as long as this code.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(name.to_bytes())).to_path_buf()
}
