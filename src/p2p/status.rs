//! What is known of a message when it has been received, found or sent.

use super::matching::Tag;
use super::receiving::Incoming;
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
pub struct Message(pub(super) Key<Incoming>);

/// What a started operation leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    /// Of the message.
    pub status: Status,
    /// The message itself, of a matched probe.
    pub message: Option<Message>,
}

/// How a started operation has ended.
pub type Outcome = Result<Ended, Error>;

impl From<Status> for Ended {
    fn from(status: Status) -> Ended {
        Ended { status, message: None }
    }
}
