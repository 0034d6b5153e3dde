//! A checked call on host memory that waits for its start.

use std::sync::Arc;

use crate::base::{Collective, Rank, ReduceOp, Result};
use crate::comm::call::operation::Operation;
use crate::comm::call::operator::Operator;
use crate::comm::coalesced::{List, Part};
use crate::comm::collectives_v::PreparedUnequal;
use crate::comm::communicator::Communicator;
use crate::comm::work::Work;
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};

/// A call whose start needs nothing but its turn.
pub(in crate::comm) enum ReadyCall {
    /// See [`super::Described::Collective`].
    Collective { operation: Operation, operator: Option<Arc<Operator>> },
    /// See [`super::Described::Unequal`].
    Unequal(PreparedUnequal),
    /// See [`super::Described::List`].
    List {
        collective: Collective,
        op: Option<ReduceOp>,
        root: Rank,
        parts: Vec<Part>,
        operator: Option<Arc<Operator>>,
    },
    /// See [`super::Described::Send`].
    Send(OutgoingMessage),
    /// See [`super::Described::Receive`].
    Receive(Selector, RecvBuffer),
}

// SAFETY: the pointers lead to the copies, which belong to the call, or to buffers that the caller has
// promised to leave to it, on whatever thread it runs.
unsafe impl Send for ReadyCall {}

impl ReadyCall {
    /// Starts the call.
    ///
    /// # Safety
    /// The buffers are valid, and `self` lives, until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Work> {
        Ok(match self {
            ReadyCall::Collective { operation, operator } => {
                // SAFETY: passed on from our caller.
                unsafe { comm.start_with_operator(operation, operator.as_ref()) }?.into()
            }
            // SAFETY: passed on from our caller; nothing of it is under way.
            ReadyCall::Unequal(prepared) => unsafe { comm.start_prepared_unequal(prepared) }?.into(),
            ReadyCall::List { collective, op, root, parts, operator } => {
                let list = List { collective: *collective, op: *op, root: *root, parts };
                // SAFETY: passed on from our caller.
                unsafe { comm.start_list(&list, operator.as_ref()) }?.into()
            }
            // SAFETY: passed on from our caller.
            ReadyCall::Send(what) => unsafe { comm.start_send(what) }?.into(),
            // SAFETY: passed on from our caller.
            ReadyCall::Receive(selector, buffer) => unsafe { comm.start_receive(*selector, *buffer) }?.into(),
        })
    }
}
