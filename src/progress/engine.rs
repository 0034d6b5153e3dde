//! Everything that goes on in one communicator of one rank, and how it moves forward.
//!
//! The engine never waits ([`super::wait`] does). Each call that is started becomes an *active*; `progress`
//! gives every active a turn. When nothing can move, the engine sorts out what lies at the heads of the links:
//! a call that contradicts ours fails the communicator, a call of the future is stashed.
//!
//! A failure is for ever: it ends all actives, is told to every other rank once, and is repeated to every
//! later call.

use std::sync::Arc;
use std::time::Instant;

use super::disagreement::{History, Verdict, describe};
use super::execution::{Buffers, Execution, LinkFailure};
use super::failure;
use super::port::Port;
use super::prepared::{Prepared, Recent};
use super::straight;
use crate::base::{CallKind, Error, Rank, Result};
use crate::log_line;
use crate::observe::trace;
use crate::sys::poll::Interest;
use crate::transport::Header;
use crate::transport::control::Message;

/// Collectives and transfers are separate conversations.
pub(super) const COLLECTIVES: u32 = 0;
const TRANSFERS: u32 = 1;

/// Names a started call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// A call that was started.
pub(super) struct Active {
    pub ticket: Ticket,
    pub prepared: Arc<Prepared>,
    buffers: Buffers,
    /// Boxed: moves from list to list.
    pub execution: Box<Execution>,
    pub outcome: Option<Result<()>>,
}

// SAFETY: `buffers` are the caller's, promised to be left alone until the call is complete (as in
// `Execution`); it is only used through `&mut Engine`.
unsafe impl Send for Active {}

/// Transfers to and from one peer, counted.
#[derive(Default)]
struct Transfers {
    sent: History,
    received: History,
}

/// All that goes on in one communicator of one rank.
pub struct Engine {
    pub(super) name: String,
    pub(super) rank: Rank,
    pub(super) ports: Vec<Port>,
    pub(super) collectives: History,
    transfers: Vec<Transfers>,
    pub(super) actives: Vec<Active>,
    /// To be used again: their lists have room already.
    #[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
    spare: Vec<Box<Execution>>,
    next_ticket: u64,
    failure: Option<Error>,
    /// A peer has said that it stalls; compared with each new call.
    pub(super) stalls_known: bool,
    /// When somebody was first seen to be gone.
    pub(super) departure: Option<Instant>,
    /// Ranks share processors: give way soon.
    pub(super) crowded: bool,
    /// They do, and some link is a socket, where each look is a system call: look less often.
    pub(super) crowded_on_sockets: bool,
    /// Calls that need no preparation any more.
    pub(super) recent: Recent,
    /// Until all ranks have met, a notice is kept back.
    pub(super) joining: Joining,
}

/// A rank that has met all others goes on, and may fail, while others still read what was sent to them: its notice
/// belongs to their first call, not to their joining.
#[derive(Default)]
pub(super) enum Joining {
    /// All have met.
    #[default]
    Over,
    /// They are about to; the notice that came meanwhile, and from whom.
    UnderWay(Option<(usize, Message)>),
}

impl Engine {
    /// With a port per rank, its own included.
    pub fn new(name: String, rank: Rank, ports: Vec<Port>) -> Engine {
        let transfers = ports.iter().map(|_| Transfers::default()).collect();
        Engine {
            name,
            rank,
            ports,
            collectives: History::default(),
            transfers,
            actives: Vec::new(),
            spare: Vec::new(),
            next_ticket: 0,
            failure: None,
            stalls_known: false,
            departure: None,
            crowded: false,
            crowded_on_sockets: false,
            recent: Recent::default(),
            joining: Joining::Over,
        }
    }

    /// Name of the communicator in messages.
    pub fn name(&self) -> &str {
        &self.name
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

    /// Why the communicator cannot be used any more.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// Starts a call. It moves in `progress`.
    ///
    /// # Safety
    /// The buffers are valid for the program, and left alone until the call is complete or has failed.
    pub unsafe fn start(&mut self, prepared: Arc<Prepared>, buffers: Buffers) -> Result<Ticket> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let header = self.header_for(&prepared);
        let mut execution = self.spare_for(&prepared);
        // SAFETY: passed on from our caller.
        unsafe { execution.begin(Arc::clone(&prepared), header, buffers) };
        Ok(self.enlist(&prepared, buffers, execution))
    }

    /// Runs a call to its end if that is a matter of moments, else starts it.
    ///
    /// # Safety
    /// As `start`.
    #[inline]
    pub unsafe fn run_or_start(
        &mut self,
        prepared: &Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Option<Ticket>> {
        let Some(straight) = prepared.program.straight.as_ref().filter(|_| self.is_quiet()) else {
            // SAFETY: passed on from our caller.
            return unsafe { self.start(Arc::clone(prepared), buffers) }.map(Some);
        };
        let header = self.header_for(prepared);
        let mut execution = self.spare_for(prepared);
        let program = &prepared.program;
        let memory = execution.memory_for(buffers, program.scratch_bytes);
        let call = straight::Call {
            header: &header,
            reduce: prepared.reduce.as_ref(),
            element_bytes: program.element_bytes,
            crowded: self.crowded,
        };
        // SAFETY: passed on from our caller.
        let done = unsafe { straight::run(&straight.ops, &memory, &call, &mut self.ports) };
        if done == straight.ops.len() {
            self.spare.push(execution);
            finish(prepared, buffers, self.ports.len() as u32);
            return Ok(None);
        }
        // SAFETY: passed on from our caller; the next operation is a transfer.
        unsafe { execution.resume(Arc::clone(prepared), header, buffers, done) };
        Ok(Some(self.enlist(prepared, buffers, execution)))
    }

    /// Nothing is under way, nothing is wrong, and nobody wants to see each step.
    fn is_quiet(&self) -> bool {
        self.actives.is_empty() && self.failure.is_none() && !self.stalls_known && !trace::is_on()
    }

    fn spare_for(&mut self, prepared: &Arc<Prepared>) -> Box<Execution> {
        self.spare.pop().unwrap_or_else(|| Box::new(Execution::idle(Arc::clone(prepared))))
    }

    fn enlist(&mut self, prepared: &Arc<Prepared>, buffers: Buffers, execution: Box<Execution>) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let prepared = Arc::clone(prepared);
        self.actives.push(Active { ticket, prepared, buffers, execution, outcome: None });
        if self.stalls_known {
            self.compare_stalls();
        }
        ticket
    }

    #[inline]
    fn header_for(&mut self, prepared: &Prepared) -> Header {
        let call = prepared.packed;
        if let CallKind::Collective(_) = prepared.call.kind {
            return Header { context: COLLECTIVES, sequence: self.collectives.note(call), call };
        }
        let transfers = &mut self.transfers[prepared.peer as usize];
        let history = if prepared.sends { &mut transfers.sent } else { &mut transfers.received };
        Header { context: TRANSFERS, sequence: history.note(call), call }
    }

    /// The outcome of a call, once it has one. The ticket is used up then.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<Result<()>> {
        let at = self.actives.iter().position(|a| a.ticket == ticket)?;
        self.actives[at].outcome.as_ref()?;
        let active = self.actives.swap_remove(at);
        // Not after a failure: links and plans are in an unknown state, and nothing will follow.
        if self.spare.len() < 8 && self.failure.is_none() {
            self.spare.push(active.execution);
        }
        active.outcome
    }

    /// Moves everything that can move; whether anything did.
    #[inline]
    pub fn progress(&mut self) -> bool {
        match self.visit_all() {
            Ok(moved) => moved,
            Err(error) => {
                // A link that breaks is often the end of a rank that has said why.
                self.read_control();
                self.fail(error);
                true
            }
        }
    }

    #[inline]
    fn visit_all(&mut self) -> Result<bool> {
        let mut moved = false;
        let mut foreign = None;
        for at in 0..self.actives.len() {
            let active = &mut self.actives[at];
            if active.outcome.is_some() {
                continue;
            }
            let visit = match active.execution.advance(&mut self.ports) {
                Ok(visit) => visit,
                Err(failure) => return Err(self.link_error(at, failure)),
            };
            moved |= visit.moved;
            foreign = foreign.or(visit.foreign);
            if active.execution.is_done() {
                finish(&active.prepared, active.buffers, self.ports.len() as u32);
                active.outcome = Some(Ok(()));
                moved = true;
            }
        }
        if !moved {
            let unfinished = self.actives.iter().filter(|a| a.outcome.is_none()).count();
            if unfinished > 1 {
                for peer in 0..self.ports.len() as Rank {
                    moved |= self.sort_out(peer, true)?;
                }
            } else if let Some(peer) = foreign {
                moved |= self.sort_out(peer, false)?;
            }
        }
        Ok(moved)
    }

    /// Nobody can use the head of this link now: find out what it is, and stash it if it is in the way.
    fn sort_out(&mut self, peer: Rank, stash_own: bool) -> Result<bool> {
        // A contradiction may have been stashed before the call that it contradicts was made here.
        for active in self.actives.iter().filter(|a| a.outcome.is_none()) {
            let mine = active.execution.header();
            // Transfers are counted per pair and direction: only one that receives from there is meant.
            if mine.context == TRANSFERS && !active.execution.receives_from(peer) {
                continue;
            }
            let inbox = &self.ports[peer as usize].inbox;
            if let Some(other) = inbox.stashed_contradiction(mine) {
                return Err(self.mismatch(peer, other.sequence, other.call, active.prepared.call));
            }
        }
        let fail = |source| LinkFailure { peer, source };
        let head = self.ports[peer as usize].inbox.link.head();
        let Some(head) = head.map_err(|e| self.link_error(0, fail(e)))? else { return Ok(false) };
        let verdict = match head.context {
            COLLECTIVES => self.collectives.judge(head.sequence, head.call),
            TRANSFERS => self.transfers[peer as usize].received.judge(head.sequence, head.call),
            other => {
                let text = format!("{} uses context {other}", self.ports[peer as usize].label);
                return Err(Error::Internal(text));
            }
        };
        match verdict {
            Verdict::Contradicts(mine) => {
                return Err(self.mismatch(peer, head.sequence, head.call, mine));
            }
            Verdict::Forgotten => {
                let who = &self.ports[peer as usize].label;
                let text = format!("{who} sends for call #{}, which ended here long ago", head.sequence);
                return Err(Error::Mismatch(format!("{text}: {}", describe(head.call))));
            }
            Verdict::Agrees if !stash_own => {
                let running = |a: &Active| a.outcome.is_none() && *a.execution.header() == head;
                if !self.actives.iter().any(running) {
                    let who = &self.ports[peer as usize].label;
                    let text = format!("{who} sent more than the plan of {} has", describe(head.call));
                    return Err(Error::Internal(text));
                }
                return Ok(false);
            }
            Verdict::Agrees | Verdict::Future => {}
        }
        let stashed = self.ports[peer as usize].inbox.stash_head();
        let stashed = stashed.map_err(|e| self.link_error(0, fail(e)))?;
        self.ports[peer as usize].ring_if_wanted();
        Ok(stashed)
    }

    /// Ends everything with `error`, here and, by a notice, on all other ranks. Only the first one counts.
    pub fn fail(&mut self, error: Error) {
        if self.failure.is_some() {
            return;
        }
        let notice = failure::notice(&error, self.rank);
        self.end_all(error, &notice);
    }

    /// Every rank passes the news on once: whoever noticed it may be gone before it has told everybody.
    pub(super) fn end_all(&mut self, error: Error, notice: &Message) {
        if self.failure.is_some() {
            return;
        }
        log_line!(Error, "rank {} of \"{}\": {error}", self.rank, self.name);
        for control in self.ports.iter_mut().filter_map(|port| port.control.as_mut()) {
            control.send(notice);
        }
        for active in self.actives.iter_mut().filter(|a| a.outcome.is_none()) {
            active.outcome = Some(Err(error.clone()));
        }
        self.failure = Some(error);
    }

    /// Whether the call has an outcome.
    pub(super) fn has_outcome(&self, ticket: Ticket) -> bool {
        self.actives.iter().any(|a| a.ticket == ticket && a.outcome.is_some())
    }

    /// The peers that unfinished calls wait for, and for what.
    pub(super) fn awaited(&self) -> impl Iterator<Item = (Rank, Interest)> {
        self.actives.iter().filter(|a| a.outcome.is_none()).flat_map(|a| a.execution.waits_for())
    }
}

/// The last local step of a call.
#[inline]
fn finish(prepared: &Prepared, buffers: Buffers, size: u32) {
    if let Some((divide, elements)) = prepared.divide
        && size > 1
    {
        // SAFETY: the caller's output has at least that many elements, and the call is not complete yet.
        unsafe { divide(buffers.output, elements, size) };
    }
}
