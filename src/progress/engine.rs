//! Everything that goes on over the links of one rank, and how it moves forward.
//!
//! The communicators made from the same one share its links ([`super::group`]). The engine never waits ([`super::wait`] does). Each call that is started becomes an *active*; `progress`
//! gives every active a turn. When nothing can move, the engine sorts out what lies at the heads of the links:
//! a call that contradicts ours fails the communicator, a call of the future is stashed, one of the past dropped.
//!
//! A failure is that of one communicator, and for ever: it ends its actives, is told to its other ranks once, and is
//! repeated to every later call.

use std::sync::Arc;
use std::time::Instant;

use super::disagreement::{History, Verdict, describe};
use super::execution::{Buffers, Execution, LinkFailure, placed};
use super::failure;
use super::group::{self, Group, GroupId, Groups, Known};
use super::port::Port;
use super::prepared::{Division, Key, Prepared};
use super::straight;
use super::transfer::MessageTicket;
use crate::base::{Error, Rank, Result};
use crate::log_line;
use crate::observe::trace;
use crate::p2p::{Conversation, Ended};
use crate::sys::poll::Interest;
use crate::transport::Header;
use crate::transport::control::Message;

/// Names what was started, until its outcome is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// A collective call, by number.
    Call(u64),
    /// A message, or the search for one.
    Message(MessageTicket),
}

/// Passes without movement after which ranks are listened to for which nothing waits.
pub(super) const PASSES_PER_HEARING: u32 = 16;

/// How something has ended; of a message, with what is known of it.
pub type Outcome = Result<Option<Ended>>;

/// A call that was started.
pub(super) struct Active {
    pub number: u64,
    pub group: GroupId,
    pub prepared: Arc<Prepared>,
    buffers: Buffers,
    /// Boxed: moves from list to list.
    pub execution: Box<Execution>,
    pub outcome: Option<Result<()>>,
    /// Visits in which something moved.
    moves: u32,
}

// SAFETY: `buffers` are the caller's, promised to be left alone until the call is complete (as in
// `Execution`); it is only used through `&mut Engine`.
unsafe impl Send for Active {}

/// All that goes on over the links of one rank.
pub struct Engine {
    pub(super) rank: Rank,
    pub(super) ports: Vec<Port>,
    pub(super) groups: Groups,
    pub(super) actives: Vec<Active>,
    /// To be used again: their lists have room already.
    #[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
    spare: Vec<Box<Execution>>,
    next_number: u64,
    /// Communicators with messages under way.
    pub(super) talking: Vec<GroupId>,
    /// Kept for its memory.
    pub(super) watched: Vec<Rank>,
    /// Passes in which nothing moved, with messages under way.
    pub(super) idle_passes: u32,
    /// Messages of communicators that were given up, until their outcomes are taken.
    pub(super) given_up: Vec<Conversation>,
    /// When somebody was first seen to be gone.
    pub(super) departure: Option<Instant>,
    /// Ranks share processors: give way soon.
    pub(super) crowded: bool,
    /// They do, and some link is a socket, where each look is a system call: look less often.
    pub(super) crowded_on_sockets: bool,
    /// Until all ranks have met, a notice is kept back.
    pub(super) joining: Joining,
    /// What was said about communicators that this rank has not made yet, with the port that it came through.
    pub(super) early: Vec<(u32, Message)>,
}

/// A rank that has met all others goes on, and may fail, while others still read what was sent to them: its notice
/// belongs to their first call, not to their joining.
#[derive(Default)]
pub(super) enum Joining {
    /// All have met.
    #[default]
    Over,
    /// They are about to; the notice that came meanwhile, and from whom.
    UnderWay(Option<(Rank, Message)>),
}

impl Engine {
    /// With a port per rank, its own included. Begins with one communicator of that name, [`GroupId::FIRST`].
    pub fn new(name: String, rank: Rank, ports: Vec<Port>) -> Engine {
        Engine {
            rank,
            groups: Groups::new(name, rank, ports.len() as u32),
            ports,
            actives: Vec::new(),
            spare: Vec::new(),
            next_number: 0,
            talking: Vec::new(),
            watched: Vec::new(),
            idle_passes: 0,
            given_up: Vec::new(),
            departure: None,
            crowded: false,
            crowded_on_sockets: false,
            joining: Joining::Over,
            early: Vec::new(),
        }
    }

    /// Ranks share processors.
    pub fn set_crowded(&mut self) {
        self.crowded = true;
        self.crowded_on_sockets = self.ports.iter().any(|port| port.inbox.link.descriptor().is_some());
        self.ports.iter_mut().for_each(|port| port.inbox.link.set_crowded(true));
    }

    /// The way to each rank.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Why a communicator cannot be used any more.
    pub fn failure(&self, group: GroupId) -> Option<&Error> {
        self.groups.get(group).failure.as_ref()
    }

    /// A call that was made lately.
    #[inline]
    pub(super) fn recent(&self, group: GroupId, key: &Key) -> Option<&Arc<Prepared>> {
        self.groups.get(group).recent.get(key)
    }

    /// Keeps a call for the next time.
    pub(super) fn keep(&mut self, group: GroupId, key: Key, prepared: Arc<Prepared>) {
        self.groups.get_mut(group).recent.put(key, prepared);
    }

    /// Starts a call. It moves in `progress`.
    ///
    /// # Safety
    /// The buffers are valid for the program, and left alone until the call is complete or has failed.
    pub unsafe fn start(
        &mut self,
        group: GroupId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        if let Some(failure) = self.failure(group) {
            return Err(failure.clone());
        }
        let Group { context, collectives, .. } = self.groups.get_mut(group);
        let header = header_for(*context, collectives, &prepared);
        let mut execution = spare_for(&mut self.spare, &prepared);
        // SAFETY: passed on from our caller.
        unsafe { execution.begin(Arc::clone(&prepared), header, buffers) };
        Ok(self.enlist(group, &prepared, buffers, execution))
    }

    /// Runs a call that was made lately to its end if that is a matter of moments, else starts it. `None`: it was not
    /// made lately.
    ///
    /// # Safety
    /// As `start`.
    #[inline]
    pub unsafe fn run_or_start(
        &mut self,
        id: GroupId,
        key: &Key,
        buffers: Buffers,
    ) -> Option<Result<Option<Ticket>>> {
        let group = self.groups.get_mut(id);
        let prepared = group.recent.get(key)?;
        // Nothing is under way, nothing is wrong, and nobody wants to see each step.
        let nothing = self.actives.is_empty() && self.talking.is_empty();
        let is_quiet = nothing && group.failure.is_none() && !group.stalls_known && !trace::is_on();
        let Some(straight) = prepared.program.straight.as_ref().filter(|_| is_quiet) else {
            let prepared = Arc::clone(prepared);
            // SAFETY: passed on from our caller.
            return Some(unsafe { self.start(id, prepared, buffers) }.map(Some));
        };
        let Group { context, collectives, .. } = group;
        let header = header_for(*context, collectives, prepared);
        let mut execution = spare_for(&mut self.spare, prepared);
        let memory = execution.memory_for(buffers, prepared.program.scratch_bytes);
        let call = straight::Call {
            header: &header,
            reduce: prepared.reduce.as_ref(),
            element_bytes: prepared.program.element_bytes,
            crowded: self.crowded,
        };
        // SAFETY: passed on from our caller.
        let done = unsafe { straight::run(&straight.ops, &memory, &call, &mut self.ports) };
        if done == straight.ops.len() {
            self.spare.push(execution);
            finish(prepared, buffers);
            return Some(Ok(None));
        }
        let prepared = Arc::clone(prepared);
        // SAFETY: passed on from our caller; the next operation is a transfer.
        unsafe { execution.resume(Arc::clone(&prepared), header, buffers, done) };
        Some(Ok(Some(self.enlist(id, &prepared, buffers, execution))))
    }

    fn enlist(
        &mut self,
        group: GroupId,
        prepared: &Arc<Prepared>,
        buffers: Buffers,
        execution: Box<Execution>,
    ) -> Ticket {
        let number = self.next_number;
        self.next_number += 1;
        let prepared = Arc::clone(prepared);
        self.actives.push(Active { number, group, prepared, buffers, execution, outcome: None, moves: 0 });
        if self.groups.get(group).stalls_known {
            self.compare_stalls(group);
        }
        Ticket::Call(number)
    }

    /// The outcome of a call, once it has one. The ticket is used up then.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<Outcome> {
        let number = match ticket {
            Ticket::Call(number) => number,
            Ticket::Message(ticket) => {
                return self.take_message_outcome(ticket).map(|outcome| outcome.map(Some));
            }
        };
        let at = self.actives.iter().position(|a| a.number == number)?;
        self.actives[at].outcome.as_ref()?;
        let active = self.actives.swap_remove(at);
        // Not after a failure: where it stopped is of no use to anybody.
        if self.spare.len() < 8 && !matches!(active.outcome, Some(Err(_))) {
            self.spare.push(active.execution);
        }
        active.outcome.map(|outcome| outcome.map(|()| None))
    }

    /// Moves everything that can move; whether anything did.
    #[inline]
    pub fn progress(&mut self) -> bool {
        match self.visit_all() {
            Ok(moved) => moved,
            Err(Trouble { group, error }) => {
                // A link that breaks is often the end of a rank that has said why.
                self.read_control();
                self.fail(group, error);
                true
            }
        }
    }

    #[inline]
    fn visit_all(&mut self) -> Step<bool> {
        let mut moved = false;
        let mut foreign = None;
        for at in 0..self.actives.len() {
            let active = &mut self.actives[at];
            if active.outcome.is_some() {
                continue;
            }
            let visit = match active.execution.advance(&mut self.ports) {
                Ok(visit) => visit,
                Err(failure) => return Err(self.link_trouble(at, failure)),
            };
            moved |= visit.moved;
            active.moves = active.moves.wrapping_add(u32::from(visit.moved));
            foreign = foreign.or(visit.foreign);
            if active.execution.is_done() {
                finish(&active.prepared, active.buffers);
                active.outcome = Some(Ok(()));
                moved = true;
            }
        }
        let mut talks = 0;
        if !self.talking.is_empty() {
            let turn = self.exchange_all()?;
            moved |= turn.moved;
            talks = self.talking.len();
            self.idle_passes = if moved { 0 } else { self.idle_passes + 1 };
            if self.idle_passes >= PASSES_PER_HEARING {
                self.idle_passes = 0;
                moved |= self.hear_everybody()?;
            }
            // Of another communicator, or of a collective: perhaps of one that is to come.
            foreign = foreign.or(turn.foreign);
        }
        if !moved {
            let unfinished = self.actives.iter().filter(|a| a.outcome.is_none()).count();
            if unfinished + talks > 1 {
                for port in 0..self.ports.len() as u32 {
                    moved |= self.sort_out(port, true)?;
                }
            } else if let Some(port) = foreign {
                moved |= self.sort_out(port, false)?;
            }
        }
        Ok(moved)
    }

    /// Nobody can use the head of this link now: find out what it is, and take it away if it is in the way.
    pub(super) fn sort_out(&mut self, port: u32, stash_own: bool) -> Step<bool> {
        // A contradiction may have been stashed before the call that it contradicts was made here.
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let mine = active.execution.header();
            let inbox = &self.ports[port as usize].inbox;
            if let Some(other) = inbox.stashed_contradiction(mine) {
                return Err(self.mismatch(
                    active.group,
                    port,
                    other.sequence,
                    other.call,
                    active.prepared.call,
                ));
            }
        }
        let head = match self.ports[port as usize].inbox.link.head() {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(false),
            Err(source) => return self.blame(LinkFailure { peer: port, source }),
        };
        self.check_counts(port, &head)?;
        let taken = match self.groups.known(head.context) {
            Known::Here(id) if self.failure(id).is_none() => {
                if group::is_of_transfers(head.context) {
                    let rank = self.member(id, port)?;
                    return self.hear(id, rank);
                }
                if !self.is_in_the_way(id, port, &head, stash_own)? {
                    return Ok(false);
                }
                self.ports[port as usize].inbox.stash_head()
            }
            Known::Future => self.ports[port as usize].inbox.stash_head(),
            Known::Here(_) | Known::Past => self.ports[port as usize].inbox.discard_head(),
        };
        // What cannot be read, of a sender that has given it up, must not stand in the way.
        match taken.or_else(|_| self.ports[port as usize].inbox.discard_head()) {
            Ok(taken) => {
                self.ports[port as usize].ring_if_wanted();
                Ok(taken)
            }
            Err(source) => self.blame(LinkFailure { peer: port, source }),
        }
    }

    /// Fails where a message has another number of elements than its receive here, though the calls agree.
    fn check_counts(&self, port: u32, head: &Header) -> Step<()> {
        for active in self.actives.iter().filter(|a| a.outcome.is_none() && a.prepared.is_counted) {
            let stashed = self.ports[port as usize].inbox.first_of_call(active.execution.header());
            let next = stashed.unwrap_or(*head);
            if let Some(mine) = active.execution.other_count(port, &next) {
                return Err(self.mismatch(active.group, port, next.sequence, next.call, mine));
            }
        }
        Ok(())
    }

    /// Whether the head of a link, of this communicator, must wait for a later call or for others that are under way.
    fn is_in_the_way(&self, id: GroupId, port: u32, head: &Header, stash_own: bool) -> Step<bool> {
        let group = self.groups.get(id);
        let rank = self.member(id, port)?;
        match group.collectives.judge(head.sequence, head.call) {
            Verdict::Future => Ok(true),
            Verdict::Contradicts(mine) => Err(self.mismatch(id, port, head.sequence, head.call, mine)),
            Verdict::Forgotten => {
                let who = group.label(rank, &self.ports);
                let text = format!("{who} sends for call #{}, which ended here long ago", head.sequence);
                let error = Error::Mismatch(format!("{text}: {}", describe(head.call)));
                Err(Trouble { group: id, error })
            }
            Verdict::Agrees if stash_own => Ok(true),
            Verdict::Agrees => {
                let running = |a: &Active| a.outcome.is_none() && a.execution.header().is_of_call(head);
                if self.actives.iter().any(running) {
                    return Ok(false);
                }
                let who = group.label(rank, &self.ports);
                let text = format!("{who} sent more than the plan of {} has", describe(head.call));
                Err(Trouble { group: id, error: Error::Internal(text) })
            }
        }
    }

    /// The rank of a communicator that sends through this port.
    fn member(&self, id: GroupId, port: u32) -> Step<Rank> {
        let group = self.groups.get(id);
        group.rank_of(port).ok_or_else(|| {
            let who = &self.ports[port as usize].label;
            let text = format!("{who} sends in \"{}\", of which it is no member", group.name);
            Trouble { group: id, error: Error::Internal(text) }
        })
    }

    /// A link has failed outside of a call's turn: that matters to a call that waits for it, if there is one.
    fn blame(&self, failure: LinkFailure) -> Step<bool> {
        let waits = |active: &Active| active.execution.waits_for().any(|(port, _)| port == failure.peer);
        match self.actives.iter().position(|a| a.outcome.is_none() && waits(a)) {
            Some(at) => Err(self.link_trouble(at, failure)),
            None => Ok(false),
        }
    }

    /// Ends everything of a communicator with `error`, here and, by a notice, on its other ranks. Only the first one
    /// counts.
    pub fn fail(&mut self, id: GroupId, error: Error) {
        let group = self.groups.get(id);
        if group.failure.is_some() {
            return;
        }
        let notice = failure::notice(&error, group.context, group.rank);
        self.end_all(id, error, &notice);
    }

    /// Ends the communicator of a call.
    pub(super) fn fail_call(&mut self, ticket: Ticket, error: Error) {
        match ticket {
            Ticket::Message(ticket) => self.fail(ticket.group, error),
            Ticket::Call(number) => {
                if let Some(active) = self.actives.iter().find(|a| a.number == number) {
                    self.fail(active.group, error);
                }
            }
        }
    }

    /// Ends a communicator by the user's will, if it is still there.
    pub(super) fn abort(&mut self, id: GroupId, reason: &str) {
        if let Some(name) = self.groups.find(id).map(|group| group.name.clone()) {
            self.fail(id, Error::Aborted(format!("\"{name}\" was aborted: {reason}")));
        }
    }

    /// Every rank passes the news on once: whoever noticed it may be gone before it has told everybody.
    pub(super) fn end_all(&mut self, id: GroupId, error: Error, notice: &Message) {
        let group = self.groups.get_mut(id);
        if group.failure.is_some() {
            return;
        }
        log_line!(Error, "rank {} of \"{}\": {error}", group.rank, group.name);
        group.failure = Some(error.clone());
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            if let Some(control) = &mut port.control {
                control.send(notice);
            }
            port.inbox.forget(group.context);
            port.inbox.forget(group.transfers());
        }
        for active in self.actives.iter_mut().filter(|a| a.group == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.ports);
            active.outcome = Some(Err(error.clone()));
        }
        self.end_messages(id, &error);
    }

    /// How often a call, or what goes on with the peer of a message, has moved. Only differences mean something.
    pub(super) fn moves(&self, ticket: Ticket) -> u32 {
        match ticket {
            Ticket::Call(number) => self.actives.iter().find(|a| a.number == number).map_or(0, |a| a.moves),
            Ticket::Message(ticket) => self.message_moves(ticket),
        }
    }

    /// Whether the call has an outcome.
    pub(super) fn has_outcome(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Call(number) => self.actives.iter().any(|a| a.number == number && a.outcome.is_some()),
            Ticket::Message(ticket) => self.has_message_outcome(ticket),
        }
    }

    /// The ports that unfinished calls wait for, and for what.
    pub(super) fn awaited(&self) -> impl Iterator<Item = (u32, Interest)> {
        self.unfinished().flat_map(|a| a.execution.waits_for()).chain(self.awaited_by_messages())
    }

    /// Calls without an outcome.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &Active> {
        self.actives.iter().filter(|a| a.outcome.is_none())
    }

    /// A new context for a communicator made from one that this rank leads.
    pub fn lead(&mut self) -> Result<u32> {
        self.groups.lead(self.rank)
    }

    /// Adds a communicator; its ranks are behind `ports`, in order.
    pub fn add_group(&mut self, context: u32, name: String, rank: Rank, ports: &[u32]) -> GroupId {
        let id = self.groups.insert(Group::new(context, name, rank, ports.iter().copied()));
        self.hear_stashed(id);
        for (port, message) in std::mem::take(&mut self.early) {
            self.take_message(port, message);
        }
        id
    }

    /// Gives a communicator up. Its ranks are told; what has not ended ends now. Whether it was the last one.
    pub fn remove_group(&mut self, id: GroupId) -> bool {
        let error = Error::InvalidUsage("the communicator was given up meanwhile".into());
        self.end_messages(id, &error);
        for active in self.actives.iter_mut().filter(|a| a.group == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.ports);
            active.outcome = Some(Err(error.clone()));
        }
        let group = *self.groups.remove(id);
        let left = Message::Left { context: group.context };
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            if let Some(control) = &mut port.control {
                control.send(&left);
            }
            port.inbox.forget(group.context);
            port.inbox.forget(group.transfers());
        }
        if !group.conversation.is_over() {
            self.given_up.push(group.conversation);
        }
        self.groups.is_empty()
    }
}

/// What a step of progress gives.
pub(super) type Step<T> = std::result::Result<T, Trouble>;

/// What went wrong in one communicator.
#[derive(Debug)]
pub(super) struct Trouble {
    pub group: GroupId,
    pub error: Error,
}

#[inline]
fn header_for(context: u32, collectives: &mut History, prepared: &Prepared) -> Header {
    let call = prepared.packed;
    Header { context, sequence: collectives.note(call), call }
}

#[inline]
#[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
fn spare_for(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> Box<Execution> {
    spare.pop().unwrap_or_else(|| Box::new(Execution::idle(Arc::clone(prepared))))
}

/// The last local step of a call.
#[inline]
fn finish(prepared: &Prepared, buffers: Buffers) {
    if let Some(Division { divide, offset, elements, by }) = prepared.divide
        && by > 1
    {
        // SAFETY: the caller's output has at least that many elements, and the call is not complete yet.
        unsafe { divide(placed(buffers.output, offset), elements, by) };
    }
}
