//! Contexts: the numbers by which all ranks know a communicator.
//!
//! A context stands in the header of every fragment. Contexts come in pairs: the even one is that of the
//! collectives, the odd one that of the messages from rank to rank. The first communicator over a set of
//! links has context 0. Any other is numbered by its *leader*, most often rank 0 of the communicator that it
//! was made from, out of the leader's own quota of all numbers. So no rank has to ask another one, whatever
//! communicators other threads make at the same time.

use crate::transport::FIRST_CONTEXT;

/// Bit that is set in the context of messages from rank to rank.
pub(super) const TRANSFERS: u32 = 1;

/// Whether a context is that of messages from rank to rank.
#[inline]
pub(super) fn is_of_transfers(context: u32) -> bool {
    context & TRANSFERS != 0
}

/// Context of the messages from rank to rank of a communicator.
#[inline]
pub(super) fn of_transfers(context: u32) -> u32 {
    context | TRANSFERS
}

/// Name of a communicator in an engine. It stays unique: a slot may be used again, a context is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommId {
    pub(super) slot: u32,
    pub(super) context: u32,
}

impl CommId {
    /// The communicator that an engine begins with.
    pub const FIRST: CommId = CommId { slot: 0, context: FIRST_CONTEXT };
}
