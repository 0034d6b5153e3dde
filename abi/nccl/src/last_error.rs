//! The sentences of failures.
//!
//! NCCL keeps one last error per process; [`anyccl_edge::last_error`] keeps one per thread. A program may ask
//! on another thread than the one that failed, as PyTorch's watchdog does. So both are kept: a thread with a
//! failure of its own gets that one, any other thread gets the latest of the process.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

use anyccl_edge::last_error;

use crate::communicator;
use crate::failure_log;
use crate::types::ncclComm_t;

/// ncclGetLastError: why `comm` has failed, if it has. Else the last failure of this thread, or else of the
/// process.
pub unsafe fn get_last_error(comm: ncclComm_t) -> *const c_char {
    thread_local! {
        static TOLD: RefCell<CString> = RefCell::default();
    }
    let mut text = communicator::failure_of(comm).map(|error| error.to_string()).unwrap_or_default();
    if text.is_empty() {
        // SAFETY: never NULL, terminated, and no other call of this thread comes between.
        text = unsafe { CStr::from_ptr(last_error::get()) }.to_string_lossy().into_owned();
    }
    if text.is_empty() {
        text = failure_log::latest();
    }
    let told = CString::new(text.replace('\0', "?")).unwrap_or_default();
    // While the thread ends, its storage may be gone already.
    TOLD.try_with(|place| {
        place.replace(told);
        place.borrow().as_ptr()
    })
    .unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use anyccl_engine::base::Error;

    use super::*;

    #[test]
    fn a_thread_without_a_failure_of_its_own_is_told_the_latest_of_the_process() {
        failure_log::note("ncclAllReduce", &Error::InvalidUsage("too early".into()));
        let told = || {
            // SAFETY: there is no handle.
            let text = unsafe { get_last_error(std::ptr::null_mut()) };
            // SAFETY: never NULL, terminated, and copied before the next call of this thread.
            unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
        };
        assert_eq!(std::thread::spawn(told).join().unwrap(), "ncclAllReduce: too early");
    }
}
