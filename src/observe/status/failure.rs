//! Kinds of failures, as a page numbers them.

use crate::base::Error;

/// Why a communicator has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The ranks have made different calls.
    Mismatch = 1,
    /// A call has waited for too long.
    Timeout = 2,
    /// A rank has ended, or its link.
    PeerLost = 3,
    /// A rank has given the communicator up.
    Aborted = 4,
    /// Anything else.
    Other = 5,
}

impl FailureKind {
    const ALL: [FailureKind; 5] = [
        FailureKind::Mismatch,
        FailureKind::Timeout,
        FailureKind::PeerLost,
        FailureKind::Aborted,
        FailureKind::Other,
    ];

    /// The kind of an error.
    pub fn of(error: &Error) -> FailureKind {
        match error {
            Error::Mismatch(_) => FailureKind::Mismatch,
            Error::Timeout { .. } => FailureKind::Timeout,
            Error::PeerLost { .. } => FailureKind::PeerLost,
            Error::Aborted(_) => FailureKind::Aborted,
            _ => FailureKind::Other,
        }
    }

    /// The kind with a number. 0 is none; what has no meaning is [`FailureKind::Other`].
    pub(super) fn from_number(number: u64) -> Option<FailureKind> {
        let known = FailureKind::ALL.into_iter().find(|kind| *kind as u64 == number);
        (number != 0).then(|| known.unwrap_or(FailureKind::Other))
    }
}
