//! Tells the launcher, if it listens, that the program calls this library.
//!
//! `anyccl run --as nccl` listens, because a preloaded library may be present without being called. A process
//! reports once; its children of fork do not repeat the report. Three kinds of functions report, because a
//! program that uses NCCL calls at least one of them: those that return a version, return an id, or make a
//! communicator.

use std::ffi::{CStr, OsStr, c_void};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Once;

use anyccl_launch_report::{Event, Facade, Reporter};

static TOLD: Once = Once::new();

/// Tells the launcher, on the first call in the process.
pub fn tell() {
    TOLD.call_once(|| {
        let Some(reporter) = Reporter::of_environment(Facade::Nccl) else { return };
        let library = own_path().unwrap_or_default();
        // An error means that the launcher has ended or is out of reach. The program goes on all the same.
        let _ = reporter.tell(Event::Called, &library, None);
    });
}

/// The file that this library was loaded from.
fn own_path() -> Option<PathBuf> {
    let own = (tell as fn()) as *const c_void;
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the answer is written to `info`, which outlives the call.
    let found = unsafe { libc::dladdr(own, info.as_mut_ptr()) };
    // SAFETY: zero is a valid value of each field, and the call has written nothing or all of them.
    let info = unsafe { info.assume_init() };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of this library, which stays as long as this code.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_path_buf())
}
