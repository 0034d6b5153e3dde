//! A call whose arguments were checked: how it runs, how it starts, and how the engine sees it.

use std::sync::Arc;

use anyccl_engine::base::{Call, CallKind, Collective, Datatype, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Operator, Places, Request, Unequal};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};

use crate::communicator::Comm;
use crate::completion::wait_for;
use crate::signals::{Put, SignalWait};

/// A call whose arguments were checked.
pub enum Action {
    Collective { operation: Operation, operator: Option<Arc<Operator>> },
    AllToAllV { datatype: Datatype, send: *const u8, recv: *mut u8, input: Vec<Block>, output: Vec<Block> },
    Send(OutgoingMessage),
    Receive(Selector, RecvBuffer),
    Put(Put),
    Wait(Vec<SignalWait>),
}

impl Action {
    /// Runs the action until it has ended.
    ///
    /// # Safety
    /// Its buffers are as NCCL documents them, and nobody else uses them meanwhile.
    #[inline]
    pub unsafe fn run(&self, comm: &Comm, engine: &Communicator) -> Result<()> {
        match self {
            Action::Collective { operation, operator } => {
                // SAFETY: passed on from our caller.
                unsafe { engine.run(CallSpec::Collective(operation, operator.as_ref())) }
            }
            // SAFETY: passed on from our caller.
            Action::Send(what) => unsafe { engine.send(what) },
            Action::Wait(waits) => waits.iter().try_for_each(|wait| wait.wait(comm, engine)),
            _ => {
                // SAFETY: passed on from our caller.
                let Some(request) = unsafe { self.start(comm, engine) }? else { return Ok(()) };
                wait_for(&mut request.into(), self.expected())
            }
        }
    }

    /// Starts the action. `None`: there is nothing to wait for, or the action is a wait for signals, which
    /// has no start.
    ///
    /// # Safety
    /// See [`Action::run`], until the request has ended.
    pub unsafe fn start(&self, comm: &Comm, engine: &Communicator) -> Result<Option<Request>> {
        if let Action::Put(put) = self {
            return put.post(comm, engine).map(|()| None);
        }
        // SAFETY: passed on from our caller.
        self.with_spec(|call| unsafe { engine.start(*call) }).transpose()
    }

    /// Passes on the call as the engine takes it. `None`: the action is about signals.
    #[inline]
    pub fn with_spec<T>(&self, take: impl FnOnce(&CallSpec) -> T) -> Option<T> {
        Some(match self {
            Action::Collective { operation, operator } => {
                take(&CallSpec::Collective(operation, operator.as_ref()))
            }
            Action::AllToAllV { datatype, send, recv, input, output } => {
                let layout = BlockLayout { input, output, ..BlockLayout::NONE };
                let places = Places::Buffers { send: *send, recv: *recv };
                let collective = Collective::AllToAllV;
                let call = Unequal { collective, datatype: *datatype, op: None, root: 0, layout, places };
                take(&CallSpec::Unequal(&call, None))
            }
            Action::Send(what) => take(&CallSpec::Send(what)),
            Action::Receive(selector, buffer) => take(&CallSpec::ReceiveAll(*selector, *buffer)),
            Action::Put(_) | Action::Wait(_) => return None,
        })
    }

    /// Time of the action by the cost model, in microseconds.
    pub fn estimate(&self, engine: &Communicator) -> Result<f64> {
        let message = |datatype, count| Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count };
        match self {
            Action::Collective { operation, .. } => engine.predicted_us(&operation.call),
            Action::AllToAllV { datatype, input, .. } => {
                let sent =
                    input.iter().map(|block| engine.predicted_us(&message(*datatype, block.len as u64)));
                sent.sum()
            }
            Action::Send(what) => engine.predicted_us(&message(what.datatype, what.count)),
            Action::Put(_) | Action::Wait(_) => Ok(0.0),
            Action::Receive(_, buffer) => engine.predicted_us(&message(buffer.datatype, buffer.count)),
        }
    }

    /// Number of elements that a receive should get: NCCL requires the same count on both sides of a message.
    pub fn expected(&self) -> Option<u64> {
        match self {
            Action::Receive(_, buffer) => Some(buffer.count),
            _ => None,
        }
    }
}
