//! NCCL's result codes, and the only place where an engine error becomes one.

use std::ffi::{CStr, c_char};

use anyccl_engine::base::Error;

use crate::types::ncclResult_t;

pub const ncclSuccess: ncclResult_t = 0;
pub const ncclSystemError: ncclResult_t = 2;
pub const ncclInternalError: ncclResult_t = 3;
pub const ncclInvalidArgument: ncclResult_t = 4;
pub const ncclInvalidUsage: ncclResult_t = 5;
pub const ncclRemoteError: ncclResult_t = 6;
pub const ncclInProgress: ncclResult_t = 7;
pub const ncclTimeout: ncclResult_t = 8;

/// The texts, indexed by result code. They are NCCL's own words, because programs compare them.
const TEXTS: [&CStr; 9] = [
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
        Error::Mismatch(_) | Error::Truncated { .. } => ncclInvalidUsage,
        Error::PeerLost { .. } | Error::Aborted(_) | Error::Bootstrap(_) => ncclRemoteError,
        Error::Timeout { .. } => ncclTimeout,
        Error::System { .. } => ncclSystemError,
        Error::Internal(_) => ncclInternalError,
    }
}

/// ncclGetErrorString.
pub unsafe fn error_string(result: ncclResult_t) -> *const c_char {
    let text = usize::try_from(result).ok().and_then(|number| TEXTS.get(number));
    text.unwrap_or(&c"unknown result code").as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

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
