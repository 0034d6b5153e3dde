//! What is known of a message when it has been received, found or sent.

use super::matching::Tag;
use super::receiving::IncomingMessage;
use super::slab::Key;
use crate::base::{Datatype, Error, Rank};

/// A message in its sender's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Who sent it.
    pub source: Rank,
    /// Its name.
    pub tag: Tag,
    /// Type of its elements.
    pub datatype: Datatype,
    /// How many elements it has.
    pub count: u64,
    /// How many bytes.
    pub bytes: usize,
    /// The receive was cancelled: there was no message, and the rest says nothing.
    pub is_cancelled: bool,
}

/// A message that a matched probe has taken out: only who has this can receive it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedMessage(pub(super) Key<IncomingMessage>);

/// What a started operation leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Of the message.
    pub status: Status,
    /// The message itself, of a matched probe.
    pub message: Option<MatchedMessage>,
}

/// How a started operation has ended.
pub type MessageOutcome = Result<Completion, Error>;

impl From<Status> for Completion {
    fn from(status: Status) -> Completion {
        Completion { status, message: None }
    }
}
