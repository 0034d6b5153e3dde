//! Status codes, and the only place where an engine error becomes one.

use std::ffi::{c_char, c_int};

use anyccl_edge::{guard_boxed, last_error};
use anyccl_engine::base::{BoxedResult, Error, Result};

/// What became of a call: one of enum anyccl_status. Everything but ANYCCL_SUCCESS leaves a sentence for
/// anyccl_last_error().
pub type anyccl_status_t = anyccl_status;

/// The values of anyccl_status_t. They never change; later versions may have more.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum anyccl_status {
    /// The call did what was asked.
    ANYCCL_SUCCESS = 0,
    /// An argument is one that this call never accepts. Nothing was sent, nothing has changed.
    ANYCCL_ERR_INVALID_ARGUMENT = 1,
    /// The call is not allowed now: before init, after finalize, in a forked child. Nothing was sent.
    ANYCCL_ERR_INVALID_USAGE = 2,
    /// Defined, but not possible in this build or on this machine. Nothing was sent.
    ANYCCL_ERR_UNSUPPORTED = 3,
    /// A rank died or closed its connection. The communicator has failed.
    ANYCCL_ERR_PEER_LOST = 4,
    /// Not every rank arrived in time. The communicator has failed.
    ANYCCL_ERR_TIMEOUT = 5,
    /// The ranks made different calls. The communicator has failed, on all ranks.
    ANYCCL_ERR_MISMATCH = 6,
    /// Some rank called anyccl_comm_abort. The communicator has failed, on all ranks.
    ANYCCL_ERR_ABORTED = 7,
    /// The ranks could not find each other. There is no communicator.
    ANYCCL_ERR_BOOTSTRAP = 8,
    /// The operating system refused something. In a collective: the communicator has failed.
    ANYCCL_ERR_SYSTEM = 9,
    /// A bug in anyccl; please report the sentence of anyccl_last_error().
    ANYCCL_ERR_INTERNAL = 10,
}

use anyccl_status::*;

impl From<&Error> for anyccl_status_t {
    fn from(error: &Error) -> anyccl_status_t {
        match error {
            Error::InvalidArgument { .. } => ANYCCL_ERR_INVALID_ARGUMENT,
            Error::InvalidUsage(_) => ANYCCL_ERR_INVALID_USAGE,
            Error::Unsupported(_) => ANYCCL_ERR_UNSUPPORTED,
            Error::PeerLost { .. } => ANYCCL_ERR_PEER_LOST,
            Error::Timeout { .. } => ANYCCL_ERR_TIMEOUT,
            Error::Mismatch(_) | Error::Truncated(_) => ANYCCL_ERR_MISMATCH,
            Error::Aborted(_) => ANYCCL_ERR_ABORTED,
            Error::Bootstrap(_) => ANYCCL_ERR_BOOTSTRAP,
            Error::System { .. } => ANYCCL_ERR_SYSTEM,
            Error::Internal(_) => ANYCCL_ERR_INTERNAL,
        }
    }
}

/// Runs the body of the C function `name`: no panic leaves it, and a failure leaves its sentence.
pub fn edge(name: &str, body: impl FnOnce() -> Result<()>) -> anyccl_status_t {
    edge_boxed(name, || body().map_err(Box::new))
}

/// Like [`edge`], for small calls: the error comes in a box.
#[inline(always)]
pub fn edge_boxed(name: &str, body: impl FnOnce() -> BoxedResult<()>) -> anyccl_status_t {
    let body = || {
        #[cfg(test)]
        crate::tests::panic_if_asked();
        body()
    };
    match guard_boxed(name, body) {
        Ok(()) => ANYCCL_SUCCESS,
        Err(error) => number_of(&error),
    }
}

#[cold]
fn number_of(error: &Error) -> anyccl_status_t {
    anyccl_status_t::from(error)
}

/// Names a status in a few words, for messages.
///
/// \param status  [in] Any number; one that is no status is named "unknown status".
/// \returns A text that is always valid and never NULL. Not to be freed.
///
/// Local. Any thread. Replacement for ncclGetErrorString and MPI_Error_string; the sentence about one failure
/// is anyccl_last_error().
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_status_string(status: c_int) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 11] = [
        c"success",
        c"invalid argument",
        c"invalid usage",
        c"unsupported",
        c"peer lost",
        c"timeout",
        c"mismatch",
        c"aborted",
        c"bootstrap failed",
        c"system error",
        c"internal error",
    ];
    let name = usize::try_from(status).ok().and_then(|number| NAMES.get(number));
    name.unwrap_or(&c"unknown status").as_ptr()
}

/// Gives the sentence about the last call that failed in this thread: which function, what was wrong, what is
/// accepted or who is missing.
///
/// \returns A text that is never NULL, empty when nothing has failed in this thread yet. Not to be freed;
///          valid until the next failing call of this thread or the end of the thread. Copy it to keep it.
///
/// Local. Each thread has its own; a successful call leaves it alone. Replacement for ncclGetLastError.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_last_error() -> *const c_char {
    last_error::get()
}
