//! State of a window some of whose ranks are on other hosts.

use std::collections::HashMap;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;
use parking_lot::Mutex;

use super::control::Ticket;
use super::outbox::Outbox;

/// State of a window some of whose ranks are on other hosts.
#[derive(Default)]
pub struct Distant {
    pub inbox: Mutex<Inbox>,
    pub outbox: Outbox,
}

/// A message that comes, or waits to be handled.
pub struct Incoming {
    pub request: Request,
    pub from: Rank,
    pub bytes: Vec<u8>,
}

/// Messages of other hosts, as they come.
#[derive(Default)]
pub struct Inbox {
    pub probe: Option<Request>,
    pub queue: Vec<Incoming>,
    pub answers: Vec<(Rank, Request)>,
    pub grants: Grants,
}

/// A rank that waits for the lock.
pub struct Waiting {
    pub rank: Rank,
    pub id: u64,
    pub ticket: Ticket,
}

/// Ranks of other hosts that wait for the lock of this rank, or hold it.
#[derive(Default)]
pub struct Grants {
    pub waiting: Vec<Waiting>,
    pub holders: HashMap<Rank, i32>,
}
