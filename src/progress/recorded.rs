//! Messages in the flight recorder ([`crate::observe::status`]).

use super::context::CommId;
use super::engine::Engine;
use super::messaging::MessageTicket;
use crate::base::{Call, CallKind, Datatype, Rank};
use crate::observe::status::{MessageSide, ShownEnd};
use crate::p2p::{MessageFacts, MessageOutcome, Tag, Ticket};

/// The packed call of a message.
#[inline]
pub(super) fn transfer(tag: Tag, datatype: Datatype, count: u64) -> [u64; 2] {
    Call { kind: CallKind::Transfer, datatype, op: None, root: tag.cast_unsigned(), count }.pack()
}

#[inline]
pub(super) fn sending_to(peer: Rank) -> MessageSide {
    MessageSide { is_send: true, peer: Some(peer) }
}

#[inline]
pub(super) fn receiving_from(peer: Rank) -> MessageSide {
    MessageSide { is_send: false, peer: Some(peer) }
}

impl Engine {
    /// Records that a message has begun.
    pub(super) fn record_message(&mut self, id: CommId, ticket: Ticket) {
        let Some(page) = &self.page else { return };
        let comm = self.comms.get_mut(id);
        let Some(facts) = comm.conversation.facts(ticket) else { return };
        let MessageFacts { is_send, peer, tag, datatype, count } = facts;
        let side = MessageSide { is_send, peer };
        page.note_message(comm.context, side, &transfer(tag, datatype, count), ShownEnd::Open);
        comm.conversation.set_record(ticket, page.latest_message());
    }

    /// Records that the program learns of the end of a message.
    pub(super) fn record_message_end(&self, record: u64, ticket: MessageTicket, outcome: &MessageOutcome) {
        let Some(page) = self.page.as_ref().filter(|_| record != 0) else { return };
        let is_send =
            self.comms.find(ticket.comm).is_none_or(|comm| comm.conversation.is_send(ticket.ticket));
        let status = outcome.as_ref().ok().map(|completion| completion.status);
        let got = status.filter(|status| !is_send && !status.is_cancelled);
        let got = got.map(|got| (receiving_from(got.source), transfer(got.tag, got.datatype, got.count)));
        page.note_message_end(record, outcome.is_err(), got);
    }
}
