//! What the engine keeps of messages from rank to rank: which communicators have some under way.

use super::context::CommId;
use crate::base::Rank;
use crate::p2p::Conversation;

/// Name of a send, receive or probe that was started in a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTicket {
    pub(super) comm: CommId,
    pub(super) context: u32,
    pub(super) ticket: crate::p2p::Ticket,
}

impl MessageTicket {
    /// The ticket of a message of `comm`, whose conversation has the context `context`.
    pub(super) fn new(comm: CommId, context: u32, ticket: crate::p2p::Ticket) -> MessageTicket {
        MessageTicket { comm, context, ticket }
    }
}

/// The messages from rank to rank that the engine has to look after.
#[derive(Default)]
pub(super) struct Messaging {
    /// Communicators with messages under way.
    pub comms: Vec<CommId>,
    /// Ranks to be looked at in one turn; kept for its memory.
    pub watched: Vec<Rank>,
    /// Passes in which nothing moved, with messages under way.
    pub idle_passes: u32,
    /// Messages of communicators that were given up, until their outcomes are taken.
    pub given_up: Vec<Conversation>,
}
