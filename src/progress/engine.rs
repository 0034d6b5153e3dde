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
use super::execution::{Buffers, Execution, LinkFailure};
use super::failure;
use super::group::{self, Group, GroupId, Groups, Known, Member};
use super::port::Port;
use super::prepared::{Key, Prepared};
use super::straight;
use crate::base::{CallKind, Error, Rank, Result};
use crate::log_line;
use crate::observe::trace;
use crate::sys::poll::Interest;
use crate::transport::Header;
use crate::transport::control::Message;

/// Names a started call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// A call that was started.
pub(super) struct Active {
    pub ticket: Ticket,
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
    next_ticket: u64,
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
            next_ticket: 0,
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
        let Group { context, collectives, members, .. } = self.groups.get_mut(group);
        let header = header_for(*context, collectives, members, &prepared);
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
        let is_quiet =
            self.actives.is_empty() && group.failure.is_none() && !group.stalls_known && !trace::is_on();
        let Some(straight) = prepared.program.straight.as_ref().filter(|_| is_quiet) else {
            let prepared = Arc::clone(prepared);
            // SAFETY: passed on from our caller.
            return Some(unsafe { self.start(id, prepared, buffers) }.map(Some));
        };
        let Group { context, collectives, members, .. } = group;
        let header = header_for(*context, collectives, members, prepared);
        let mut execution = spare_for(&mut self.spare, prepared);
        let memory = execution.memory_for(buffers, prepared.program.scratch_bytes);
        let call = straight::Call {
            header: &header,
            reduce: prepared.reduce,
            element_bytes: prepared.program.element_bytes,
            crowded: self.crowded,
        };
        // SAFETY: passed on from our caller.
        let done = unsafe { straight::run(&straight.ops, &memory, &call, &mut self.ports) };
        if done == straight.ops.len() {
            self.spare.push(execution);
            finish(prepared, buffers, members.len());
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
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let prepared = Arc::clone(prepared);
        self.actives.push(Active { ticket, group, prepared, buffers, execution, outcome: None, moves: 0 });
        if self.groups.get(group).stalls_known {
            self.compare_stalls(group);
        }
        ticket
    }

    /// The outcome of a call, once it has one. The ticket is used up then.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<Result<()>> {
        let at = self.actives.iter().position(|a| a.ticket == ticket)?;
        self.actives[at].outcome.as_ref()?;
        let active = self.actives.swap_remove(at);
        // Not after a failure: where it stopped is of no use to anybody.
        if self.spare.len() < 8 && !matches!(active.outcome, Some(Err(_))) {
            self.spare.push(active.execution);
        }
        active.outcome
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
                finish(&active.prepared, active.buffers, self.groups.get(active.group).members.len());
                active.outcome = Some(Ok(()));
                moved = true;
            }
        }
        if !moved {
            let unfinished = self.actives.iter().filter(|a| a.outcome.is_none()).count();
            if unfinished > 1 {
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
    fn sort_out(&mut self, port: u32, stash_own: bool) -> Step<bool> {
        // A contradiction may have been stashed before the call that it contradicts was made here.
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let mine = active.execution.header();
            // Transfers are counted per pair and direction: only one that receives from there is meant.
            if group::is_of_transfers(mine.context) && !active.execution.receives_from(port) {
                continue;
            }
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
        let taken = match self.groups.known(head.context) {
            Known::Here(id) if self.failure(id).is_none() => {
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

    /// Whether the head of a link, of this communicator, must wait for a later call or for others that are under way.
    fn is_in_the_way(&self, id: GroupId, port: u32, head: &Header, stash_own: bool) -> Step<bool> {
        let group = self.groups.get(id);
        let Some(rank) = group.rank_of(port) else {
            let who = &self.ports[port as usize].label;
            let text = format!("{who} sends in \"{}\", of which it is no member", group.name);
            return Err(Trouble { group: id, error: Error::Internal(text) });
        };
        let history = if group::is_of_transfers(head.context) {
            &group.members[rank as usize].transfers.received
        } else {
            &group.collectives
        };
        match history.judge(head.sequence, head.call) {
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
                let running = |a: &Active| a.outcome.is_none() && a.execution.header() == head;
                if self.actives.iter().any(running) {
                    return Ok(false);
                }
                let who = group.label(rank, &self.ports);
                let text = format!("{who} sent more than the plan of {} has", describe(head.call));
                Err(Trouble { group: id, error: Error::Internal(text) })
            }
        }
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
        if let Some(active) = self.actives.iter().find(|a| a.ticket == ticket) {
            self.fail(active.group, error);
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
    }

    /// How often a call has moved. Only differences mean something.
    pub(super) fn moves(&self, ticket: Ticket) -> u32 {
        self.actives.iter().find(|a| a.ticket == ticket).map_or(0, |active| active.moves)
    }

    /// Whether the call has an outcome.
    pub(super) fn has_outcome(&self, ticket: Ticket) -> bool {
        self.actives.iter().any(|a| a.ticket == ticket && a.outcome.is_some())
    }

    /// The ports that unfinished calls wait for, and for what.
    pub(super) fn awaited(&self) -> impl Iterator<Item = (u32, Interest)> {
        self.unfinished().flat_map(|a| a.execution.waits_for())
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
        for (port, message) in std::mem::take(&mut self.early) {
            self.take_message(port, message);
        }
        id
    }

    /// Gives a communicator up. Its ranks are told; what has not ended ends now. Whether it was the last one.
    pub fn remove_group(&mut self, id: GroupId) -> bool {
        for active in self.actives.iter_mut().filter(|a| a.group == id && a.outcome.is_none()) {
            active.execution.abandon(&mut self.ports);
            active.outcome = Some(Err(Error::InvalidUsage("the communicator was given up meanwhile".into())));
        }
        let group = self.groups.remove(id);
        let left = Message::Left { context: group.context };
        for member in &group.members {
            let port = &mut self.ports[member.port as usize];
            if let Some(control) = &mut port.control {
                control.send(&left);
            }
            port.inbox.forget(group.context);
            port.inbox.forget(group.transfers());
        }
        self.groups.is_empty()
    }
}

/// What a step of progress gives.
type Step<T> = std::result::Result<T, Trouble>;

/// What went wrong in one communicator.
#[derive(Debug)]
pub(super) struct Trouble {
    pub group: GroupId,
    pub error: Error,
}

#[inline]
fn header_for(
    context: u32,
    collectives: &mut History,
    members: &mut [Member],
    prepared: &Prepared,
) -> Header {
    let call = prepared.packed;
    if let CallKind::Transfer = prepared.call.kind {
        let transfers = &mut members[prepared.peer as usize].transfers;
        let history = if prepared.sends { &mut transfers.sent } else { &mut transfers.received };
        return Header { context: group::of_transfers(context), sequence: history.note(call), call };
    }
    Header { context, sequence: collectives.note(call), call }
}

#[inline]
fn spare_for(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> Box<Execution> {
    spare.pop().unwrap_or_else(|| Box::new(Execution::idle(Arc::clone(prepared))))
}

/// The last local step of a call.
#[inline]
fn finish(prepared: &Prepared, buffers: Buffers, size: usize) {
    if let Some((divide, elements)) = prepared.divide
        && size > 1
    {
        // SAFETY: the caller's output has at least that many elements, and the call is not complete yet.
        unsafe { divide(buffers.output, elements, size as u32) };
    }
}
