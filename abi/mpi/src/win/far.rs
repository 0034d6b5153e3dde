//! State of a window some of whose ranks are on other hosts.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;
use parking_lot::Mutex;

use super::control::Ticket;
use super::countdown::Countdown;
use super::outbox::Outbox;

/// A rank that was asked for its lock, and what tells that it is there.
pub type Pending = (Rank, Arc<Countdown>);

/// State of a window some of whose ranks are on other hosts.
#[derive(Default)]
pub struct Distant {
    pub inbox: Mutex<Inbox>,
    pub outbox: Outbox,
    /// Locks that were asked for and have perhaps not come yet.
    pub pending: Mutex<Vec<Pending>>,
}

/// A message that comes, or waits to be handled.
pub struct Incoming {
    /// `None`: it has come.
    pub request: Option<Request>,
    pub from: Rank,
    pub bytes: Vec<u8>,
}

/// Messages of other hosts, as they come.
#[derive(Default)]
pub struct Inbox {
    pub probe: Option<Request>,
    pub queue: VecDeque<Incoming>,
    pub answers: Vec<(Rank, Request)>,
    pub grants: Grants,
}

/// A rank that waits for the lock, and its messages that come after.
pub struct Waiting {
    pub rank: Rank,
    pub id: u64,
    pub ticket: Ticket,
    pub messages: Vec<Vec<u8>>,
}

/// Ranks of other hosts that wait for the lock of this rank, or hold it.
#[derive(Default)]
pub struct Grants {
    pub waiting: Vec<Waiting>,
    pub holders: HashMap<Rank, i32>,
    /// Tickets for which their ranks do not wait any more.
    pub given_up: Vec<(Rank, Ticket)>,
}
