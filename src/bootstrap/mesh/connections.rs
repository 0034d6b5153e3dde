//! Connections while they are being made: those that this rank dials, and those that it admits.
//!
//! The higher of two ranks dials. A lower rank that wants a connection asks the higher one to dial, over a
//! connection of its own that lasts until then. So there is one connection of each pair, also when both want
//! it at once.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::attempt::{Connector, must_share_memory};
use super::outgoing::{OutgoingPeer, share_memory, unreachable};
use super::peer::Peer;
use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::auth::gate::{Admission, Gate};
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::job::key::JobKey;
use crate::log_line;
use crate::sys::listener::Listener;
use crate::sys::poll::PollSet;
use crate::sys::socket::Socket;

/// Limit of handshakes under way at once, beyond those that this rank expects.
const STRANGERS: usize = 256;
/// Handshakes under way at once that a rank expects after it has joined.
const EXPECTED: usize = 256;

/// What connections have come to.
pub(super) enum ConnectionEvent {
    /// A rank is connected.
    Connected(Rank, Peer),
    /// A rank cannot be connected.
    Failed(Rank, Error),
    /// A peer knows the key but has another version or world.
    Disagreement(String),
}

/// A rank that connects with others, before it has begun.
pub struct Unconnected {
    /// The job's secret.
    pub(super) key: JobKey,
    /// The records of all ranks, by rank.
    pub(super) records: Arc<[Record]>,
    pub(super) rank: Rank,
    /// Where this rank's record says that it listens.
    pub(super) listeners: Vec<Listener>,
    /// Only processes of this user may connect by Unix sockets. `None`: those of any user.
    pub(super) user: Option<u32>,
}

/// Connections that one higher rank has made so far.
struct IncomingPeer {
    control: Option<(Socket, u8)>,
    /// Connections for data, in their order.
    data: Vec<Option<Socket>>,
}

impl IncomingPeer {
    fn new(own: &Record, peer: &Record) -> IncomingPeer {
        let data = (0..own.data_connections(peer)).map(|_| None).collect();
        IncomingPeer { control: None, data }
    }

    /// The sockets, once all are connected that the peer has spoken of.
    fn take(&mut self) -> Option<Peer> {
        let (_, count) = self.control.as_ref()?;
        let data = self.data.get_mut(..usize::from(*count))?;
        if data.iter().any(Option::is_none) {
            return None;
        }
        let data = data.iter_mut().filter_map(Option::take).collect();
        Some(Peer { control: self.control.take()?.0, data })
    }
}

/// Connections while they are being made; see the module head.
pub(super) struct Connections {
    key: JobKey,
    records: Arc<[Record]>,
    rank: Rank,
    user: Option<u32>,
    gate: Gate,
    outgoing: Vec<OutgoingPeer>,
    /// By higher rank.
    incoming: BTreeMap<Rank, IncomingPeer>,
    /// Connections of lower ranks that have asked this one to dial, until they are connected. A rank sees by
    /// the end of its own that nobody dials.
    asking: BTreeMap<Rank, Socket>,
    is_connected: Vec<bool>,
    /// Ranks with which this one has been asked to connect by its owner. The failure of another connection
    /// concerns the rank that has asked for it.
    is_wanted: Vec<bool>,
    /// Whether the ranks are joining, and all listen.
    is_joining: bool,
}

impl Connections {
    /// Connections of a rank that joins, if `is_joining`, or has joined.
    pub fn new(unconnected: Unconnected, is_joining: bool) -> Connections {
        let Unconnected { key, records, rank, listeners, user } = unconnected;
        let own = &records[rank as usize];
        let hello = Hello::new(Purpose::Control, own.rank, own.size, ANY_RANK);
        let expected = match is_joining {
            true => records.iter().map(|peer| 1 + usize::from(own.data_connections(peer))).sum(),
            false => EXPECTED,
        };
        let purposes: &[Purpose] = &[Purpose::Control, Purpose::Data, Purpose::Request];
        let gate = Gate::new(listeners, &key, purposes, hello, STRANGERS + expected).restrict_to(user);
        let [is_connected, is_wanted] = [(); 2].map(|()| vec![false; records.len()]);
        Connections {
            key,
            records,
            rank,
            user,
            gate,
            outgoing: Vec::new(),
            incoming: BTreeMap::new(),
            asking: BTreeMap::new(),
            is_connected,
            is_wanted,
            is_joining,
        }
    }

    /// Begins to connect with a rank, if that has not been done.
    pub fn connect(&mut self, rank: Rank) -> Result<()> {
        self.is_wanted[rank as usize] = true;
        self.begin(rank)
    }

    fn begin(&mut self, rank: Rank) -> Result<()> {
        let is_under_way = self.outgoing.iter().any(|outgoing| outgoing.peer == rank);
        if rank == self.rank || self.is_connected[rank as usize] || is_under_way {
            return Ok(());
        }
        let (own, peer) = (&self.records[self.rank as usize], &self.records[rank as usize]);
        self.outgoing.push(OutgoingPeer::new(own, peer)?);
        Ok(())
    }

    /// The rank that connects.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Adds the sockets that the connections wait for.
    pub fn register(&mut self, set: &mut PollSet) {
        self.gate.register(set);
        self.outgoing.iter_mut().for_each(|outgoing| outgoing.register(set));
    }

    /// When to call [`Connections::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        let dials = self.outgoing.iter().filter_map(OutgoingPeer::next_deadline);
        dials.chain(self.gate.next_deadline()).min()
    }

    /// Advances with what the last wait on `set` found ready, and starts what is due.
    pub fn advance(&mut self, set: &PollSet) -> Vec<ConnectionEvent> {
        let mut events = Vec::new();
        // First, because a request starts a dial.
        for admission in self.gate.advance(set) {
            match admission {
                Admission::Admitted(socket, hello) => self.admit(socket, hello, &mut events),
                Admission::Disagreement(text) => events.push(ConnectionEvent::Disagreement(text)),
            }
        }
        self.advance_outgoing(set, &mut events);
        events
    }

    fn advance_outgoing(&mut self, set: &PollSet, events: &mut Vec<ConnectionEvent>) {
        let own = &self.records[self.rank as usize];
        let connector = Connector { key: &self.key, own, user: self.user, is_joining: self.is_joining };
        for mut outgoing in std::mem::take(&mut self.outgoing) {
            let rank = outgoing.peer;
            let state = outgoing.advance(&connector, &self.records[rank as usize], set);
            match state.map(|()| outgoing.take()) {
                Ok(None) => self.outgoing.push(outgoing),
                Ok(Some(peer)) => {
                    self.is_connected[rank as usize] = true;
                    self.asking.remove(&rank);
                    events.push(ConnectionEvent::Connected(rank, peer));
                }
                Err(error) => {
                    self.asking.remove(&rank);
                    if std::mem::take(&mut self.is_wanted[rank as usize]) {
                        events.push(ConnectionEvent::Failed(rank, error));
                    }
                }
            }
        }
    }

    fn admit(&mut self, socket: Socket, hello: Hello, events: &mut Vec<ConnectionEvent>) {
        let (rank, own) = (hello.rank, &self.records[self.rank as usize]);
        let is_request = hello.purpose == Purpose::Request;
        let is_dialer = if is_request { rank < self.rank } else { rank > self.rank };
        let peer = self.records.get(rank as usize).filter(|_| is_dialer && !self.is_connected[rank as usize]);
        let Some(peer) = peer else {
            return log_line!(Debug, "rank {}: closed a second connection of rank {rank}", own.rank);
        };
        if is_request {
            return self.answer(rank, socket);
        }
        // A peer that connects again has given up its earlier connection.
        let incoming = self.incoming.entry(rank).or_insert_with(|| IncomingPeer::new(own, peer));
        match hello.purpose {
            Purpose::Control => {
                if must_share_memory(own, peer) && !socket.is_unix() {
                    if self.is_joining {
                        events.push(ConnectionEvent::Failed(rank, unreachable(own, peer)));
                    }
                    return;
                }
                let fits = match socket.is_unix() {
                    true => hello.data == 0 && share_memory(own, peer).unwrap_or(false),
                    false => (1..=incoming.data.len()).contains(&usize::from(hello.data)),
                };
                if !fits {
                    return log_line!(Debug, "rank {}: closed a connection of rank {rank}", own.rank);
                }
                incoming.control = Some((socket, hello.data));
            }
            Purpose::Data => match incoming.data.get_mut(usize::from(hello.lane)) {
                Some(data) => *data = Some(socket),
                None => {
                    let lane = hello.lane;
                    return log_line!(Debug, "rank {}: closed connection {lane} of rank {rank}", own.rank);
                }
            },
            Purpose::Request | Purpose::Store => return,
        }
        if let Some(peer) = incoming.take() {
            self.incoming.remove(&rank);
            self.is_connected[rank as usize] = true;
            // This rank may have asked for it.
            self.outgoing.retain(|outgoing| outgoing.peer != rank);
            events.push(ConnectionEvent::Connected(rank, peer));
        }
    }

    /// Dials a rank that has asked for it.
    fn answer(&mut self, rank: Rank, request: Socket) {
        // Whoever has asked sees the end of its connection, and asks again.
        if self.begin(rank).is_ok() {
            self.asking.insert(rank, request);
        }
    }

    /// Why this process cannot accept the connections of the job, if it cannot.
    pub fn take_shortage(&mut self) -> Option<io::Error> {
        self.gate.take_shortage()
    }

    /// The last error of the attempts to connect with a rank.
    pub fn last_error(&self, rank: Rank) -> Option<&str> {
        self.outgoing.iter().find(|outgoing| outgoing.peer == rank).and_then(OutgoingPeer::last_error)
    }
}
