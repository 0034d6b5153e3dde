//! The engine: everything that goes on over the links of one rank, and how it makes progress.
//!
//! Communicators that were made from one another share the links (`engine_comm`). The engine never waits
//! ([`super::wait`] does). Each started call becomes an active call (`calls`), and `progress` gives each of
//! them a turn. When nothing can move, the engine looks at the head of each link (`unmatched`). A fragment
//! that contradicts a call of this rank fails the communicator, one of a future call is stashed, and one of a
//! past call is dropped.
//!
//! A failure concerns one communicator, and is final. It ends the active calls there, is told to the other
//! ranks once, and is the answer to every later call.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::arrivals::OnDemand;
use super::calls::{ActiveCall, Calls};
use super::comm_table::CommTable;
use super::context::CommId;
use super::control_state::ControlState;
use super::engine_comm::GIVEN_UP;
use super::left_comms::LeftComms;
use super::messaging::{MessageTicket, Messaging};
use super::observer::Observer;
use super::opening_pause::OpeningPause;
use super::sleepers::Sleepers;
use crate::base::{Error, Rank, Result};
use crate::endpoint::Endpoint;
use crate::executor::fast_path::{LONGEST, LONGEST_OVERSUBSCRIBED};
use crate::executor::{Key, Prepared, Visit};
use crate::observe::status::{HeldPage, StatusPage};
use crate::observe::trace;
use crate::p2p::Completion;
use crate::sys::poll::Interest;
use crate::sys::wake::Wake;

/// Name of a started operation, valid until its outcome is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticket {
    /// A collective call, by its number.
    Call(u64),
    /// A message, or a probe for one.
    Message(MessageTicket),
}

/// Passes without movement after which messages are also taken in from ranks that no message waits for.
pub(super) const PASSES_PER_FULL_POLL: u32 = 16;

/// Bytes after which others can read how far a call has come.
const LONG_CALL_BYTES: u64 = 64 << 10;

/// How a call has ended. For a message, with its completion.
pub type CallOutcome = Result<Option<Completion>>;

/// Everything that goes on over the links of one rank.
pub struct Engine {
    pub(super) rank: Rank,
    /// The endpoint of each rank of the first communicator, including this rank.
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) comms: CommTable,
    pub(super) calls: Calls,
    pub(super) messaging: Messaging,
    pub(super) control: ControlState,
    pub(super) left: LeftComms,
    /// Threads that sleep until something changes here.
    pub(super) sleepers: Arc<Sleepers<Wake>>,
    /// The endpoints of connected ranks, and of this one. Nothing comes from the others, of which there may
    /// be thousands.
    pub(super) connected: Vec<u32>,
    /// Number of links that have not been opened yet.
    pub(super) unopened: usize,
    /// When to look for links that must be opened.
    pub(super) opening: OpeningPause,
    /// How this rank gets connections that it needs. `None`: it has all.
    pub(super) on_demand: Option<Box<OnDemand>>,
    /// Whether some thread sleeps, or is about to, so that peers must ring.
    pub(super) is_asleep: bool,
    /// Whether some link is a socket.
    pub(super) has_sockets: bool,
    /// Whether some link must be asked to move on what it has taken.
    pub(super) asks_links: bool,
    /// Whether ranks share processors, so that waiting threads must give way soon.
    pub(super) oversubscribed: bool,
    /// Whether ranks share processors and some link is a socket. Each look is a system call then, so there
    /// should be fewer looks.
    pub(super) oversubscribed_on_sockets: bool,
    /// Whether the first communicator stands for the job: see [`Engine::lead_job`].
    pub(super) leads_job: bool,
    /// Whether any communicator has failed so far, for those who ask without the lock.
    pub(super) has_failures: Arc<AtomicBool>,
    /// Where other processes read what this rank does.
    pub(super) page: Option<StatusPage>,
    /// Number that the ranks of the job have in common; 0: none is known.
    pub(super) job: u64,
    /// Pages of other ranks of the host, for when they are killed.
    pub(super) held_pages: Vec<HeldPage>,
    /// Folder to which the last operations are written when a communicator fails.
    pub(super) dump_folder: Option<PathBuf>,
    /// Messages of fewer bytes may take the fast path. 0: none may, because they are observed.
    pub(super) fast_below: usize,
    /// What counts and records calls.
    pub(super) observer: Option<Box<Observer>>,
}

impl Engine {
    /// Makes an engine with an endpoint per rank, including its own. It begins with one communicator of that
    /// name, [`CommId::FIRST`].
    pub fn new(name: String, rank: Rank, mut endpoints: Vec<Endpoint>) -> Engine {
        let unopened =
            endpoints.iter_mut().map(|endpoint| usize::from(endpoint.inbox.link.is_unopened())).sum();
        let asks_links = endpoints.iter().any(|endpoint| endpoint.transport() == "ofi");
        let is_socket = |endpoint: &Endpoint| {
            endpoint.inbox.link.descriptor().is_some()
                || endpoint.is_unconnected() && endpoint.transport() == "tcp"
        };
        let has_sockets = endpoints.iter().any(is_socket);
        let is_connected = |(_, endpoint): &(u32, &Endpoint)| !endpoint.is_unconnected();
        let connected = (0..).zip(&endpoints).filter(is_connected).map(|(at, _)| at).collect();
        Engine {
            rank,
            comms: CommTable::new(name, rank, endpoints.len() as u32),
            endpoints,
            calls: Calls::default(),
            messaging: Messaging::default(),
            control: ControlState::new(),
            left: LeftComms::default(),
            sleepers: Arc::new(Sleepers::new()),
            connected,
            unopened,
            opening: OpeningPause::default(),
            on_demand: None,
            is_asleep: false,
            has_sockets,
            asks_links,
            oversubscribed: false,
            oversubscribed_on_sockets: false,
            leads_job: false,
            has_failures: Arc::default(),
            page: None,
            job: 0,
            held_pages: Vec::new(),
            dump_folder: None,
            fast_below: LONGEST + 1,
            observer: None,
        }
    }

    /// Makes the first communicator stand for the job: if it is aborted, every communicator of this engine
    /// fails. Failures are not logged as errors then, because the caller reports them.
    pub fn lead_job(&mut self) {
        self.leads_job = true;
    }

    /// Tells the engine and its links that ranks share processors.
    pub fn set_oversubscribed(&mut self) {
        self.oversubscribed = true;
        self.fast_below = self.fast_below.min(LONGEST_OVERSUBSCRIBED + 1);
        self.oversubscribed_on_sockets = self.has_sockets;
        self.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_oversubscribed(true));
    }

    /// The endpoint of each rank.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// Why a communicator cannot be used any more; `None` if it can.
    pub fn failure(&self, comm: CommId) -> Option<&Error> {
        self.comms.find(comm).map_or(Some(&GIVEN_UP), |comm| comm.failure.as_ref())
    }

    /// A recent call, if it is still in the cache.
    #[inline]
    pub(super) fn recent_call(&self, comm: CommId, key: &Key) -> Option<&Arc<Prepared>> {
        self.comms.find(comm)?.recent.get(key)
    }

    /// Keeps a call in the cache for the next time.
    pub(super) fn remember(&mut self, comm: CommId, key: Key, prepared: Arc<Prepared>) {
        if let Some(comm) = self.comms.find_mut(comm) {
            comm.recent.put(key, prepared);
        }
    }

    /// Whether anything is under way.
    pub fn is_busy(&self) -> bool {
        !self.messaging.comms.is_empty() || self.calls.active.iter().any(|active| active.outcome.is_none())
    }

    /// Moves everything that can move. Returns whether anything did.
    #[inline]
    pub fn progress(&mut self) -> bool {
        match self.visit_all() {
            Ok(moved) => moved,
            Err(trouble) => {
                self.end_with(trouble);
                true
            }
        }
    }

    /// Makes progress until this number changes, or nothing moves any more. Returns whether it may still
    /// change: it has changed, or others move for long. One pass may not do, because what has come for a call
    /// may lie behind messages of others.
    pub(super) fn progress_until_changed(&mut self, number: impl Fn(&Engine) -> u32) -> bool {
        const MOST_PASSES: usize = 1000;
        let before = number(self);
        self.opening.note_change();
        for _ in 0..MOST_PASSES {
            if number(self) != before {
                return true;
            }
            if !self.progress() {
                return false;
            }
            self.sleepers.ring_all();
        }
        true
    }

    /// Gives the call that was started last a first push. Returns whether anything moved.
    pub(super) fn push_latest(&mut self) -> bool {
        let Some(at) = self.calls.active.len().checked_sub(1) else { return false };
        match self.visit_call(at) {
            Ok(visit) => {
                if visit.must_read_control {
                    self.read_due_control();
                }
                visit.moved
            }
            Err(trouble) => {
                self.end_with(trouble);
                true
            }
        }
    }

    #[cold]
    fn end_with(&mut self, Trouble { comm, error }: Trouble) {
        // A link often breaks because its rank ended, and that rank has told the reason. The ranks do not
        // meet then, either.
        self.read_control();
        self.all_have_met();
        self.fail(comm, error);
    }

    /// Gives an active call a turn.
    #[inline]
    fn visit_call(&mut self, at: usize) -> Step<Visit> {
        let active = &mut self.calls.active[at];
        if active.outcome.is_some() {
            return Ok(Visit::default());
        }
        let mut visit = match active.execution.advance(&mut self.endpoints) {
            Ok(visit) => visit,
            Err(failure) if self.may_hear_why(&failure) => return Ok(Visit::default()),
            Err(failure) => return Err(self.link_trouble(at, failure)),
        };
        if visit.moved {
            if active.moves == 0 {
                self.page.iter().for_each(|page| page.note_moved(active.operation));
            }
            active.moves = active.moves.wrapping_add(1).max(1);
            active.bytes += visit.bytes;
            if active.bytes >= LONG_CALL_BYTES
                && let Some(page) = &self.page
            {
                page.note_progress(active.operation, || active.bytes_asked(), active.bytes);
            }
        }
        if active.execution.is_done() {
            visit.moved = true;
            match &mut self.observer {
                Some(observer) => observer.add_steps(active),
                None => active.execution.take_steps().iter().for_each(|steps| trace::keep(steps)),
            }
            let was_exchange =
                active.begin_after_exchange().map_err(|error| Trouble { comm: active.comm, error })?;
            if !was_exchange {
                active.finish();
                active.outcome = Some(Ok(()));
                self.page.iter().for_each(|page| page.note_end(active.operation, false));
                if let Some(observer) = &mut self.observer {
                    observer.end_call(active, &self.endpoints, false);
                }
            }
        }
        Ok(visit)
    }

    /// Gives each active call a turn.
    #[inline]
    fn visit_calls(&mut self) -> Step<Visit> {
        let mut all = Visit::default();
        for at in 0..self.calls.active.len() {
            let visit = self.visit_call(at)?;
            all.moved |= visit.moved;
            all.must_read_control |= visit.must_read_control;
            all.foreign = all.foreign.or(visit.foreign);
        }
        Ok(all)
    }

    /// Like `visit_calls`, where a look at a link is a system call: the calls share their looks.
    #[inline(never)]
    fn visit_calls_on_sockets(&mut self) -> Step<Visit> {
        self.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_in_turns(true));
        let visit = self.visit_calls();
        self.endpoints.iter_mut().for_each(|endpoint| endpoint.inbox.link.set_in_turns(false));
        visit
    }

    #[inline]
    fn visit_all(&mut self) -> Step<bool> {
        let moved = self.visit_once()?;
        if self.unopened > 0 {
            return self.visit_opened(moved);
        }
        Ok(moved)
    }

    #[inline]
    pub(super) fn visit_once(&mut self) -> Step<bool> {
        let share_looks = self.has_sockets && self.calls.active.len() > 1;
        let visit = if share_looks { self.visit_calls_on_sockets() } else { self.visit_calls() }?;
        let Visit { mut moved, must_read_control, mut foreign, .. } = visit;
        if must_read_control {
            self.read_due_control();
            moved = true;
        }
        let mut talks = 0;
        if !self.messaging.comms.is_empty() {
            let turn = self.exchange_all()?;
            moved |= turn.moved;
            talks = self.messaging.comms.len();
            self.messaging.idle_passes = if moved { 0 } else { self.messaging.idle_passes + 1 };
            if self.messaging.idle_passes >= PASSES_PER_FULL_POLL {
                self.messaging.idle_passes = 0;
                moved |= self.poll_all_members()?;
            }
            // The fragment belongs to another communicator, or to a collective, which may be a future one.
            foreign = foreign.or(turn.foreign);
        }
        if !moved {
            self.compare_new_calls()?;
            let unfinished = self.calls.active.iter().filter(|a| a.outcome.is_none()).count();
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

    /// How often a call, or the exchange with the peer of a message, has moved. Only differences between two
    /// values mean anything.
    pub(super) fn moves(&self, ticket: Ticket) -> u32 {
        match ticket {
            Ticket::Call(number) => self.find_call(number).map_or(0, |active| active.moves),
            Ticket::Message(ticket) => self.message_moves(ticket),
        }
    }

    /// A call that was started, and whose outcome has not been taken.
    pub(super) fn find_call(&self, number: u64) -> Option<&ActiveCall> {
        self.calls.active.iter().find(|active| active.number == number)
    }

    /// Whether the call has an outcome.
    pub(super) fn has_outcome(&self, ticket: Ticket) -> bool {
        match ticket {
            Ticket::Call(number) => self.find_call(number).is_some_and(|active| active.outcome.is_some()),
            Ticket::Message(ticket) => self.has_message_outcome(ticket),
        }
    }

    /// The endpoints for which unfinished calls wait, and the events that they wait for.
    pub(super) fn needs(&self) -> impl Iterator<Item = (u32, Interest)> {
        let of_calls = self.unfinished().flat_map(|a| {
            // A message that its receiver has put on hold waits for a control message, not for room, unless
            // it has begun.
            let header = a.execution.header();
            let is_held = |endpoint: u32| {
                let endpoint = &self.endpoints[endpoint as usize];
                endpoint.peer_holds(header) && !endpoint.inbox.link.is_within_call(header)
            };
            a.execution.waits_for().map(move |(endpoint, interest)| match interest {
                Interest::Write if is_held(endpoint) => (endpoint, Interest::Read),
                interest => (endpoint, interest),
            })
        });
        // A closed connection is always ready. What else the peer has to say comes over the control channel.
        let is_open = |endpoint: u32| self.endpoints[endpoint as usize].link_ended_at.is_none();
        of_calls.chain(self.needs_of_messages()).filter(move |(endpoint, _)| is_open(*endpoint))
    }

    /// Calls without an outcome.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &ActiveCall> {
        self.calls.active.iter().filter(|a| a.outcome.is_none())
    }
}

/// Result of a step of progress.
pub(super) type Step<T> = std::result::Result<T, Trouble>;

/// An error in one communicator.
#[derive(Debug)]
pub(super) struct Trouble {
    pub comm: CommId,
    pub error: Error,
}
