//! A call as its caller describes it, of any kind: what the communicator runs, starts or prepares.

use std::sync::Arc;

use super::list::List;
use super::operation::Operation;
use super::operator::Operator;
use super::unequal::Unequal;
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};

/// A call, with the operator if the program has made it.
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
