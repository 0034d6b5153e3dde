//! Status codes, and the only place where an engine error becomes one.

use std::ffi::{c_char, c_int};

use anyccl_edge::{guard_boxed, last_error};
use anyccl_engine::base::{BoxedResult, Error, Result};

/// Result of a call: one of enum anyccl_status. After anything but ANYCCL_SUCCESS, anyccl_last_error() has
/// the message.
pub type anyccl_status_t = anyccl_status;

/// Values of anyccl_status_t. They never change; later versions may add values.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum anyccl_status {
    /// The call has succeeded.
    ANYCCL_SUCCESS = 0,
    /// An argument is invalid. Nothing was sent and nothing has changed.
    ANYCCL_ERR_INVALID_ARGUMENT = 1,
    /// The call is not allowed now: before anyccl_init, after anyccl_finalize, or in a forked child. Nothing
    /// was sent.
    ANYCCL_ERR_INVALID_USAGE = 2,
    /// The call is defined, but not possible in this build or on this machine. Nothing was sent.
    ANYCCL_ERR_UNSUPPORTED = 3,
    /// A rank died or closed its connection. The communicator has failed.
    ANYCCL_ERR_PEER_LOST = 4,
    /// A rank did not arrive in time. The communicator has failed.
    ANYCCL_ERR_TIMEOUT = 5,
    /// The ranks made different calls. The communicator has failed on all ranks.
    ANYCCL_ERR_MISMATCH = 6,
    /// A rank called anyccl_comm_abort. The communicator has failed on all ranks.
    ANYCCL_ERR_ABORTED = 7,
    /// The ranks could not find each other. There is no communicator.
    ANYCCL_ERR_BOOTSTRAP = 8,
    /// The operating system refused a request. If the call was a collective, the communicator has failed.
    ANYCCL_ERR_SYSTEM = 9,
    /// A bug in anyccl. Please report the message of anyccl_last_error().
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
            Error::Mismatch(_) | Error::Truncated { .. } => ANYCCL_ERR_MISMATCH,
            Error::Aborted(_) => ANYCCL_ERR_ABORTED,
            Error::Bootstrap(_) => ANYCCL_ERR_BOOTSTRAP,
            Error::System { .. } => ANYCCL_ERR_SYSTEM,
            Error::Internal(_) => ANYCCL_ERR_INTERNAL,
        }
    }
}

/// Runs the body of the C function `name`. No panic leaves it, and a failure leaves its message.
pub fn edge(name: &str, body: impl FnOnce() -> Result<()>) -> anyccl_status_t {
    edge_boxed(name, || body().map_err(Box::new))
}

/// Like [`edge`], for small calls: the error is boxed.
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

/// Names a status in a few words.
///
/// \param[in] status  Any number. One that is not a status is named "unknown status".
/// \returns A string that is always valid and never NULL. Do not free it.
///
/// Local. anyccl_last_error() explains one particular failure. Replacement for ncclGetErrorString and
/// MPI_Error_string.
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

/// Gives the message of the last call that failed in this thread: which function, what was wrong, what is
/// accepted or which rank is missing.
///
/// \returns A string that is never NULL, and empty while no call of this thread has failed. It is valid until
///          the next failing call of this thread or the end of the thread. Do not free it.
///
/// Local. Each thread has its own message; a successful call does not change it. Replacement for
/// ncclGetLastError.
#[unsafe(no_mangle)]
pub extern "C" fn anyccl_last_error() -> *const c_char {
    last_error::get()
}
