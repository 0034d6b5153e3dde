//! A call as its caller describes it, of any kind: what the communicator runs, starts or prepares.

use std::fmt;
use std::sync::Arc;

use super::list::{List, Part};
use super::operation::Operation;
use super::operator::Operator;
use super::unequal::{OwnedUnequal, Unequal};
use crate::base::{Collective, Rank, ReduceOp};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};

/// A call, with the operator if the program has made it.
#[derive(Clone, Copy)]
pub enum CallSpec<'a> {
    /// A collective with one count.
    Collective(&'a Operation, Option<&'a Arc<Operator>>),
    /// A collective with a layout.
    Unequal(&'a Unequal<'a>, Option<&'a Arc<Operator>>),
    /// A collective on a list of buffers.
    List(&'a List<'a>, Option<&'a Arc<Operator>>),
    /// A send.
    Send(&'a OutgoingMessage),
    /// A receive.
    Receive(Selector, RecvBuffer),
    /// A receive of a message that fills the buffer.
    ReceiveAll(Selector, RecvBuffer),
}

impl<'a> From<&'a Operation> for CallSpec<'a> {
    #[inline]
    fn from(operation: &'a Operation) -> CallSpec<'a> {
        CallSpec::Collective(operation, None)
    }
}

impl<'a> From<&'a Unequal<'a>> for CallSpec<'a> {
    #[inline]
    fn from(operation: &'a Unequal<'a>) -> CallSpec<'a> {
        CallSpec::Unequal(operation, None)
    }
}

impl<'a> From<&'a List<'a>> for CallSpec<'a> {
    #[inline]
    fn from(list: &'a List<'a>) -> CallSpec<'a> {
        CallSpec::List(list, None)
    }
}

impl<'a> From<&'a OutgoingMessage> for CallSpec<'a> {
    #[inline]
    fn from(what: &'a OutgoingMessage) -> CallSpec<'a> {
        CallSpec::Send(what)
    }
}

/// A call with copies of all that describes it.
pub(in crate::comm) enum OwnedSpec {
    Collective(Operation, Option<Arc<Operator>>),
    Unequal(Box<OwnedUnequal>, Option<Arc<Operator>>),
    List {
        collective: Collective,
        op: Option<ReduceOp>,
        root: Rank,
        parts: Vec<Part>,
        operator: Option<Arc<Operator>>,
    },
    Send(OutgoingMessage),
    Receive(Selector, RecvBuffer),
    ReceiveAll(Selector, RecvBuffer),
}

/// The form of error messages.
impl fmt::Display for CallSpec<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallSpec::Collective(operation, _) => operation.call.fmt(f),
            CallSpec::Unequal(operation, _) => operation.whole_call().fmt(f),
            CallSpec::List(list, _) => list.call().fmt(f),
            CallSpec::Send(what) => what.fmt(f),
            CallSpec::Receive(selector, buffer) | CallSpec::ReceiveAll(selector, buffer) => {
                f.write_str(&buffer.describe(selector))
            }
        }
    }
}

impl CallSpec<'_> {
    /// Whether it is between two ranks.
    pub fn is_message(&self) -> bool {
        matches!(self, CallSpec::Send(_) | CallSpec::Receive(..) | CallSpec::ReceiveAll(..))
    }

    /// Copies all that describes the call.
    pub(in crate::comm) fn owned(self) -> OwnedSpec {
        match self {
            CallSpec::Collective(operation, operator) => OwnedSpec::Collective(*operation, operator.cloned()),
            CallSpec::Unequal(operation, operator) => {
                OwnedSpec::Unequal(Box::new(OwnedUnequal::of(operation)), operator.cloned())
            }
            CallSpec::List(list, operator) => {
                let List { collective, op, root, parts } = *list;
                OwnedSpec::List { collective, op, root, parts: parts.to_vec(), operator: operator.cloned() }
            }
            CallSpec::Send(what) => OwnedSpec::Send(*what),
            CallSpec::Receive(selector, buffer) => OwnedSpec::Receive(selector, buffer),
            CallSpec::ReceiveAll(selector, buffer) => OwnedSpec::ReceiveAll(selector, buffer),
        }
    }
}

impl OwnedSpec {
    /// Passes the call on, as those who start it take it.
    pub fn with<T>(&self, take: impl FnOnce(CallSpec) -> T) -> T {
        match self {
            OwnedSpec::Collective(operation, operator) => {
                take(CallSpec::Collective(operation, operator.as_ref()))
            }
            OwnedSpec::Unequal(operation, operator) => {
                take(CallSpec::Unequal(&operation.borrowed(), operator.as_ref()))
            }
            OwnedSpec::List { collective, op, root, parts, operator } => {
                let list = List { collective: *collective, op: *op, root: *root, parts };
                take(CallSpec::List(&list, operator.as_ref()))
            }
            OwnedSpec::Send(what) => take(CallSpec::Send(what)),
            OwnedSpec::Receive(selector, buffer) => take(CallSpec::Receive(*selector, *buffer)),
            OwnedSpec::ReceiveAll(selector, buffer) => take(CallSpec::ReceiveAll(*selector, *buffer)),
        }
    }
}
