//! Why a call could not do what was asked.

use std::fmt;
use std::io;
use std::sync::Arc;

use anyccl_engine::base::Error as EngineError;

/// Result with the error of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure. It says who can act, and whether the communicator can still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is invalid. Nothing was sent, and the communicator works on.
    InvalidArgument,
    /// The call is not allowed now, for example in a child of `fork`. Nothing was sent.
    InvalidUsage,
    /// This build or machine cannot do it. Nothing was sent.
    Unsupported,
    /// A rank died or closed its connection. The communicator has failed.
    PeerLost,
    /// A rank did not arrive in time, or a message did not come. The communicator has failed.
    Timeout,
    /// The ranks made different calls. The communicator has failed on all ranks.
    Mismatch,
    /// A rank has aborted the communicator. It has failed on all ranks.
    Aborted,
    /// The ranks could not find each other. There is no communicator.
    Bootstrap,
    /// The operating system refused a request. [`source`](std::error::Error::source) has its error.
    System,
    /// The function of an [`Operator`](crate::Operator) has panicked on this rank. The communicator has
    /// failed on all ranks.
    OperatorPanicked,
    /// A bug in anyccl. Please report the text.
    Internal,
}

/// Why a call could not do what was asked: a [kind](Error::kind), and a text that names rank, call and
/// reason.
///
/// It is cheap to clone.
#[derive(Clone)]
pub struct Error {
    inner: Arc<Inner>,
}

struct Inner {
    kind: ErrorKind,
    text: String,
    lost: Option<usize>,
    source: Option<Arc<io::Error>>,
}

impl Error {
    /// The kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The rank that was lost, after [`ErrorKind::PeerLost`].
    pub fn lost_rank(&self) -> Option<usize> {
        self.inner.lost
    }

    pub(crate) fn new(kind: ErrorKind, text: String) -> Error {
        Error { inner: Arc::new(Inner { kind, text, lost: None, source: None }) }
    }

    /// An error of the engine. `place` says which rank made which call.
    pub(crate) fn of_engine(error: &EngineError, place: fmt::Arguments<'_>) -> Error {
        let (mut lost, mut source) = (None, None);
        let kind = match error {
            EngineError::InvalidArgument { .. } => ErrorKind::InvalidArgument,
            EngineError::InvalidUsage(_) => ErrorKind::InvalidUsage,
            EngineError::Unsupported(_) => ErrorKind::Unsupported,
            EngineError::PeerLost { rank, .. } => {
                lost = Some(*rank as usize);
                ErrorKind::PeerLost
            }
            EngineError::Timeout { .. } => ErrorKind::Timeout,
            EngineError::Mismatch(_) | EngineError::Truncated { .. } => ErrorKind::Mismatch,
            EngineError::Aborted(_) => ErrorKind::Aborted,
            EngineError::Bootstrap(_) => ErrorKind::Bootstrap,
            EngineError::System { source: cause, .. } => {
                source = Some(Arc::clone(cause));
                ErrorKind::System
            }
            EngineError::Internal(_) => ErrorKind::Internal,
        };
        Error { inner: Arc::new(Inner { kind, text: format!("{place}: {error}"), lost, source }) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("kind", &self.inner.kind).field("text", &self.inner.text).finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.text)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner.source.as_deref().map(|error| error as _)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_names_its_place_and_keeps_the_cause() {
        let cause = EngineError::system("open", io::Error::from(io::ErrorKind::NotFound));
        let error = Error::of_engine(&cause, format_args!("rank 2 of \"world\", barrier"));
        assert_eq!(error.kind(), ErrorKind::System);
        assert!(error.to_string().starts_with("rank 2 of \"world\", barrier: open: "), "{error}");
        assert!(error.source().is_some());
        let lost = EngineError::PeerLost { rank: 3, detail: "closed".into() };
        let error = Error::of_engine(&lost, format_args!("x"));
        assert_eq!((error.kind(), error.lost_rank()), (ErrorKind::PeerLost, Some(3)));
    }
}
