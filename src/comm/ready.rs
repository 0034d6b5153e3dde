//! A checked call that waits for its start, once or again and again.

use std::fmt;
use std::sync::Arc;

use super::Communicator;
use super::call::operation::Operation;
use super::call::operator::Operator;
use super::call::spec::OwnedSpec;
use super::prepared_unequal::PreparedUnequal;
use super::request::Request;
use crate::base::{Rank, Result};
use crate::executor::{Key, Prepared, StagedBuffers};
use crate::p2p::{Noncontiguous, Selector, Tag};

/// A call whose start needs nothing but its turn.
pub(super) enum ReadyCall {
    /// A call that each start sends its way again.
    Described(OwnedSpec),
    /// A collective with one count, of the builtin engine, in host memory. Its plan is known.
    Planned {
        operation: Operation,
        /// Set if the program has made the operator, which lives as long as the plan is used.
        _operator: Option<Arc<Operator>>,
        key: Key,
        prepared: Arc<Prepared>,
    },
    /// A collective with one count, of the builtin engine, whose buffers are copied while it runs.
    InPieces { operation: Operation, prepared: Arc<Prepared>, pieces: Box<StagedBuffers> },
    /// A collective with a layout, of the builtin engine, in host memory.
    Unequal(PreparedUnequal),
    /// A send of noncontiguous memory.
    SendNoncontiguous { to: Rank, tag: Tag, is_synchronous: bool, memory: Arc<dyn Noncontiguous> },
    /// A receive into noncontiguous memory.
    ReceiveNoncontiguous(Selector, Arc<dyn Noncontiguous>),
}

// SAFETY: the pointers lead to memory of the call, or to buffers that the caller has promised to leave to
// each run, on whatever thread it runs.
unsafe impl Send for ReadyCall {}

/// The form of error messages.
impl fmt::Display for ReadyCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadyCall::Described(call) => call.with(|call| call.fmt(f)),
            ReadyCall::Planned { operation, .. } | ReadyCall::InPieces { operation, .. } => {
                operation.call.fmt(f)
            }
            ReadyCall::Unequal(prepared) => prepared.call().fmt(f),
            ReadyCall::SendNoncontiguous { to, tag, .. } => {
                write!(f, "send(noncontiguous memory, to rank {to}, tag {tag})")
            }
            ReadyCall::ReceiveNoncontiguous(selector, _) => {
                write!(f, "recv(noncontiguous memory, from {selector})")
            }
        }
    }
}

impl ReadyCall {
    /// Starts the call.
    ///
    /// # Safety
    /// The buffers are valid, `self` lives, and no other run of it is under way, until the work has ended.
    pub unsafe fn start(&mut self, comm: &Communicator) -> Result<Request> {
        match self {
            // SAFETY: passed on from our caller.
            ReadyCall::Described(call) => call.with(|call| unsafe { comm.start(call) }),
            ReadyCall::Planned { operation, key, prepared, .. } => {
                // SAFETY: passed on from our caller; `key` and `prepared` belong to the operation.
                unsafe { comm.start_planned(key, Arc::clone(prepared), operation) }
            }
            ReadyCall::InPieces { operation, prepared, pieces } => {
                // SAFETY: passed on from our caller. The words lie next to the copies.
                unsafe { comm.start_staged(Arc::clone(prepared), operation, pieces) }
            }
            // SAFETY: passed on from our caller.
            ReadyCall::Unequal(prepared) => unsafe { prepared.start(comm) },
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
