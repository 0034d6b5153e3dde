//! NCCL's result codes, and the only place where an engine error becomes one; the sentences of failures.
//!
//! NCCL keeps one last error per process; [`anyccl_edge::last_error`] keeps one per thread. A program may ask on another
//! thread than the one that failed, as PyTorch's watchdog does. So both are kept: a thread that has seen a failure of its
//! own is told that one, any other the latest of the process.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

use anyccl_edge::{PerProcess, last_error};
use anyccl_engine::base::Error;
use parking_lot::Mutex;

use crate::communicator;
use crate::types::{ncclComm_t, ncclResult_t};

pub const ncclSuccess: ncclResult_t = 0;
pub const ncclSystemError: ncclResult_t = 2;
pub const ncclInternalError: ncclResult_t = 3;
pub const ncclInvalidArgument: ncclResult_t = 4;
pub const ncclInvalidUsage: ncclResult_t = 5;
pub const ncclRemoteError: ncclResult_t = 6;
pub const ncclInProgress: ncclResult_t = 7;
pub const ncclTimeout: ncclResult_t = 8;

/// By number. The words are NCCL's own: programs compare them.
const NAMES: [&CStr; 9] = [
    c"no error",
    c"unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
    c"unhandled system error (run with NCCL_DEBUG=INFO for details)",
    c"internal error - please report this issue to the NCCL developers",
    c"invalid argument (run with NCCL_DEBUG=WARN for details)",
    c"invalid usage (run with NCCL_DEBUG=WARN for details)",
    c"remote process exited or there was a network error",
    c"NCCL operation in progress",
    c"timeout",
];

/// The code of an error.
pub fn code(error: &Error) -> ncclResult_t {
    match error {
        Error::InvalidArgument { .. } => ncclInvalidArgument,
        Error::InvalidUsage(_) | Error::Unsupported(_) => ncclInvalidUsage,
        Error::Mismatch(_) | Error::Truncated(_) => ncclInvalidUsage,
        Error::PeerLost { .. } | Error::Aborted(_) | Error::Bootstrap(_) => ncclRemoteError,
        Error::Timeout { .. } => ncclTimeout,
        Error::System { .. } => ncclSystemError,
        Error::Internal(_) => ncclInternalError,
    }
}

/// The latest failure of any thread.
static LATEST: PerProcess<Mutex<String>> = PerProcess::new();

fn latest() -> &'static Mutex<String> {
    &LATEST.get_or(Mutex::default).value
}

/// Keeps a failure for whoever asks. The thread's own sentence is there already.
pub fn note(name: &str, error: &Error) {
    *latest().lock() = format!("{name}: {error}");
}

/// ncclGetErrorString.
pub unsafe fn error_string(result: ncclResult_t) -> *const c_char {
    let name = usize::try_from(result).ok().and_then(|number| NAMES.get(number));
    name.unwrap_or(&c"unknown result code").as_ptr()
}

/// ncclGetLastError: why `comm` has failed, if it has; else the last failure of this thread, else of the process.
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
        text.clone_from(&latest().lock());
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
    use super::*;

    #[test]
    fn a_thread_without_a_failure_of_its_own_is_told_the_latest_of_the_process() {
        note("ncclAllReduce", &Error::InvalidUsage("too early".into()));
        let told = || {
            // SAFETY: there is no handle.
            let text = unsafe { get_last_error(std::ptr::null_mut()) };
            // SAFETY: never NULL, terminated, and copied before the next call of this thread.
            unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
        };
        assert_eq!(std::thread::spawn(told).join().unwrap(), "ncclAllReduce: too early");
    }

    #[test]
    fn every_number_has_a_text() {
        for number in [-1, 0, 8, 9, ncclResult_t::MAX] {
            // SAFETY: takes any number.
            let text = unsafe { error_string(number) };
            // SAFETY: a text of the program.
            let text = unsafe { CStr::from_ptr(text) };
            assert!(!text.is_empty());
        }
    }
}
