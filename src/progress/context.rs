//! Contexts: the numbers by which all ranks know a communicator.
//!
//! A context is part of the header of every fragment. Contexts come in pairs: the even one belongs to the
//! collectives, the odd one to the messages from rank to rank. The first communicator over a set of links has
//! context 0. Any other gets a number from its *leader*, which is usually rank 0 of the parent communicator.
//! Each leader has its own share of all numbers. So no rank has to ask another one, whatever communicators
//! other threads make at the same time.

use crate::transport::FIRST_CONTEXT;

/// Bit that is set in contexts of messages from rank to rank.
pub(super) const TRANSFERS: u32 = 1;

/// Whether a context belongs to messages from rank to rank.
#[inline]
pub(super) fn is_of_transfers(context: u32) -> bool {
    context & TRANSFERS != 0
}

/// Context of the messages from rank to rank of a communicator.
#[inline]
pub(super) fn of_transfers(context: u32) -> u32 {
    context | TRANSFERS
}

/// Id of a communicator in an engine. It stays unique: a slot may be reused, a context is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommId {
    pub(super) slot: u32,
    pub(super) context: u32,
}

impl CommId {
    /// The communicator with which an engine begins.
    pub const FIRST: CommId = CommId { slot: 0, context: FIRST_CONTEXT };
}
