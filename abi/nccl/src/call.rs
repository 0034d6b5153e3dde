//! The guard around the body of every function.

use anyccl_edge::guard;
use anyccl_engine::backend::inside;
use anyccl_engine::base::{Error, Result};
use anyccl_engine::log_line;

use crate::failure_log;
use crate::result::{self, ncclInProgress, ncclSuccess};
use crate::types::ncclResult_t;

/// State of the communicator after a call that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The call is complete.
    Done,
    /// The call goes on, because the communicator is non-blocking; ncclCommGetAsyncError reports its end.
    Begun,
}

/// Result type of a function's body.
pub trait Answer {
    fn code(self) -> ncclResult_t;
}

impl Answer for () {
    #[inline]
    fn code(self) -> ncclResult_t {
        ncclSuccess
    }
}

impl Answer for Progress {
    #[inline]
    fn code(self) -> ncclResult_t {
        match self {
            Progress::Done => ncclSuccess,
            Progress::Begun => ncclInProgress,
        }
    }
}

/// Runs the body of the function `name`. No panic leaves it, and a failure leaves its sentence.
#[inline]
pub fn edge<A: Answer>(name: &str, body: impl FnOnce() -> Result<A>) -> ncclResult_t {
    if inside::is_inside() {
        return called_by_nccl(name);
    }
    match guard(name, body) {
        Ok(answer) => answer.code(),
        Err(error) => failed(name, &error),
    }
}

/// Refuses a call of the real NCCL, opened by this library, that the loader has bound to this library instead
/// of NCCL.
#[cold]
fn called_by_nccl(name: &str) -> ncclResult_t {
    let text = "NCCL, opened behind this library, has called it instead of itself".to_string();
    failed(name, &Error::Internal(text))
}

#[cold]
fn failed(name: &str, error: &Error) -> ncclResult_t {
    failure_log::note(name, error);
    log_line!(Info, "{name}: {error}");
    result::code(error)
}
