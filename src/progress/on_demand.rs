//! Connections on demand: a rank connects with another one when a call or message first needs it.
//!
//! Whoever makes the connections does so outside of the engine, because a rank must be able to connect with
//! one that computes. The engine asks for a connection where it opens links, and takes what has been made
//! ([`Arrivals`]) in the same place. Whoever leaves a connection there gives the new peer what it would have
//! heard before, because this rank may make no more calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::arrivals::{Arrivals, Connected, OnDemand};
use super::calls::ActiveCall;
use super::context::CommId;
use super::engine::{Engine, Step, Trouble};
use crate::base::{Error, Rank};
use crate::endpoint::Presence;
use crate::memory::has_exported;
use crate::sys::clock;
use crate::transport::Header;
use crate::transport::control::ControlMessage;

/// Pause after which this rank may try again to connect with one with which it could not.
const AGAIN_PAUSE: Duration = Duration::from_millis(100);

impl Engine {
    /// Where connections are left for this engine, which then gets them on demand.
    pub fn arrivals(&self) -> Arc<Arrivals> {
        Arc::new(Arrivals::new(Arc::clone(&self.sleepers)))
    }

    /// Makes the engine ask for connections by `connect`, which does not wait.
    pub fn connect_on_demand(&mut self, connect: Box<dyn Fn(Rank) + Send>, arrivals: Arc<Arrivals>) {
        let (mut asked, failures, needed) =
            (vec![false; self.endpoints.len()], BTreeMap::new(), BTreeSet::new());
        asked[self.rank as usize] = true;
        self.on_demand = Some(Box::new(OnDemand { connect, arrivals, asked, failures, needed }));
    }

    /// Begins to connect with a rank, unless that has been done, or has failed a moment ago.
    pub(super) fn connect(&mut self, at: u32) {
        let Some(on_demand) = &mut self.on_demand else { return };
        let has_just_failed =
            on_demand.failures.get(&at).is_some_and(|(_, when)| clock::since(*when) < AGAIN_PAUSE);
        if self.endpoints[at as usize].is_unconnected()
            && !has_just_failed
            && !std::mem::replace(&mut on_demand.asked[at as usize], true)
        {
            (on_demand.connect)(at);
        }
    }

    /// Begins to connect with a rank that a call needs. If that fails, the call fails.
    pub(super) fn connect_when_needed(&mut self, at: u32) -> Step<()> {
        let Some(on_demand) = &mut self.on_demand else { return Ok(()) };
        let is_new = on_demand.needed.insert(at);
        let failure = on_demand.failures.get(&at).map(|(error, _)| error.clone());
        let Some(error) = failure.filter(|error| !is_new || matches!(error, Error::PeerLost { .. })) else {
            // An old failure for want of something is no reason.
            on_demand.failures.remove(&at);
            self.connect(at);
            return Ok(());
        };
        on_demand.needed.remove(&at);
        let Some((comm, title)) = self.user_of(at) else { return Ok(()) };
        let during = |text: &str| format!("{text}; needed for {title}");
        let rank = self.comms.get(comm).rank_of(at).unwrap_or(at);
        let error = match error {
            Error::PeerLost { detail, .. } => Error::PeerLost { rank, detail: during(&detail) },
            Error::System { what, source } => Error::System { what: during(&what), source },
            error => error,
        };
        Err(Trouble { comm, error })
    }

    /// Why this rank could not connect with one of these.
    pub(super) fn failure_to_connect(&self, endpoints: impl IntoIterator<Item = u32>) -> Option<Error> {
        let failures = &self.on_demand.as_ref()?.failures;
        endpoints.into_iter().find_map(|at| failures.get(&at).map(|(error, _)| error.clone()))
    }

    /// Begins to connect with all ranks from which a message may come that this rank waits for: it must learn
    /// if they leave.
    pub(super) fn connect_with_anybody(&mut self) {
        if self.on_demand.as_ref().is_none_or(|on_demand| on_demand.asked.iter().all(|asked| *asked)) {
            return;
        }
        let of_comm = |id: &CommId| {
            let comm = self.comms.get(*id);
            let waits = comm.conversation.waits_for_any_source();
            comm.members.iter().filter(move |_| waits).map(|member| member.endpoint)
        };
        let to: Vec<u32> = self.messaging.comms.iter().flat_map(of_comm).collect();
        self.connect_all(&to);
    }

    /// Begins to connect with the ranks for whose messages a program looks: one of a communicator, or all.
    pub(super) fn connect_with_sources(&mut self, id: CommId, source: Option<Rank>) {
        if self.on_demand.is_some() {
            let members = (0..).zip(&self.comms.get(id).members);
            let wanted = members.filter(|(rank, _)| source.is_none_or(|source| source == *rank));
            let to: Vec<u32> = wanted.map(|(_, member)| member.endpoint).collect();
            self.connect_all(&to);
        }
    }

    /// Begins to connect with all ranks of a list.
    pub(super) fn connect_all(&mut self, endpoints: &[u32]) {
        endpoints.iter().for_each(|at| self.connect(*at));
    }

    /// Begins to connect with all ranks that may share memory with this one. Returns whether any is not
    /// connected.
    pub(super) fn connect_local_ranks(&mut self) -> bool {
        let is_to_connect = |at: &u32| {
            let endpoint = &self.endpoints[*at as usize];
            endpoint.is_unconnected() && endpoint.presence == Presence::Here && endpoint.transport() == "shm"
        };
        let to: Vec<u32> = (0..self.endpoints.len() as u32).filter(is_to_connect).collect();
        self.connect_all(&to);
        !to.is_empty()
    }

    /// Takes the connections that have been made. Returns whether there were any.
    pub(super) fn take_arrivals(&mut self) -> bool {
        let Some(on_demand) = &self.on_demand else { return false };
        let arrived = on_demand.arrivals.take();
        let any = !arrived.is_empty();
        for (at, connected) in arrived {
            match connected {
                Ok(connected) => self.take_connection(at, connected),
                Err(error) => self.note_unreachable(at, error),
            }
        }
        any
    }

    fn take_connection(&mut self, at: u32, connected: Connected) {
        let Connected { control, link, has_passed_arena } = connected;
        let endpoint = &mut self.endpoints[at as usize];
        if !endpoint.is_unconnected() || endpoint.presence != Presence::Here {
            return;
        }
        endpoint.connect(control, link, has_passed_arena);
        self.connected.push(at);
        if has_exported() {
            endpoint.pass_arena();
        }
        if let Some(on_demand) = &mut self.on_demand {
            on_demand.asked[at as usize] = true;
            on_demand.failures.remove(&at);
            on_demand.needed.remove(&at);
        }
        let link = &mut endpoint.inbox.link;
        link.set_oversubscribed(self.oversubscribed);
        if !link.is_unopened() {
            self.unopened -= 1;
            link.set_sleeping(self.is_asleep);
        }
        // A rank of this host may be reached by TCP only.
        self.has_sockets |= link.descriptor().is_some();
        self.oversubscribed_on_sockets = self.oversubscribed && self.has_sockets;
        self.opening.note_change();
        self.greet(at);
        // A sleeper does not watch the new channel yet.
        self.sleepers.ring_all();
    }

    /// Notes that this rank cannot connect with another one. What needs that one fails. If the other one has
    /// ended, nothing more comes of it. If this rank lacks something, it may connect later.
    fn note_unreachable(&mut self, at: u32, error: Error) {
        let endpoint = &mut self.endpoints[at as usize];
        let Some(on_demand) = &mut self.on_demand else { return };
        if !endpoint.is_unconnected() || endpoint.presence != Presence::Here {
            return;
        }
        let has_ended = matches!(error, Error::PeerLost { .. });
        on_demand.asked[at as usize] = has_ended;
        on_demand.failures.insert(at, (error, clock::now()));
        self.opening.note_change();
        if has_ended {
            endpoint.presence = Presence::Gone;
            endpoint.gone = Some((clock::now(), 0));
            on_demand.arrivals.forget(at);
            self.note_departure();
        }
    }

    /// Tells a new peer in which calls this rank is. The peer may be in others.
    fn greet(&mut self, at: u32) {
        let stall = |active: &ActiveCall| {
            let Header { context, sequence, call } = *active.execution.header();
            self.comms.get(active.comm).rank_of(at)?;
            Some(ControlMessage::Stall { context, sequence, call })
        };
        let messages: Vec<ControlMessage> = self.unfinished().filter_map(stall).collect();
        if let Some(control) = &mut self.endpoints[at as usize].control {
            messages.iter().for_each(|message| control.send(message));
        }
    }

    /// Tells all other ranks of a communicator. `message` gets the position of the link to the rank.
    pub(super) fn tell_members(&mut self, id: CommId, message: impl Fn(u64) -> ControlMessage) {
        let to: Vec<u32> = self.comms.get(id).members.iter().map(|member| member.endpoint).collect();
        self.tell(&to, message);
    }

    /// Tells the ranks behind endpoints, other than this one. The message is kept for those that are not
    /// connected.
    pub(super) fn tell(&mut self, to: &[u32], message: impl Fn(u64) -> ControlMessage) {
        let mut to = to.to_vec();
        loop {
            // Those that are not connected are left.
            to.retain(|at| {
                let endpoint = &mut self.endpoints[*at as usize];
                if let Some(control) = &mut endpoint.control {
                    control.send(&message(endpoint.inbox.link.sent()));
                }
                endpoint.is_unconnected() && endpoint.presence == Presence::Here
            });
            let Some(on_demand) = self.on_demand.as_ref().filter(|_| !to.is_empty()) else { return };
            if on_demand.arrivals.keep(&message(0), &to) {
                return;
            }
            self.take_arrivals();
        }
    }
}
