//! The description of a message that was received, found or sent.

use super::matching::Tag;
use super::receiving::IncomingMessage;
use super::slab::Key;
use crate::base::{Datatype, Error, Rank};

/// A message as its sender described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Rank of the sender.
    pub source: Rank,
    /// Tag of the message.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// Number of elements.
    pub count: u64,
    /// Number of bytes.
    pub bytes: usize,
    /// Whether the receive was cancelled. There was no message then, and the other fields mean nothing.
    pub is_cancelled: bool,
}

/// A message that a matched probe has taken out. Only the holder of this value can receive it
/// (`MPI_Message`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedMessage(pub(super) Key<IncomingMessage>);

/// The result of a completed operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Status of the message.
    pub status: Status,
    /// The message itself, if a matched probe has taken it out.
    pub message: Option<MatchedMessage>,
}

/// How a started operation has ended.
pub type MessageOutcome = Result<Completion, Error>;

impl From<Status> for Completion {
    fn from(status: Status) -> Completion {
        Completion { status, message: None }
    }
}
