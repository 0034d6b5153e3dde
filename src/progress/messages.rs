//! Messages in the engine: gives the [`crate::p2p::Conversation`] of each communicator the links that it
//! needs.
//!
//! Communicators with messages under way are listed. Each pass of `progress` gives each of them a turn with
//! each rank that it has to deal with. A message at the head of a link is taken in even if its communicator
//! expects none, so a message never blocks another.

use super::context::CommId;
use super::engine::{Engine, Step, Ticket, Trouble};
use super::engine_comm::{EngineComm, Member};
use super::messaging::MessageTicket;
use crate::base::{Error, Rank, Result};
use crate::endpoint::StashLink;
use crate::executor::LinkFailure;
use crate::p2p::{
    Completion, Conversation, Drain, Fault, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status,
};
use crate::sys::poll::Interest;
use crate::transport::Link;

/// The result of one turn of a communicator.
#[derive(Default)]
pub(super) struct Turn {
    pub moved: bool,
    /// An endpoint whose next fragment belongs to another conversation.
    pub foreign: Option<u32>,
}

impl Engine {
    /// Starts a send. It makes progress in `progress`.
    ///
    /// # Safety
    /// See [`Conversation::start_send`].
    pub unsafe fn start_send(&mut self, id: CommId, what: &OutgoingMessage) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        let ticket = self.start_message(id, |conversation| Ok(unsafe { conversation.start_send(what) }))?;
        self.note_send(ticket, what);
        Ok(ticket)
    }

    /// Starts a receive. It makes progress in `progress`.
    ///
    /// # Safety
    /// See [`Conversation::start_receive`].
    pub unsafe fn start_receive(
        &mut self,
        id: CommId,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        let start = |conversation: &mut Conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_receive(selector, buffer) }
        };
        let ticket = self.start_message(id, start)?;
        self.opening.note_source(selector.source());
        self.note_receive(ticket, selector.source(), Some(&buffer));
        Ok(ticket)
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// See [`Conversation::start_claimed`].
    pub unsafe fn start_claimed(
        &mut self,
        id: CommId,
        message: MatchedMessage,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        let start = |conversation: &mut Conversation| {
            // SAFETY: passed on from our caller.
            unsafe { conversation.start_claimed(message, buffer) }
        };
        let ticket = self.start_message(id, start)?;
        self.note_receive(ticket, None, Some(&buffer));
        Ok(ticket)
    }

    /// Takes the bytes of a message that a probe has taken out. See [`Conversation::take_claimed`].
    pub fn take_claimed(
        &mut self,
        id: CommId,
        message: MatchedMessage,
    ) -> Result<std::result::Result<Vec<u8>, MatchedMessage>> {
        if let Some(failure) = self.report_failure(id) {
            return Err(failure);
        }
        let taken = self.comms.get_mut(id).conversation.take_claimed(message);
        self.note_messaging(id);
        Ok(taken)
    }

    /// Starts a probe. It makes progress in `progress`.
    pub fn start_probe(&mut self, id: CommId, selector: Selector, takes: bool) -> Result<Ticket> {
        let ticket = self.start_message(id, |conversation| Ok(conversation.start_probe(selector, takes)))?;
        self.opening.note_source(selector.source());
        self.note_probe(ticket, selector.source());
        Ok(ticket)
    }

    pub(super) fn start_message(
        &mut self,
        id: CommId,
        start: impl FnOnce(&mut Conversation) -> Result<crate::p2p::Ticket>,
    ) -> Result<Ticket> {
        if let Some(failure) = self.report_failure(id) {
            return Err(failure);
        }
        let conversation = &mut self.comms.get_mut(id).conversation;
        let context = conversation.context();
        match start(conversation) {
            Ok(ticket) => {
                self.record_message(id, ticket);
                self.note_messaging(id);
                self.opening.note_begin();
                Ok(Ticket::Message(MessageTicket::new(id, context, ticket)))
            }
            Err(error) => {
                self.fail(id, error.clone());
                self.report_failure(id);
                Err(error)
            }
        }
    }

    /// Offers a send that was just started to its link, if each look at the link is a system call. Returns
    /// whether the send has ended, so that no look at all links is due.
    pub(super) fn push_alone(&mut self, id: CommId, to: Rank, ticket: Ticket) -> bool {
        let EngineComm { conversation, members, .. } = self.comms.get_mut(id);
        let Member { endpoint, moves, .. } = &mut members[to as usize];
        let endpoint = &mut self.endpoints[*endpoint as usize];
        // Credit may have come, which a look finds.
        if endpoint.inbox.link.descriptor().is_none() || conversation.lacks_credit(to) {
            return false;
        }
        let pushed = match conversation.push(to, &mut *endpoint.inbox.link) {
            Ok(pushed) => pushed,
            // The look finds the failure again, and its reason.
            Err(_) => return false,
        };
        endpoint.ring_doorbell_if_due();
        *moves = moves.wrapping_add(u32::from(pushed));
        conversation.settle();
        if pushed {
            // It may have ended a send of another thread as well.
            self.sleepers.ring_all();
        }
        if conversation.is_idle() {
            self.messaging.comms.retain(|messaging| *messaging != id);
        }
        self.has_outcome(ticket)
    }

    /// Whether a receive that was just started has matched no message, and no part of one is at the head of a
    /// link. A look at the links would then be of little use.
    pub(super) fn waits_quietly(&mut self, ticket: Ticket) -> bool {
        let Ticket::Message(MessageTicket { comm: id, ticket, .. }) = ticket else { return false };
        let Some(EngineComm { conversation, members, .. }) = self.comms.find_mut(id) else { return false };
        let source = conversation.posted_source(ticket).flatten();
        source.is_some_and(|rank| {
            let link = &mut self.endpoints[members[rank as usize].endpoint as usize].inbox.link;
            link.descriptor().is_none() && matches!(link.head(), Ok(None))
        })
    }

    /// Takes in what has come, then returns the message that a receive would get now.
    pub fn find(&mut self, id: CommId, selector: Selector) -> Result<Option<Status>> {
        self.poll_for(id, selector)?;
        Ok(self.comms.get(id).conversation.find(selector))
    }

    /// Like [`Engine::find`], but takes the message out.
    pub fn claim(&mut self, id: CommId, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
        self.poll_for(id, selector)?;
        Ok(self.comms.get_mut(id).conversation.claim(selector))
    }

    /// Takes in some of what has come from the ranks that the selector accepts.
    fn poll_for(&mut self, id: CommId, selector: Selector) -> Result<()> {
        if let Some(failure) = self.report_failure(id) {
            return Err(failure);
        }
        let ranks = match selector.source() {
            Some(rank) => rank..rank + 1,
            None => 0..self.comms.get(id).size(),
        };
        self.connect_with_sources(id, selector.source());
        self.hear_first_talkers();
        self.open_departed();
        if !self.opening.rung.is_empty() {
            self.open_rung(id, selector.source());
        }
        let mut turn = Turn::default();
        for rank in ranks {
            let endpoint = self.comms.get(id).members[rank as usize].endpoint;
            let heard = match self.exchange(id, rank, Drain::Everything, &mut turn) {
                // Bytes of another conversation may be in the way.
                Ok(()) if turn.foreign.take().is_some() => {
                    self.handle_unmatched(endpoint, true).map(|moved| turn.moved |= moved)
                }
                other => other,
            };
            if let Err(Trouble { comm, error }) = heard {
                self.fail(comm, error);
            }
        }
        if turn.moved {
            // It may have ended a receive of another thread.
            self.sleepers.ring_all();
        }
        self.note_messaging(id);
        self.report_failure(id).map_or(Ok(()), Err)
    }

    /// Cancels a receive, or a probe, that has matched no message. Returns whether it was cancelled.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let Ticket::Message(ticket) = ticket else { return false };
        self.conversation(ticket).is_some_and(|conversation| conversation.cancel(ticket.ticket))
    }

    /// The conversation of a ticket, even if its communicator was removed.
    fn conversation(&mut self, ticket: MessageTicket) -> Option<&mut Conversation> {
        match self.comms.find_mut(ticket.comm) {
            Some(comm) => Some(&mut comm.conversation),
            None => self
                .messaging
                .given_up
                .iter_mut()
                .find(|conversation| conversation.context() == ticket.context),
        }
    }

    pub(super) fn has_message_outcome(&self, ticket: MessageTicket) -> bool {
        let here = self.comms.find(ticket.comm).map(|comm| &comm.conversation);
        let is_it = |conversation: &&Conversation| conversation.context() == ticket.context;
        let conversation = here.or_else(|| self.messaging.given_up.iter().find(is_it));
        conversation.is_some_and(|conversation| conversation.has_outcome(ticket.ticket))
    }

    /// How often anything was sent to or came from the ranks at the other end of a message.
    pub(super) fn message_moves(&self, ticket: MessageTicket) -> u32 {
        let Some(comm) = self.comms.find(ticket.comm) else { return 0 };
        match comm.conversation.party(ticket.ticket) {
            Some(rank) => comm.members[rank as usize].moves,
            None => comm.members.iter().fold(0, |sum: u32, member| sum.wrapping_add(member.moves)),
        }
    }

    pub(super) fn take_message_outcome(&mut self, ticket: MessageTicket) -> Option<Result<Completion>> {
        let conversation = self.conversation(ticket)?;
        let record = conversation.record(ticket.ticket);
        let outcome = conversation.take_outcome(ticket.ticket)?;
        self.record_message_end(record, ticket, &outcome);
        self.messaging.given_up.retain(|conversation| !conversation.is_over());
        if self.observer.is_some() {
            let status = outcome.as_ref().ok().map(|completion| completion.status);
            self.note_message_end(Ticket::Message(ticket), status.as_ref());
        }
        Some(outcome)
    }

    /// Lists a communicator for turns in each pass, if it has messages under way.
    pub(super) fn note_messaging(&mut self, id: CommId) {
        if !self.comms.get(id).conversation.is_idle() && !self.messaging.comms.contains(&id) {
            self.messaging.comms.push(id);
        }
    }

    /// Gives every communicator with messages under way a turn.
    pub(super) fn exchange_all(&mut self) -> Step<Turn> {
        let mut turn = Turn::default();
        let mut watched = std::mem::take(&mut self.messaging.watched);
        let mut at = 0;
        while let Some(&id) = self.messaging.comms.get(at) {
            self.comms.get_mut(id).conversation.watched(&mut watched);
            for &rank in &watched {
                self.exchange(id, rank, Drain::Needed, &mut turn)?;
            }
            let conversation = &mut self.comms.get_mut(id).conversation;
            // Now, because no call takes the fast path while any communicator is listed.
            conversation.settle();
            if conversation.is_idle() {
                self.messaging.comms.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.messaging.watched = watched;
        Ok(turn)
    }

    /// Offers messages to a rank, and takes in what came from it.
    fn exchange(&mut self, id: CommId, rank: Rank, drain: Drain, turn: &mut Turn) -> Step<()> {
        let EngineComm { conversation, members, .. } = self.comms.get_mut(id);
        let number = members[rank as usize].endpoint;
        let moves = &mut members[rank as usize].moves;
        let endpoint = &mut self.endpoints[number as usize];
        // Such a link takes nothing and has nothing. A rank that waits for anybody may have hundreds.
        if endpoint.inbox.link.is_unopened() {
            return Ok(());
        }
        let link = &mut *endpoint.inbox.link;
        let outcome = exchange_with(conversation, rank, drain, link);
        match outcome {
            Ok((moved, foreign)) => {
                // The peer can act on an exposed message although the link has taken nothing of it yet.
                endpoint.ring_doorbell_if_due();
                if moved {
                    turn.moved = true;
                    *moves = moves.wrapping_add(1);
                }
                if foreign {
                    turn.foreign = Some(number);
                }
                Ok(())
            }
            Err(fault) => self.fault(id, rank, fault),
        }
    }

    /// Takes in a fragment at the head of a link that belongs to a message of this communicator, although no
    /// turn asked for it.
    pub(super) fn accept_unrequested(&mut self, id: CommId, rank: Rank) -> Step<bool> {
        let EngineComm { conversation, members, .. } = self.comms.get_mut(id);
        let endpoint = &mut self.endpoints[members[rank as usize].endpoint as usize];
        match conversation.pull(rank, &mut *endpoint.inbox.link, Drain::Everything) {
            Ok(pulled) => {
                endpoint.ring_doorbell_if_due();
                self.note_messaging(id);
                Ok(pulled.moved)
            }
            Err(fault) => self.fault(id, rank, fault).map(|()| false),
        }
    }

    /// Takes in what came for a communicator before this rank had made it.
    pub(super) fn accept_stashed(&mut self, id: CommId) {
        for rank in 0..self.comms.get(id).size() {
            let EngineComm { conversation, members, .. } = self.comms.get_mut(id);
            let inbox = &mut self.endpoints[members[rank as usize].endpoint as usize].inbox;
            let context = conversation.context();
            let mut stash = StashLink::new(inbox, context);
            let fault = loop {
                match conversation.pull(rank, &mut stash, Drain::Everything) {
                    Ok(pulled) if pulled.moved => {}
                    Ok(_) => break None,
                    Err(fault) => break Some(fault),
                }
            };
            if let Some(Err(Trouble { comm, error })) = fault.map(|fault| self.fault(id, rank, fault)) {
                return self.fail(comm, error);
            }
        }
        self.note_messaging(id);
    }

    fn fault(&mut self, id: CommId, rank: Rank, fault: Fault) -> Step<()> {
        let comm = self.comms.get(id);
        match fault {
            Fault::Contradiction(error) => Err(Trouble { comm: id, error }),
            // A rank that could have sent the message is gone, but others may still send it.
            Fault::Link(source)
                if source.kind() != std::io::ErrorKind::InvalidData
                    && !comm.conversation.depends_on(rank) =>
            {
                let failure = LinkFailure { peer: comm.members[rank as usize].endpoint, source };
                // The end is noted, for when all others have gone.
                self.may_hear_why(&failure);
                Ok(())
            }
            Fault::Link(source) => {
                let failure = LinkFailure { peer: comm.members[rank as usize].endpoint, source };
                if self.may_hear_why(&failure) {
                    return Ok(());
                }
                Err(self.broken_link(id, failure, &self.message_title(id)))
            }
        }
    }

    /// Withdraws what was offered to links, and ends all messages of a communicator.
    pub(super) fn end_messages(&mut self, id: CommId, error: &Error) {
        let EngineComm { conversation, members, .. } = self.comms.get_mut(id);
        for (rank, header, data, bytes) in conversation.under_way() {
            let link = &mut self.endpoints[members[rank as usize].endpoint as usize].inbox.link;
            // SAFETY: the rest of a message without an outcome; it is readable by the promise to
            // `start_send`.
            unsafe { link.abandon(&header, data, bytes) };
        }
        conversation.fail(error);
        self.messaging.comms.retain(|messaging| *messaging != id);
    }

    /// Takes in what came from ranks for which no message waits here. Those ranks may wait until this rank
    /// has read it.
    pub(super) fn poll_all_members(&mut self) -> Step<bool> {
        let mut turn = Turn::default();
        for at in 0..self.messaging.comms.len() {
            let id = self.messaging.comms[at];
            for rank in 0..self.comms.get(id).size() {
                self.exchange(id, rank, Drain::Everything, &mut turn)?;
            }
        }
        Ok(turn.moved)
    }

    /// The endpoints of ranks to which a message of a communicator goes, or from which one must come.
    pub(super) fn partners_of_messages(&self, id: CommId) -> impl Iterator<Item = u32> {
        let comm = self.comms.get(id);
        let others = comm.conversation.partners().filter(|rank| *rank != comm.rank);
        others.map(|rank| comm.members[rank as usize].endpoint)
    }

    /// The endpoints for which communicators with messages under way wait, for data and sometimes for room.
    pub(super) fn needs_of_messages(&self) -> impl Iterator<Item = (u32, Interest)> {
        self.messaging.comms.iter().map(|id| self.comms.get(*id)).flat_map(|comm| {
            let others = (0..comm.size()).filter(|rank| *rank != comm.rank);
            // The socket of a rank that is gone is always ready.
            let is_of_use =
                |rank: &Rank| comm.conversation.depends_on(*rank) || comm.may_send(*rank, &self.endpoints);
            others.filter(is_of_use).map(|rank| {
                let waits_for_room = comm.conversation.has_outgoing(rank);
                let interest = if waits_for_room { Interest::ReadWrite } else { Interest::Read };
                (comm.members[rank as usize].endpoint, interest)
            })
        })
    }
}

/// Makes one exchange with a rank. Returns whether anything moved, and whether the next fragment belongs to
/// another conversation.
fn exchange_with(
    conversation: &mut Conversation,
    rank: Rank,
    drain: Drain,
    link: &mut dyn Link,
) -> std::result::Result<(bool, bool), Fault> {
    // A message without credit needs a handshake, and credit may have come already.
    let credited = conversation.lacks_credit(rank) && conversation.pull(rank, link, drain)?.moved;
    let pushed = conversation.push(rank, link).map_err(Fault::Link)?;
    let pulled = conversation.pull(rank, link, drain)?;
    Ok((credited || pushed || pulled.moved, pulled.foreign.is_some()))
}
