//! Point to point in the engine: each communicator's [`crate::p2p::Conversation`] gets the links it needs.
//!
//! Communicators with messages under way are listed; each pass of `progress` gives each of them a turn with each rank
//! that it has to do with. What lies at the head of a link for a communicator that expects nothing is taken in, too: a
//! message is never in the way of another.

use super::context::{Group, GroupId};
use super::disagreement::describe;
use super::engine::{Engine, Step, Ticket, Trouble};
use crate::base::{Error, Rank, Result};
use crate::endpoint::Presence;
use crate::endpoint::StashLink;
use crate::executor::LinkFailure;
use crate::p2p::{
    Completion, Conversation, Drain, Fault, MatchedMessage, OutgoingMessage, RecvBuffer, Selector, Status,
};
use crate::sys::poll::Interest;
use crate::transport::Link;

/// Names a started message: the communicator, its context (communicators are gone some day, contexts never come back).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTicket {
    pub(super) group: GroupId,
    context: u32,
    ticket: crate::p2p::Ticket,
}

impl MessageTicket {
    /// Of a message of the communicator `group`, whose conversation is in `context`.
    pub(super) fn new(group: GroupId, context: u32, ticket: crate::p2p::Ticket) -> MessageTicket {
        MessageTicket { group, context, ticket }
    }
}

/// What one turn has done.
#[derive(Default)]
pub(super) struct Turn {
    pub moved: bool,
    /// A port whose head belongs to somebody else.
    pub foreign: Option<u32>,
}

impl Engine {
    /// Starts a send. It moves in `progress`.
    ///
    /// # Safety
    /// As [`Conversation::start_send`].
    pub unsafe fn start_send(&mut self, id: GroupId, what: &OutgoingMessage) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        self.talk(id, |conversation| Ok(unsafe { conversation.start_send(what) }))
    }

    /// Starts a receive. It moves in `progress`.
    ///
    /// # Safety
    /// As [`Conversation::start_receive`].
    pub unsafe fn start_receive(
        &mut self,
        id: GroupId,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        self.talk(id, |conversation| unsafe { conversation.start_receive(selector, buffer) })
    }

    /// Starts the receive of a message that a probe has taken out.
    ///
    /// # Safety
    /// As [`Conversation::start_claimed`].
    pub unsafe fn start_claimed(
        &mut self,
        id: GroupId,
        message: MatchedMessage,
        buffer: RecvBuffer,
    ) -> Result<Ticket> {
        // SAFETY: passed on from our caller.
        self.talk(id, |conversation| unsafe { conversation.start_claimed(message, buffer) })
    }

    /// Starts a probe. It moves in `progress`.
    pub fn start_probe(&mut self, id: GroupId, selector: Selector, takes: bool) -> Result<Ticket> {
        self.talk(id, |conversation| Ok(conversation.start_probe(selector, takes)))
    }

    fn talk(
        &mut self,
        id: GroupId,
        start: impl FnOnce(&mut Conversation) -> Result<crate::p2p::Ticket>,
    ) -> Result<Ticket> {
        if let Some(failure) = self.tell_failure(id) {
            return Err(failure);
        }
        let conversation = &mut self.groups.get_mut(id).conversation;
        let context = conversation.context();
        match start(conversation) {
            Ok(ticket) => {
                self.note_talk(id);
                Ok(Ticket::Message(MessageTicket::new(id, context, ticket)))
            }
            Err(error) => {
                self.fail(id, error.clone());
                self.tell_failure(id);
                Err(error)
            }
        }
    }

    /// The message that a receive would get now, after a look at what has come.
    pub fn find(&mut self, id: GroupId, selector: Selector) -> Result<Option<Status>> {
        self.listen(id, selector)?;
        Ok(self.groups.get(id).conversation.find(selector))
    }

    /// The same, taken out.
    pub fn claim(&mut self, id: GroupId, selector: Selector) -> Result<Option<(MatchedMessage, Status)>> {
        self.listen(id, selector)?;
        Ok(self.groups.get_mut(id).conversation.claim(selector))
    }

    /// Takes in what the ranks have sent from which a message would be accepted, some of it.
    fn listen(&mut self, id: GroupId, selector: Selector) -> Result<()> {
        if let Some(failure) = self.tell_failure(id) {
            return Err(failure);
        }
        let ranks = match selector.source() {
            Some(rank) => rank..rank + 1,
            None => 0..self.groups.get(id).size(),
        };
        let mut turn = Turn::default();
        for rank in ranks {
            let port = self.groups.get(id).members[rank as usize].port;
            let heard = match self.exchange(id, rank, Drain::Everything, &mut turn) {
                // Somebody else's bytes may be in the way of ours.
                Ok(()) if turn.foreign.take().is_some() => self.sort_out(port, true).map(drop),
                other => other,
            };
            if let Err(Trouble { group, error }) = heard {
                self.fail(group, error);
            }
        }
        self.note_talk(id);
        self.tell_failure(id).map_or(Ok(()), Err)
    }

    /// Ends a receive that has met no message; whether it did.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let Ticket::Message(ticket) = ticket else { return false };
        self.conversation(ticket).is_some_and(|conversation| conversation.cancel(ticket.ticket))
    }

    /// The conversation of a ticket, also when its communicator was given up.
    fn conversation(&mut self, ticket: MessageTicket) -> Option<&mut Conversation> {
        match self.groups.find_mut(ticket.group) {
            Some(group) => Some(&mut group.conversation),
            None => self.given_up.iter_mut().find(|conversation| conversation.context() == ticket.context),
        }
    }

    pub(super) fn has_message_outcome(&self, ticket: MessageTicket) -> bool {
        let here = self.groups.find(ticket.group).map(|group| &group.conversation);
        let is_it = |conversation: &&Conversation| conversation.context() == ticket.context;
        let conversation = here.or_else(|| self.given_up.iter().find(is_it));
        conversation.is_some_and(|conversation| conversation.has_outcome(ticket.ticket))
    }

    /// How often anything went to or came from the ranks that a message may be with.
    pub(super) fn message_moves(&self, ticket: MessageTicket) -> u32 {
        let Some(group) = self.groups.find(ticket.group) else { return 0 };
        match group.conversation.party(ticket.ticket) {
            Some(rank) => group.members[rank as usize].moves,
            None => group.members.iter().fold(0, |sum: u32, member| sum.wrapping_add(member.moves)),
        }
    }

    pub(super) fn take_message_outcome(&mut self, ticket: MessageTicket) -> Option<Result<Completion>> {
        let outcome = self.conversation(ticket)?.take_outcome(ticket.ticket)?;
        self.given_up.retain(|conversation| !conversation.is_over());
        Some(outcome)
    }

    /// The communicator gets a turn in each pass, for as long as it has messages under way.
    pub(super) fn note_talk(&mut self, id: GroupId) {
        if !self.groups.get(id).conversation.is_idle() && !self.talking.contains(&id) {
            self.talking.push(id);
        }
    }

    /// A turn for every communicator with messages under way.
    pub(super) fn exchange_all(&mut self) -> Step<Turn> {
        let mut turn = Turn::default();
        let mut watched = std::mem::take(&mut self.watched);
        let mut at = 0;
        while let Some(&id) = self.talking.get(at) {
            self.groups.get_mut(id).conversation.watched(&mut watched);
            for &rank in &watched {
                self.exchange(id, rank, Drain::Needed, &mut turn)?;
            }
            let conversation = &mut self.groups.get_mut(id).conversation;
            // At once: while anybody is listed, no call takes its short way.
            conversation.settle();
            if conversation.is_idle() {
                self.talking.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.watched = watched;
        Ok(turn)
    }

    /// Offers what goes to a rank and takes in what came from it.
    fn exchange(&mut self, id: GroupId, rank: Rank, drain: Drain, turn: &mut Turn) -> Step<()> {
        let Group { conversation, members, .. } = self.groups.get_mut(id);
        let number = members[rank as usize].port;
        let moves = &mut members[rank as usize].moves;
        let port = &mut self.ports[number as usize];
        let link = &mut *port.inbox.link;
        let outcome = exchange_with(conversation, rank, drain, link);
        match outcome {
            Ok((moved, foreign)) => {
                // An offer is news to the peer, though nothing of it is taken yet.
                port.ring_if_wanted();
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

    /// The head of a link is of this communicator's messages, and nobody asked for it yet.
    pub(super) fn hear(&mut self, id: GroupId, rank: Rank) -> Step<bool> {
        let Group { conversation, members, .. } = self.groups.get_mut(id);
        let port = &mut self.ports[members[rank as usize].port as usize];
        match conversation.pull(rank, &mut *port.inbox.link, Drain::Everything) {
            Ok(pulled) => {
                port.ring_if_wanted();
                self.note_talk(id);
                Ok(pulled.moved)
            }
            Err(fault) => self.fault(id, rank, fault).map(|()| false),
        }
    }

    /// What came for a communicator before this rank had made it.
    pub(super) fn hear_stashed(&mut self, id: GroupId) {
        for rank in 0..self.groups.get(id).size() {
            let Group { conversation, members, .. } = self.groups.get_mut(id);
            let inbox = &mut self.ports[members[rank as usize].port as usize].inbox;
            let context = conversation.context();
            let mut stash = StashLink::new(inbox, context);
            let fault = loop {
                match conversation.pull(rank, &mut stash, Drain::Everything) {
                    Ok(pulled) if pulled.moved => {}
                    Ok(_) => break None,
                    Err(fault) => break Some(fault),
                }
            };
            if let Some(Err(Trouble { group, error })) = fault.map(|fault| self.fault(id, rank, fault)) {
                return self.fail(group, error);
            }
        }
        self.note_talk(id);
    }

    fn fault(&self, id: GroupId, rank: Rank, fault: Fault) -> Step<()> {
        let group = self.groups.get(id);
        match fault {
            Fault::Contradiction(error) => Err(Trouble { group: id, error }),
            // Somebody has gone from whom a message could have come as well as from others.
            Fault::Link(source)
                if source.kind() != std::io::ErrorKind::InvalidData
                    && !group.conversation.depends_on(rank) =>
            {
                Ok(())
            }
            Fault::Link(source) => {
                let failure = LinkFailure { peer: group.members[rank as usize].port, source };
                Err(self.broken_link(id, failure, &self.message_title(id)))
            }
        }
    }

    /// Gives up what was offered to links, and ends all messages of a communicator.
    pub(super) fn end_messages(&mut self, id: GroupId, error: &Error) {
        let Group { conversation, members, .. } = self.groups.get_mut(id);
        for (rank, header, data, bytes) in conversation.under_way() {
            let link = &mut self.ports[members[rank as usize].port as usize].inbox.link;
            // SAFETY: the rest of a message without an outcome: readable, by the promise to `start_send`.
            unsafe { link.abandon(&header, data, bytes) };
        }
        conversation.fail(error);
        self.talking.retain(|talking| *talking != id);
    }

    /// Takes in what came from ranks for which no message waits here: they may wait until this one has read it.
    pub(super) fn hear_everybody(&mut self) -> Step<bool> {
        let mut turn = Turn::default();
        for at in 0..self.talking.len() {
            let id = self.talking[at];
            for rank in 0..self.groups.get(id).size() {
                self.exchange(id, rank, Drain::Everything, &mut turn)?;
            }
        }
        Ok(turn.moved)
    }

    /// The ports that ranks with messages under way listen to, and wait for room to.
    pub(super) fn awaited_by_messages(&self) -> impl Iterator<Item = (u32, Interest)> {
        self.talking.iter().map(|id| self.groups.get(*id)).flat_map(|group| {
            let others = (0..group.size()).filter(|rank| *rank != group.rank);
            // The socket of somebody who is gone is always ready.
            let is_of_use = |rank: &Rank| {
                group.conversation.depends_on(*rank) || group.presence(*rank, &self.ports) == Presence::Here
            };
            others.filter(is_of_use).map(|rank| {
                let waits_for_room = group.conversation.has_outgoing(rank);
                let interest = if waits_for_room { Interest::ReadWrite } else { Interest::Read };
                (group.members[rank as usize].port, interest)
            })
        })
    }

    /// A message of a communicator that has not ended, for an error: `recv(...) on "world"`.
    pub(super) fn message_title(&self, id: GroupId) -> String {
        let group = self.groups.get(id);
        let first = group.conversation.first_unfinished();
        let what = first.map_or("a message".into(), |ticket| group.conversation.describe(ticket).0);
        format!("{what} on \"{}\"", group.name)
    }

    /// Who has not done their part in a message, for a timeout.
    pub(super) fn who_is_silent_in(&self, ticket: MessageTicket) -> String {
        let Some(group) = self.groups.find(ticket.group) else { return String::new() };
        let (what, from) = group.conversation.describe(ticket.ticket);
        let mut text = format!("{what} on \"{}\": ", group.name);
        let Some(peer) = from else {
            text.push_str("no rank has sent such a message");
            return text + &unexpected(&group.conversation, None);
        };
        text.push_str(&group.label(peer, &self.ports));
        text.push_str(if group.conversation.is_send(ticket.ticket) {
            " has started no receive for it"
        } else {
            " has sent no such message"
        });
        if let Some(stall) = group.members[peer as usize].stall {
            let call = describe(stall.call);
            text.push_str(&format!("; when last heard of, it waited in {call} #{}", stall.sequence));
        }
        text + &unexpected(&group.conversation, Some(peer))
    }
}

/// One exchange with a rank: whether anything moved, and whether the link's head belongs to somebody else.
fn exchange_with(
    conversation: &mut Conversation,
    rank: Rank,
    drain: Drain,
    link: &mut dyn Link,
) -> std::result::Result<(bool, bool), Fault> {
    // A message that opens without credit costs a round trip, and credit may be here already.
    let credited = conversation.lacks_credit(rank) && conversation.pull(rank, link, drain)?.moved;
    let pushed = conversation.push(rank, link).map_err(Fault::Link)?;
    let pulled = conversation.pull(rank, link, drain)?;
    Ok((credited || pushed || pulled.moved, pulled.foreign.is_some()))
}

/// What came from a rank, or from any, and was not received.
fn unexpected(conversation: &Conversation, from: Option<Rank>) -> String {
    const MOST: usize = 4;
    let fits = |status: &Status| from.is_none_or(|from| status.source == from);
    let all: Vec<Status> = conversation.unexpected().filter(fits).collect();
    if all.is_empty() {
        return String::new();
    }
    let word =
        |s: &Status| format!("tag {} from rank {} ({} of {})", s.tag, s.source, s.count, s.datatype.name());
    let shown: Vec<String> = all.iter().take(MOST).map(word).collect();
    let more = all.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("; nobody receives what has come: {}{more}", shown.join(", "))
}
