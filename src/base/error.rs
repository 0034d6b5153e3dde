//! Why an operation could not do what was asked.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::rank::Rank;

/// Linux's numbers. The crates that compile this room alone have no libc.
const EMFILE: i32 = 24;
const ENFILE: i32 = 23;

/// Result with the engine's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Result with a boxed error. Without a value it is one word, which is returned in a register.
pub type BoxedResult<T> = std::result::Result<T, Box<Error>>;

/// Why an operation could not do what was asked. Cheap to clone, because a failed communicator returns it
/// again.
#[derive(Clone, Debug)]
pub enum Error {
    /// The caller passed something this call never accepts. Nothing was sent.
    InvalidArgument {
        /// Name of the argument or variable.
        what: &'static str,
        /// The value that was passed, and those that are accepted.
        got: String,
    },
    /// The call is not allowed now: the library is not initialised or already finalised, or the communicator
    /// has failed.
    InvalidUsage(String),
    /// The operation is defined, but this build or machine cannot do it.
    Unsupported(String),
    /// `rank` closed its link or died. The communicator can only be destroyed now.
    PeerLost {
        /// The rank that was lost.
        rank: Rank,
        /// The call that was under way, and how the loss was noticed.
        detail: String,
    },
    /// Not every rank arrived within `waited`.
    Timeout {
        /// Time that the call has waited.
        waited: Duration,
        /// The ranks that are missing, and the calls that they are in.
        detail: String,
    },
    /// The ranks made different calls. The text names both.
    Mismatch(String),
    /// A message was longer than the receive that it met. Only that receive has failed.
    Truncated {
        /// Names both.
        text: String,
        /// Rank of the sender.
        source: Rank,
        /// Tag of the message.
        tag: i32,
    },
    /// Some rank aborted the communicator. The text says who and why.
    Aborted(String),
    /// The ranks of the job could not find each other.
    Bootstrap(String),
    /// The operating system refused something.
    System {
        /// The action that failed.
        what: String,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// A bug in anyccl. The text is meant for a report.
    Internal(String),
}

impl Error {
    /// An operating-system error of the action `what`.
    pub fn system(what: impl Into<String>, source: io::Error) -> Error {
        Error::System { what: what.into(), source: Arc::new(source) }
    }

    /// There is no memory for `bytes` bytes of something.
    pub fn no_memory(bytes: usize, what: &str, source: io::Error) -> Error {
        Error::system(format!("no memory for {bytes} bytes of {what}"), source)
    }

    /// The last operating-system error of this thread, of the action `what`.
    pub fn last_os(what: impl Into<String>) -> Error {
        Error::system(what, io::Error::last_os_error())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidArgument { what, got } => write!(f, "invalid {what}: {got}"),
            Error::InvalidUsage(text)
            | Error::Unsupported(text)
            | Error::Mismatch(text)
            | Error::Truncated { text, .. }
            | Error::Aborted(text)
            | Error::Bootstrap(text) => f.write_str(text),
            // Most details name the rank, its host and its process.
            Error::PeerLost { rank, detail } if detail.contains(&format!("rank {rank} (")) => {
                f.write_str(detail)
            }
            Error::PeerLost { rank, detail } => write!(f, "rank {rank} was lost: {detail}"),
            Error::Timeout { waited, detail } => {
                write!(f, "timed out after {:.1} s: {detail}", waited.as_secs_f64())
            }
            Error::System { what, source } => write!(f, "{what}: {source}{}", advice(source)),
            Error::Internal(text) => write!(f, "internal error in anyccl, please report: {text}"),
        }
    }
}

/// What to do about an error of the system, for those that many actions have in common.
fn advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(EMFILE) => "; this process needs a higher limit of open files: ulimit -n",
        Some(ENFILE) => "; the machine needs a higher limit of open files: sysctl fs.file-max",
        _ => "",
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::System { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}
