//! Statuses: the known facts about a message whose operation has completed.

use anyccl_engine::p2p;

use crate::constants::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use crate::error::{Class, Error};

/// A status, in the numbers of the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Rank of the sender, `MPI_PROC_NULL` or `MPI_ANY_SOURCE`.
    pub source: i32,
    /// Tag of the message, or `MPI_ANY_TAG`.
    pub tag: i32,
    /// Error class of the operation. `None` leaves the field of the program's status alone.
    pub error: Option<Class>,
    /// Bytes of the message that were received.
    pub bytes: i64,
    /// Whether the operation was cancelled.
    pub is_cancelled: bool,
}

impl Status {
    /// The empty status (MPI 5.0, section 3.7.3), for requests that are null or not active.
    pub const EMPTY: Status = Status { error: Some(Class::SUCCESS), ..Status::SENT };

    /// The status of an operation that receives nothing. A call that returns one status leaves its error
    /// alone (section 3.2.5).
    pub const SENT: Status =
        Status { source: ANY_SOURCE, tag: ANY_TAG, error: None, bytes: 0, is_cancelled: false };

    /// The status of a message from `MPI_PROC_NULL`.
    pub const PROC_NULL: Status = Status { source: PROC_NULL, ..Status::SENT };

    /// The status of a receive that has failed.
    pub fn of_failed(error: &Error) -> Status {
        match error.message {
            Some((source, tag)) => Status { source, tag, ..Status::SENT },
            None => Status::SENT,
        }
    }

    /// This status with this error class.
    pub fn with_error(self, class: Class) -> Status {
        Status { error: Some(class), ..self }
    }
}

impl From<&p2p::Status> for Status {
    #[inline]
    fn from(status: &p2p::Status) -> Status {
        let p2p::Status { source, tag, bytes, is_cancelled, .. } = *status;
        Status { source: source as i32, tag, error: None, bytes: bytes as i64, is_cancelled }
    }
}
