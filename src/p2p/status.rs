//! The description of a message that was received, found or sent.

use super::matching::Tag;
use crate::base::{Datatype, Rank};

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
