//! A checked call that waits for its start, once or again and again.

use std::sync::Arc;

use super::call::operation::Operation;
use super::call::operator::Operator;
use super::call::unequal::{OwnedUnequal, Unequal};
use super::collectives_v::PreparedUnequal;
use super::request::Request;
use super::{Communicator, List, Part};
use crate::base::{Collective, Rank, ReduceOp, Result};
use crate::executor::{Key, Prepared, StagedBuffers};
use crate::p2p::{Noncontiguous, OutgoingMessage, RecvBuffer, Selector, Tag};

/// A call whose start needs nothing but its turn.
pub(super) enum ReadyCall {
    /// A collective with one count.
    Collective {
        operation: Operation,
        /// Set if the program has made the operator.
        operator: Option<Arc<Operator>>,
        /// The plan, if it is known already and the buffers are host memory.
        prepared: Option<(Key, Arc<Prepared>)>,
    },
    /// A collective with one count, of the builtin engine, whose buffers are copied while it runs.
    InPieces { operation: Operation, prepared: Arc<Prepared>, pieces: Box<StagedBuffers> },
    /// A collective with a layout, in host memory.
    Unequal(PreparedUnequal),
    /// A collective with a layout, some of it in memory of a device. Each start makes its plan.
    UnequalOnDevice(Box<OwnedUnequal>, Option<Arc<Operator>>),
    /// A collective on a list of buffers.
    List {
        collective: Collective,
        op: Option<ReduceOp>,
        root: Rank,
        parts: Vec<Part>,
        operator: Option<Arc<Operator>>,
    },
    /// A send.
    Send(OutgoingMessage),
    /// A receive.
    Receive(Selector, RecvBuffer),
    /// A send of noncontiguous memory.
    SendNoncontiguous { to: Rank, tag: Tag, is_synchronous: bool, memory: Arc<dyn Noncontiguous> },
    /// A receive into noncontiguous memory.
    ReceiveNoncontiguous(Selector, Arc<dyn Noncontiguous>),
}

// SAFETY: the pointers lead to memory of the call, or to buffers that the caller has promised to leave to
// each run, on whatever thread it runs.
unsafe impl Send for ReadyCall {}

impl ReadyCall {
    /// A list of buffers.
    pub fn list(list: &List, operator: Option<Arc<Operator>>) -> ReadyCall {
        let List { collective, op, root, parts } = *list;
        ReadyCall::List { collective, op, root, parts: parts.to_vec(), operator }
    }

    /// A collective with a layout, some of it in memory of a device.
    pub fn unequal_on_device(operation: &Unequal, operator: Option<&Arc<Operator>>) -> ReadyCall {
        ReadyCall::UnequalOnDevice(Box::new(OwnedUnequal::of(operation)), operator.cloned())
    }

    /// Starts the call.
    ///
    /// # Safety
    /// The buffers are valid, `self` lives, and no other run of it is under way, until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Request> {
        match self {
            ReadyCall::Collective { operation, operator, prepared: Some((key, prepared)) }
                if !operator.as_ref().is_some_and(|operator| operator.scales()) =>
            {
                let prepared = Arc::clone(prepared);
                // SAFETY: passed on from our caller; `key` and `prepared` belong to the operation.
                unsafe { comm.start_prepared(key, prepared, operation) }
            }
            ReadyCall::Collective { operation, operator, .. } => {
                // SAFETY: passed on from our caller.
                unsafe { comm.start_with_operator(operation, operator.as_ref()) }
            }
            ReadyCall::InPieces { operation, prepared, pieces } => {
                // SAFETY: passed on from our caller. The words lie next to the copies.
                unsafe { comm.start_staged(Arc::clone(prepared), operation, pieces) }
            }
            // SAFETY: passed on from our caller.
            ReadyCall::Unequal(prepared) => unsafe { comm.start_prepared_unequal(prepared) },
            ReadyCall::UnequalOnDevice(operation, operator) => {
                let operation = operation.borrowed();
                // SAFETY: passed on from our caller.
                unsafe { comm.start_unequal_with_operator(&operation, operator.as_ref()) }
            }
            ReadyCall::List { collective, op, root, parts, operator } => {
                let list = List { collective: *collective, op: *op, root: *root, parts };
                // SAFETY: passed on from our caller.
                unsafe { comm.start_list(&list, operator.as_ref()) }
            }
            // SAFETY: passed on from our caller.
            ReadyCall::Send(what) => unsafe { comm.start_send(what) },
            // SAFETY: passed on from our caller.
            ReadyCall::Receive(selector, buffer) => unsafe { comm.start_receive(*selector, *buffer) },
            ReadyCall::SendNoncontiguous { to, tag, is_synchronous, memory } => {
                let memory = Arc::clone(memory);
                // SAFETY: passed on from our caller.
                unsafe { comm.start_send_noncontiguous(*to, *tag, *is_synchronous, memory) }
            }
            ReadyCall::ReceiveNoncontiguous(selector, memory) => {
                // SAFETY: passed on from our caller.
                unsafe { comm.start_receive_noncontiguous(*selector, Arc::clone(memory)) }
            }
        }
    }
}
