//! Everything that goes on over the links of one rank, and how it moves forward.
//!
//! The communicators made from the same one share its links ([`super::group`]). The engine never waits
//! ([`super::wait`] does). Each call that is started becomes an *active*; `progress` gives every active a turn. When nothing
//! can move, the engine sorts out what lies at the heads of the links (`heads`): a call that contradicts ours fails the
//! communicator, a call of the future is stashed, one of the past dropped.
//!
//! A failure is that of one communicator, and for ever: it ends its actives, is told to its other ranks once, and is
//! repeated to every later call.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::disagreement::History;
use super::engine_comm::{CommId, CommTable, EngineComm, GIVEN_UP};
use super::final_check::LeftComm;
use super::messages::MessageTicket;
use crate::base::{Error, Rank, Result};
use crate::endpoint::Endpoint;
use crate::executor::Copies;
use crate::executor::Execution;
use crate::executor::fast_path::{self, StopPoint};
use crate::executor::{Buffers, Memory, placed};
use crate::executor::{Division, Key, Prepared};
use crate::observe::trace;
use crate::p2p::{Completion, Conversation};
use crate::sys::poll::Interest;
use crate::transport::Header;
use crate::transport::control::ControlMessage;

/// Names what was started, until its outcome is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// A collective call, by number.
    Call(u64),
    /// A message, or the search for one.
    Message(MessageTicket),
}

/// What has become of a call that was to run to its end at once.
pub enum FastPath {
    /// That.
    Done,
    /// It has begun, and must be waited for.
    Started(Ticket),
    /// Nothing was done.
    NotTaken,
}

/// A call to be made.
#[derive(Clone, Copy)]
pub enum CallRef<'a> {
    /// One that was made lately.
    Recent(&'a Key),
    /// This one.
    Prepared(&'a Arc<Prepared>),
}

/// Passes without movement after which ranks are listened to for which nothing waits.
pub(super) const PASSES_PER_FULL_POLL: u32 = 16;

/// Time after which a rank with links over sockets looks for news before a call ends well. A look costs a system call per peer.
const MAX_CONTROL_AGE: Duration = Duration::from_millis(100);

/// How something has ended; of a message, with what is known of it.
pub type CallOutcome = Result<Option<Completion>>;

/// A call that was started.
pub(super) struct ActiveCall {
    pub number: u64,
    pub comm: CommId,
    pub prepared: Arc<Prepared>,
    buffers: Buffers,
    /// To the question of the call, while it is asked.
    answers: Vec<u64>,
    /// What the call runs on, where that is not its buffers.
    copies: Option<Copies>,
    /// Boxed: moves from list to list.
    pub execution: Box<Execution>,
    pub outcome: Option<Result<()>>,
    /// Visits in which something moved.
    moves: u32,
}

// SAFETY: `buffers` are the caller's, promised to be left alone until the call is complete (as in
// `Execution`); it is only used through `&mut Engine`.
unsafe impl Send for ActiveCall {}

impl ActiveCall {
    /// Begins the call itself, where its execution has asked what it depends on. Whether it had.
    fn go_on(&mut self) -> Result<bool> {
        let Some(question) = &self.prepared.question else { return Ok(false) };
        let prepared = (question.then)(&self.answers)?;
        let header = *self.execution.header();
        // SAFETY: the buffers are those of `Engine::start`, whose caller leaves them alone until the outcome is there.
        unsafe { self.execution.begin(Arc::clone(&prepared), header, self.buffers) };
        self.prepared = prepared;
        Ok(true)
    }

    /// The last local steps.
    fn finish(&mut self) {
        let (Some(widened), Some(copies)) = (&self.prepared.widened, &mut self.copies) else {
            return finish(&self.prepared, self.buffers);
        };
        finish(&self.prepared, copies.buffers());
        // SAFETY: the caller of `Engine::start` vouches for the buffers, and the call has ended on the copies.
        unsafe { widened.copy_out(copies, self.buffers) };
    }
}

/// All that goes on over the links of one rank.
pub struct Engine {
    pub(super) rank: Rank,
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) comms: CommTable,
    pub(super) actives: Vec<ActiveCall>,
    /// To be used again: their lists have room already.
    #[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
    spare: Vec<Box<Execution>>,
    next_number: u64,
    /// Communicators with messages under way.
    pub(super) messaging: Vec<CommId>,
    /// Kept for its memory.
    pub(super) watched: Vec<Rank>,
    /// Passes in which nothing moved, with messages under way.
    pub(super) idle_passes: u32,
    /// Messages of communicators that were given up, until their outcomes are taken.
    pub(super) given_up: Vec<Conversation>,
    /// Something has changed that threads which sleep must see.
    pub(super) has_changes: bool,
    /// When the control channels were last read.
    pub(super) control_read_at: Instant,
    /// Some link is a socket.
    has_sockets: bool,
    /// When somebody was first seen to be gone.
    pub(super) first_departure: Option<Instant>,
    /// Ranks share processors: give way soon.
    pub(super) oversubscribed: bool,
    /// They do, and some link is a socket, where each look is a system call: look less often.
    pub(super) oversubscribed_on_sockets: bool,
    /// Until all ranks have met, a notice is kept back.
    pub(super) joining: Joining,
    /// What was said about communicators that this rank has not made yet, with the endpoint that it came through.
    pub(super) early_messages: Vec<(u32, ControlMessage)>,
    /// Communicators that this rank has left before others.
    pub(super) left_comms: Vec<LeftComm>,
    /// A disagreement in one of them.
    pub(super) late_mismatch: Option<Error>,
}

/// A rank that has met all others goes on, and may fail, while others still read what was sent to them: its notice
/// belongs to their first call, not to their joining.
#[derive(Default)]
pub(super) enum Joining {
    /// All have met.
    #[default]
    Over,
    /// They are about to; the notice that came meanwhile, and from whom.
    UnderWay(Option<(Rank, ControlMessage)>),
}

impl Engine {
    /// With an endpoint per rank, its own included. Begins with one communicator of that name, [`CommId::FIRST`].
    pub fn new(name: String, rank: Rank, endpoints: Vec<Endpoint>) -> Engine {
        let has_sockets = endpoints.iter().any(|endpoint| endpoint.inbox.link.descriptor().is_some());
        Engine {
            rank,
            comms: CommTable::new(name, rank, endpoints.len() as u32),
            endpoints,
            actives: Vec::new(),
            spare: Vec::new(),
            next_number: 0,
            messaging: Vec::new(),
            watched: Vec::new(),
            idle_passes: 0,
            given_up: Vec::new(),
            has_changes: false,
            control_read_at: Instant::now(),
            has_sockets,
            first_departure: None,
            oversubscribed: false,
            oversubscribed_on_sockets: false,
            joining: Joining::Over,
            early_messages: Vec::new(),
            left_comms: Vec::new(),
            late_mismatch: None,
        }
    }

    /// Ranks share processors.
    pub fn set_oversubscribed(&mut self) {
        self.oversubscribed = true;
        self.oversubscribed_on_sockets = self.has_sockets;
        self.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_oversubscribed(true));
    }

    /// The way to each rank.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// Why a communicator cannot be used any more.
    pub fn failure(&self, comm: CommId) -> Option<&Error> {
        self.comms.find(comm).map_or(Some(&GIVEN_UP), |comm| comm.failure.as_ref())
    }

    /// A call that was made lately.
    #[inline]
    pub(super) fn recent(&self, comm: CommId, key: &Key) -> Option<&Arc<Prepared>> {
        self.comms.find(comm)?.recent.get(key)
    }

    /// Keeps a call for the next time.
    pub(super) fn keep(&mut self, comm: CommId, key: Key, prepared: Arc<Prepared>) {
        if let Some(comm) = self.comms.find_mut(comm) {
            comm.recent.put(key, prepared);
        }
    }

    /// Starts a call. It moves in `progress`.
    ///
    /// # Safety
    /// The buffers are valid for the program, and left alone until the call is complete or has failed.
    pub unsafe fn start(
        &mut self,
        comm: CommId,
        prepared: Arc<Prepared>,
        buffers: Buffers,
    ) -> Result<Ticket> {
        if let Some(failure) = self.report_failure(comm) {
            return Err(failure);
        }
        let EngineComm { context, collectives, .. } = self.comms.get_mut(comm);
        let header = header_for(*context, collectives, &prepared);
        let mut execution = spare_for(&mut self.spare, &prepared);
        let mut answers = Vec::new();
        // SAFETY: passed on from our caller.
        let mut copies = prepared.widened.as_ref().map(|widened| unsafe { widened.copy_in(buffers) });
        let used = match &prepared.question {
            None => copies.as_mut().map_or(buffers, Copies::buffers),
            Some(question) => {
                answers.resize(question.answers, 0);
                Buffers { input: question.numbers.as_ptr().cast(), output: answers.as_mut_ptr().cast() }
            }
        };
        // SAFETY: passed on from our caller; numbers and answers are as many as the program that asks takes, and live
        // as long as the active that is made of them.
        unsafe { execution.begin(Arc::clone(&prepared), header, used) };
        Ok(self.enlist(comm, &prepared, buffers, (answers, copies), execution))
    }

    /// Runs a call to its end if that is a matter of moments, else starts it. `None`: it was not made lately.
    ///
    /// # Safety
    /// As `start`.
    #[inline]
    pub unsafe fn run_fast_path_or_start(
        &mut self,
        id: CommId,
        call: CallRef,
        buffers: Buffers,
    ) -> Option<Result<Option<Ticket>>> {
        // SAFETY: passed on from our caller.
        match unsafe { self.run_fast_path(id, call, |_| Some(buffers)) } {
            FastPath::Done => Some(Ok(None)),
            FastPath::Started(ticket) => Some(Ok(Some(ticket))),
            FastPath::NotTaken => {
                if let Some(failure) = self.failure(id) {
                    return Some(Err(failure.clone()));
                }
                let prepared = Arc::clone(match call {
                    CallRef::Recent(key) => self.recent(id, key)?,
                    CallRef::Prepared(prepared) => prepared,
                });
                // SAFETY: passed on from our caller.
                Some(unsafe { self.start(id, prepared, buffers) }.map(Some))
            }
        }
    }

    /// Runs a call to its end if it is known, its plan is straight and nothing else goes on. `buffers_of` gives the buffers
    /// of a known call, or nothing if they must be looked at more closely.
    ///
    /// # Safety
    /// As `start`, for what `buffers_of` gives.
    // Always: it is a small call but for the ways into it and out of it.
    #[inline(always)]
    pub unsafe fn run_fast_path(
        &mut self,
        id: CommId,
        call: CallRef,
        buffers_of: impl FnOnce(&Prepared) -> Option<Buffers>,
    ) -> FastPath {
        let Some(comm) = self.comms.find_mut(id) else { return FastPath::NotTaken };
        let known = match call {
            CallRef::Recent(key) => comm.recent.get(key),
            CallRef::Prepared(prepared) => Some(prepared),
        };
        let Some(prepared) = known else { return FastPath::NotTaken };
        let Some(buffers) = buffers_of(prepared) else { return FastPath::NotTaken };
        let Some(fast) = prepared.program.fast.as_ref() else { return FastPath::NotTaken };
        // Nothing is under way, nothing is wrong, and nobody wants to see each step.
        let nothing = self.actives.is_empty() && self.messaging.is_empty();
        let is_known = !comm.stalls_known && !comm.holds_senders;
        let is_quiet = nothing && is_known && comm.failure.is_none() && !trace::is_on();
        if !is_quiet {
            return FastPath::NotTaken;
        }
        let EngineComm { context, collectives, .. } = comm;
        let header = header_for(*context, collectives, prepared);
        let scratch = match prepared.program.scratch_bytes {
            0 => ptr::null_mut(),
            _ => scratch_of(&mut self.spare, prepared),
        };
        let memory = Memory { buffers, scratch };
        let call = fast_path::FastCall {
            header: &header,
            reduce: prepared.reduce.as_ref(),
            element_bytes: prepared.program.element_bytes,
            is_counted: prepared.is_counted,
            oversubscribed: self.oversubscribed,
        };
        // SAFETY: passed on from our caller.
        let stop = unsafe { fast_path::run(fast, &memory, &call, &mut self.endpoints) };
        if stop.is_end_of(fast) {
            finish(prepared, buffers);
            return FastPath::Done;
        }
        let prepared = Arc::clone(prepared);
        // SAFETY: passed on from our caller; the next operation is a transfer.
        FastPath::Started(unsafe { self.go_on(id, prepared, header, buffers, &stop) })
    }

    /// Starts a call that has run as far as `stop`, with the scratch of the last spare execution.
    ///
    /// # Safety
    /// As `start`; the next operation is a transfer.
    #[cold]
    unsafe fn go_on(
        &mut self,
        id: CommId,
        prepared: Arc<Prepared>,
        header: Header,
        buffers: Buffers,
        stop: &StopPoint,
    ) -> Ticket {
        let mut execution = spare_for(&mut self.spare, &prepared);
        // SAFETY: passed on from our caller.
        unsafe { execution.resume(Arc::clone(&prepared), header, buffers, stop) };
        self.enlist(id, &prepared, buffers, (Vec::new(), None), execution)
    }

    fn enlist(
        &mut self,
        comm: CommId,
        prepared: &Arc<Prepared>,
        buffers: Buffers,
        (answers, copies): (Vec<u64>, Option<Copies>),
        execution: Box<Execution>,
    ) -> Ticket {
        let number = self.next_number;
        self.next_number += 1;
        let prepared = Arc::clone(prepared);
        let (outcome, moves) = (None, 0);
        let active =
            ActiveCall { number, comm, prepared, buffers, answers, copies, execution, outcome, moves };
        self.actives.push(active);
        if self.comms.get(comm).holds_senders {
            self.release_senders(comm);
        }
        if self.comms.get(comm).stalls_known {
            self.compare_stalls(comm);
        }
        Ticket::Call(number)
    }

    /// The outcome of a call, once it has one. The ticket is used up then.
    pub fn take_outcome(&mut self, ticket: Ticket) -> Option<CallOutcome> {
        let number = match ticket {
            Ticket::Call(number) => number,
            Ticket::Message(ticket) => {
                return self.take_message_outcome(ticket).map(|outcome| outcome.map(Some));
            }
        };
        let at = self.actives.iter().position(|a| a.number == number)?;
        self.actives[at].outcome.as_ref()?;
        let mut active = self.actives.swap_remove(at);
        if matches!(active.outcome, Some(Ok(()))) && self.may_have_missed_control() {
            self.read_control();
            if let Some(failure @ Error::Timeout { .. }) = self.failure(active.comm) {
                active.outcome = Some(Err(failure.clone()));
            }
        }
        // Not after a failure: where it stopped is of no use to anybody.
        if self.spare.len() < 8 && !matches!(active.outcome, Some(Err(_))) {
            self.spare.push(active.execution);
        }
        active.outcome.map(|outcome| outcome.map(|()| None))
    }

    /// Whether this rank may have been stopped for so long that others have given up a call that succeeds here: what they had
    /// sent is still in a socket. (From shared memory they have taken it back.)
    fn may_have_missed_control(&self) -> bool {
        self.has_sockets && self.control_read_at.elapsed() >= MAX_CONTROL_AGE
    }

    /// Whether anything is under way.
    pub fn is_busy(&self) -> bool {
        !self.messaging.is_empty() || self.actives.iter().any(|active| active.outcome.is_none())
    }

    /// Moves everything that can move; whether anything did.
    #[inline]
    pub fn progress(&mut self) -> bool {
        match self.visit_all() {
            Ok(moved) => moved,
            Err(Trouble { comm, error }) => {
                // A link that breaks is often the end of a rank that has said why; then the ranks do not meet, either.
                self.read_control();
                self.all_have_met();
                self.fail(comm, error);
                true
            }
        }
    }

    #[inline]
    fn visit_all(&mut self) -> Step<bool> {
        let mut moved = false;
        let mut foreign = None;
        let mut must_read_control = false;
        for at in 0..self.actives.len() {
            let active = &mut self.actives[at];
            if active.outcome.is_some() {
                continue;
            }
            let visit = match active.execution.advance(&mut self.endpoints) {
                Ok(visit) => visit,
                Err(failure) => return Err(self.link_trouble(at, failure)),
            };
            moved |= visit.moved;
            must_read_control |= visit.must_read_control;
            active.moves = active.moves.wrapping_add(u32::from(visit.moved));
            foreign = foreign.or(visit.foreign);
            if active.execution.is_done() {
                moved = true;
                let was_question = active.go_on().map_err(|error| Trouble { comm: active.comm, error })?;
                if !was_question {
                    active.finish();
                    active.outcome = Some(Ok(()));
                }
            }
        }
        if must_read_control {
            self.read_control();
            moved = true;
        }
        let mut talks = 0;
        if !self.messaging.is_empty() {
            let turn = self.exchange_all()?;
            moved |= turn.moved;
            talks = self.messaging.len();
            self.idle_passes = if moved { 0 } else { self.idle_passes + 1 };
            if self.idle_passes >= PASSES_PER_FULL_POLL {
                self.idle_passes = 0;
                moved |= self.poll_all_members()?;
            }
            // Of another communicator, or of a collective: perhaps of one that is to come.
            foreign = foreign.or(turn.foreign);
        }
        if !moved {
            let unfinished = self.actives.iter().filter(|a| a.outcome.is_none()).count();
            if unfinished + talks > 1 {
                for endpoint in 0..self.endpoints.len() as u32 {
                    moved |= self.handle_unmatched(endpoint, true)?;
                }
            } else if let Some(endpoint) = foreign {
                moved |= self.handle_unmatched(endpoint, false)?;
            }
        }
        Ok(moved)
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

    /// The endpoints that unfinished calls wait for, and for what.
    pub(super) fn awaited(&self) -> impl Iterator<Item = (u32, Interest)> {
        let of_calls = self.unfinished().flat_map(|a| {
            // What its receiver does not take yet waits for its word, not for room.
            let is_held = |endpoint: u32| self.endpoints[endpoint as usize].peer_holds(a.execution.header());
            a.execution.waits_for().map(move |(endpoint, interest)| match interest {
                Interest::Write if is_held(endpoint) => (endpoint, Interest::Read),
                interest => (endpoint, interest),
            })
        });
        of_calls.chain(self.awaited_by_messages())
    }

    /// Calls without an outcome.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &ActiveCall> {
        self.actives.iter().filter(|a| a.outcome.is_none())
    }
}

/// What a step of progress gives.
pub(super) type Step<T> = std::result::Result<T, Trouble>;

/// What went wrong in one communicator.
#[derive(Debug)]
pub(super) struct Trouble {
    pub comm: CommId,
    pub error: Error,
}

#[inline(always)]
fn header_for(context: u32, collectives: &mut History, prepared: &Prepared) -> Header {
    let call = prepared.packed;
    Header { context, sequence: collectives.note(call, prepared.fingerprint), call }
}

#[inline]
#[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
fn spare_for(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> Box<Execution> {
    spare.pop().unwrap_or_else(|| Box::new(Execution::idle(Arc::clone(prepared))))
}

/// Scratch of the next execution.
#[expect(clippy::vec_box, reason = "moves between lists as a pointer")]
fn scratch_of(spare: &mut Vec<Box<Execution>>, prepared: &Arc<Prepared>) -> *mut u8 {
    if spare.is_empty() {
        spare.push(Box::new(Execution::idle(Arc::clone(prepared))));
    }
    spare.last_mut().map_or(ptr::null_mut(), |next| next.scratch(&prepared.program))
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
