//! State of the messages from rank to rank in the engine: the communicators that have some under way.

use super::context::CommId;
use crate::base::Rank;
use crate::p2p::Conversation;

/// Name of a send, receive or probe that was started in a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageTicket {
    pub(super) comm: CommId,
    pub(super) context: u32,
    pub(super) ticket: crate::p2p::Ticket,
}

impl MessageTicket {
    /// Makes the ticket of a message of `comm`, whose conversation has the context `context`.
    pub(super) fn new(comm: CommId, context: u32, ticket: crate::p2p::Ticket) -> MessageTicket {
        MessageTicket { comm, context, ticket }
    }
}

/// The messages from rank to rank that need turns of the engine.
#[derive(Default)]
pub(super) struct Messaging {
    /// Communicators with messages under way.
    pub comms: Vec<CommId>,
    /// Ranks to be looked at in one turn; kept to reuse its memory.
    pub watched: Vec<Rank>,
    /// Passes without movement while messages were under way.
    pub idle_passes: u32,
    /// Conversations of removed communicators, until their outcomes are taken.
    pub given_up: Vec<Conversation>,
}
