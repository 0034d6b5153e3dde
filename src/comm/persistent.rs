//! Operations that are prepared once and started often.
//!
//! A start does not repeat reading and checking arguments, choosing an algorithm, and finding or compiling
//! its plan. It still notes the call for the other ranks, so a start takes part in the order of calls like
//! any other call.

use std::sync::Arc;

use super::call::operation::Variant;
use super::call::operator::Operator;
use super::collectives_v::PreparedUnequal;
use super::pieces::outgoing;
use super::request::Request;
use super::{Coalesced, Communicator, List, Operation, Part, Unequal};
use crate::base::{Collective, Error, Rank, ReduceOp, Result};
use crate::executor::{Key, Prepared};
use crate::p2p::{OutgoingMessage, Pieces, RecvBuffer, Selector, Status, Tag};

/// An operation that can be started again and again, one run at a time. Dropping it waits for the run under
/// way.
pub struct Persistent {
    comm: Arc<Communicator>,
    // Dropped first: dropping a run waits for it, and it may use memory of the task until then.
    running: Option<ActiveRun>,
    task: Task,
    /// Status of the message of the last run.
    status: Option<Status>,
}

enum Task {
    Collective {
        operation: Operation,
        /// Set if the program has made the operator.
        operator: Option<Arc<Operator>>,
        key: Key,
        prepared: Arc<Prepared>,
    },
    Unequal(PreparedUnequal),
    List {
        collective: Collective,
        op: Option<ReduceOp>,
        root: Rank,
        parts: Vec<Part>,
        operator: Option<Arc<Operator>>,
    },
    Send(OutgoingMessage),
    Receive(Selector, RecvBuffer),
    SendPieces {
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        pieces: Arc<dyn Pieces>,
    },
    ReceivePieces(Selector, Arc<dyn Pieces>),
}

/// One run of an operation.
enum ActiveRun {
    Single(Request),
    List(Coalesced),
}

// SAFETY: the pointers are the caller's buffers, which it has promised to leave to each run, on whatever
// thread that is.
unsafe impl Send for Task {}

impl Persistent {
    /// Prepares a collective. Local.
    ///
    /// # Safety
    /// See [`Communicator::start`]; the promise holds from each start to the end of that run.
    pub unsafe fn new(
        comm: Arc<Communicator>,
        operation: Operation,
        operator: Option<Arc<Operator>>,
    ) -> Result<Persistent> {
        comm.check_host(&operation)?;
        let mut variant = Variant::default();
        if let Some(operator) = &operator {
            operator.check(&operation.call)?;
            variant = operator.variant(&operation.call, None);
        }
        let (key, prepared) = comm.prepare(&operation, &variant)?;
        Persistent::of(comm, Task::Collective { operation, operator, key, prepared })
    }

    /// Prepares a call with a layout. Local; the layout itself is not needed after the return.
    ///
    /// # Safety
    /// See [`Communicator::start_unequal`]; the promise holds from each start to the end of that run.
    pub unsafe fn unequal(
        comm: Arc<Communicator>,
        operation: &Unequal,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Persistent> {
        // SAFETY: passed on from our caller.
        let ready = unsafe { comm.prepare_unequal(operation, operator) }?;
        Persistent::of(comm, Task::Unequal(ready))
    }

    /// Prepares a collective on a list of buffers. Local; small buffers are packed at each start.
    ///
    /// # Safety
    /// See [`Communicator::start_list`]; the promise holds from each start to the end of that run.
    pub unsafe fn list(
        comm: Arc<Communicator>,
        list: &List,
        operator: Option<Arc<Operator>>,
    ) -> Result<Persistent> {
        comm.check_list(list, operator.as_ref())?;
        let List { collective, op, root, parts } = *list;
        let parts = parts.to_vec();
        Persistent::of(comm, Task::List { collective, op, root, parts, operator })
    }

    /// Prepares a send. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_send`]; the promise holds from each start to the end of that run.
    pub unsafe fn send(comm: Arc<Communicator>, what: OutgoingMessage) -> Result<Persistent> {
        comm.check_outgoing(&what)?;
        Persistent::of(comm, Task::Send(what))
    }

    /// Prepares a receive. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_receive`]; the promise holds from each start to the end of that run.
    pub unsafe fn receive(
        comm: Arc<Communicator>,
        selector: Selector,
        buffer: RecvBuffer,
    ) -> Result<Persistent> {
        comm.check_recv_buffer(&buffer)?;
        Persistent::of(comm, Task::Receive(selector, buffer))
    }

    /// Prepares a send of pieces. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_send_pieces`]; the promise holds from each start to the end of that run.
    pub unsafe fn send_pieces(
        comm: Arc<Communicator>,
        to: Rank,
        tag: Tag,
        is_synchronous: bool,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Persistent> {
        comm.check_outgoing(&outgoing(to, tag, is_synchronous, &*pieces))?;
        Persistent::of(comm, Task::SendPieces { to, tag, is_synchronous, pieces })
    }

    /// Prepares a receive into pieces. Local.
    ///
    /// # Safety
    /// See [`Communicator::start_receive_pieces`]; the promise holds from each start to the end of that run.
    pub unsafe fn receive_pieces(
        comm: Arc<Communicator>,
        selector: Selector,
        pieces: Arc<dyn Pieces>,
    ) -> Result<Persistent> {
        comm.check_incoming(selector)?;
        Persistent::of(comm, Task::ReceivePieces(selector, pieces))
    }

    fn of(comm: Arc<Communicator>, task: Task) -> Result<Persistent> {
        comm.check_usable()?;
        Ok(Persistent { comm, task, running: None, status: None })
    }

    /// Starts a run. It is an error while a run is under way, which is until a wait or a test has seen its
    /// end.
    pub fn start(&mut self) -> Result<()> {
        self.check_startable()?;
        self.comm.check_usable()?;
        self.status = None;
        let started = match &mut self.task {
            Task::Collective { operation, operator: Some(operator), .. } if operator.scales() => {
                // SAFETY: the promise of `new`.
                unsafe { self.comm.start_with_operator(operation, Some(operator)) }
            }
            Task::Collective { operation, key, prepared, .. } => {
                let prepared = Arc::clone(prepared);
                // SAFETY: the promise of `new`; `key` and `prepared` belong to the operation.
                unsafe { self.comm.start_prepared(key, prepared, operation) }
            }
            // SAFETY: the promise of `unequal`; nothing is under way, and the task outlives its run.
            Task::Unequal(ready) => unsafe { self.comm.start_prepared_unequal(ready) },
            Task::List { collective, op, root, parts, operator } => {
                let list = List { collective: *collective, op: *op, root: *root, parts };
                // SAFETY: the promise of `list`.
                let started = unsafe { self.comm.start_list(&list, operator.as_ref()) }?;
                self.running = Some(ActiveRun::List(started));
                return Ok(());
            }
            // SAFETY: the promise of `send`.
            Task::Send(what) => unsafe { self.comm.start_send(what) },
            // SAFETY: the promise of `receive`.
            Task::Receive(selector, buffer) => unsafe { self.comm.start_receive(*selector, *buffer) },
            Task::SendPieces { to, tag, is_synchronous, pieces } => {
                let pieces = Arc::clone(pieces);
                // SAFETY: the promise of `send_pieces`.
                unsafe { self.comm.start_send_pieces(*to, *tag, *is_synchronous, pieces) }
            }
            Task::ReceivePieces(selector, pieces) => {
                // SAFETY: the promise of `receive_pieces`.
                unsafe { self.comm.start_receive_pieces(*selector, Arc::clone(pieces)) }
            }
        };
        self.running = Some(ActiveRun::Single(started?));
        Ok(())
    }

    /// Checks whether `start` would be accepted.
    pub fn check_startable(&self) -> Result<()> {
        if self.is_running() {
            let text = "the operation is still running: wait for it before starting it again or freeing it";
            return Err(Error::InvalidUsage(text.into()));
        }
        Ok(())
    }

    /// Whether a run is under way: neither a wait nor a test has seen its end.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Waits for the end of the run. Returns at once if no run is under way.
    pub fn wait(&mut self) -> Result<()> {
        match self.running.take() {
            None => Ok(()),
            Some(ActiveRun::List(mut list)) => list.wait(),
            Some(ActiveRun::Single(mut request)) => {
                let outcome = request.wait();
                self.status = request.status();
                outcome
            }
        }
    }

    /// Whether the run has ended, or none is under way. `wait` returns its outcome.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.running {
            None => true,
            Some(ActiveRun::List(list)) => list.has_ended(),
            Some(ActiveRun::Single(request)) => !matches!(request.test(), Ok(false)),
        }
    }

    /// Status of the message of the last run, if it has ended without an error.
    pub fn status(&self) -> Option<Status> {
        self.status
    }

    /// The request to wait for next, if a run is under way.
    pub(super) fn running(&self) -> Option<&Request> {
        match self.running.as_ref()? {
            ActiveRun::Single(request) => Some(request),
            ActiveRun::List(list) => list.running(),
        }
    }
}
