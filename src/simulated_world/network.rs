//! The connections between the ranks: what was written at one end comes out at the other, in order, later, in
//! pieces.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::random::Random;
use super::wiring::Wire;
use crate::base::Rank;
use crate::bootstrap::Peer;
use crate::sys::clock;
use crate::sys::descriptor_passing::{Received, read_with_descriptor, send_descriptor};
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// How a world's connections behave.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Longest time that bytes take.
    pub delay: Duration,
    /// Bytes that a connection holds. A sender that is ahead by more finds no room.
    pub room: usize,
    /// Whether bytes arrive in small pieces.
    pub in_pieces: bool,
}

impl Manner {
    /// A manner of any kind.
    pub fn draw(random: &mut Random) -> Manner {
        Manner {
            delay: Duration::from_micros(random.one_of(&[0, 50, 2_000, 50_000, 300_000])),
            room: random.one_of(&[1 << 12, 1 << 16, 1 << 20]),
            in_pieces: random.once_in(3),
        }
    }
}

/// One direction of a connection.
#[derive(Default)]
struct Flow {
    held: VecDeque<u8>,
    /// Descriptors that were sent, and with which of the bytes that are held. In order.
    descriptors: VecDeque<(usize, OwnedFd)>,
    /// When parts of what is held are due, and how many bytes each has. In order.
    due: VecDeque<(Instant, usize)>,
    /// When the end of the stream is due. `None`: the sender has not closed.
    end: Option<Instant>,
    /// Whether the receiver was told of the end, or is gone.
    is_over: bool,
    /// Whether the receiver had no room at the last delivery.
    is_blocked: bool,
}

impl Flow {
    /// Whether there is room for more from the sender.
    fn takes_more(&self, manner: Manner) -> bool {
        self.end.is_none() && self.held.len() < manner.room
    }

    fn last_due(&self) -> Option<Instant> {
        self.due.back().map(|(at, _)| *at)
    }

    /// Hands at most so many bytes to the receiver. Returns how many it has taken.
    fn offer(&mut self, most: usize, to: &mut UnixStream) -> io::Result<usize> {
        let (first, _) = self.held.as_slices();
        let until = self.descriptors.front().map_or(usize::MAX, |(byte, _)| *byte);
        let bytes = match self.descriptors.front() {
            Some((0, descriptor)) => send_descriptor(to, descriptor).map(|()| 1)?,
            _ => to.write(&first[..first.len().min(most).min(until)])?,
        };
        self.held.drain(..bytes);
        self.descriptors.pop_front_if(|(byte, _)| *byte < bytes);
        self.descriptors.iter_mut().for_each(|(byte, _)| *byte -= bytes);
        Ok(bytes)
    }

    /// When there is something to deliver next.
    fn next(&self) -> Option<Instant> {
        if self.is_over || self.is_blocked {
            return None;
        }
        self.due.front().map(|(at, _)| *at).or(self.end)
    }
}

/// A connection between two ranks.
struct Connection {
    ranks: [Rank; 2],
    what: &'static str,
    /// Our end towards each of them.
    ends: [UnixStream; 2],
    /// What comes from each of them.
    flows: [Flow; 2],
}

/// A flow: its connection, and the side from which it comes.
pub type FlowId = (usize, usize);

/// All connections of a world.
pub struct Network {
    manner: Manner,
    random: Random,
    connections: Vec<Connection>,
}

impl Network {
    /// A network without connections.
    pub fn without_connections(manner: Manner, random: Random) -> Network {
        Network { manner, random, connections: Vec::new() }
    }

    /// Takes over a connection that a rank has made.
    pub fn add(&mut self, wire: Wire) {
        let Wire { ranks, ends } = wire;
        self.connections.push(Connection { ranks, what: "a connection", ends, flows: Default::default() });
    }

    /// Connects `size` ranks with each other, by one connection for control and `data` others each, or by one
    /// if they share memory. Returns the ends of each rank.
    pub fn new(
        size: u32,
        data: usize,
        share_memory: impl Fn(Rank, Rank) -> bool,
        manner: Manner,
        random: Random,
    ) -> (Network, Vec<Vec<Option<Peer>>>) {
        let mut network = Network::without_connections(manner, random);
        let mut peers: Vec<Vec<Option<Peer>>> = (0..size).map(|_| Vec::new()).collect();
        // Rank by rank, so that each list grows in rank order.
        for b in 0..size {
            for a in 0..b {
                let is_near = share_memory(a, b);
                let (control_a, control_b) = network.connect(a, b, true, is_near);
                let connections = if is_near { 0 } else { data };
                let (data_a, data_b) = (0..connections).map(|_| network.connect(a, b, false, false)).unzip();
                peers[a as usize].push(Some(Peer { control: control_a, data: data_a }));
                peers[b as usize].push(Some(Peer { control: control_b, data: data_b }));
            }
            peers[b as usize].push(None);
        }
        (network, peers)
    }

    fn connect(&mut self, a: Rank, b: Rank, is_control: bool, is_unix: bool) -> (Socket, Socket) {
        let end = || {
            let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
            ours.set_nonblocking(true).expect("a socket");
            (ours, Socket::from_fd(theirs.into(), is_unix).expect("a socket"))
        };
        let ((ours_a, theirs_a), (ours_b, theirs_b)) = (end(), end());
        self.connections.push(Connection {
            ranks: [a, b],
            what: if is_control { "control" } else { "data" },
            ends: [ours_a, ours_b],
            flows: Default::default(),
        });
        (theirs_a, theirs_b)
    }

    /// Takes in what a rank has written since the last time, and sees where it has made room.
    pub fn take_in(&mut self, rank: Rank) {
        let mut set = PollSet::new();
        let mut asked = Vec::new();
        for (at, connection) in self.connections.iter().enumerate() {
            let Some(side) = connection.ranks.iter().position(|one| *one == rank) else { continue };
            let [from, to] = [&connection.flows[side], &connection.flows[1 - side]];
            let interest = match (from.takes_more(self.manner), to.is_blocked) {
                (true, true) => Interest::ReadWrite,
                (true, false) => Interest::Read,
                (false, true) => Interest::Write,
                (false, false) => continue,
            };
            asked.push((at, side, set.add(&connection.ends[side], interest)));
        }
        set.look().expect("a few descriptors");
        for (at, side, token) in asked {
            if set.ready(token) {
                let connection = &mut self.connections[at];
                take_in(connection, side, self.manner, &mut self.random);
                connection.flows[1 - side].is_blocked = false;
            }
        }
    }

    /// Closes the connections of a rank that is killed. What it has sent and what has not arrived is cut
    /// somewhere.
    pub fn kill(&mut self, rank: Rank) {
        self.take_in(rank);
        for connection in &mut self.connections {
            let Some(side) = connection.ranks.iter().position(|one| *one == rank) else { continue };
            let to_it = &mut connection.flows[1 - side];
            to_it.is_over = true;
            let _ = connection.ends[1 - side].shutdown(Shutdown::Read);
            let flow = &mut connection.flows[side];
            let all = flow.held.len();
            let kept =
                if self.random.once_in(2) { all } else { self.random.within(0..all as u64 + 1) as usize };
            flow.held.truncate(kept);
            flow.descriptors.retain(|(byte, _)| *byte < kept);
            let mut before = 0;
            flow.due.retain_mut(|(_, bytes)| {
                *bytes = (*bytes).min(kept - before);
                before += *bytes;
                *bytes > 0
            });
            let end = flow.last_due().unwrap_or_else(clock::now);
            flow.end.get_or_insert(end);
        }
    }

    /// The flows that have something to deliver at this time.
    pub fn due(&self, now: Instant) -> Vec<FlowId> {
        self.flows().filter(|(_, flow)| flow.next().is_some_and(|at| at <= now)).map(|(id, _)| id).collect()
    }

    /// Names what cannot be delivered, because its receiver does not read.
    pub fn describe_blocked(&self) -> String {
        let blocked = self.flows().filter(|(_, flow)| flow.is_blocked);
        let describe = |((at, side), flow): (FlowId, &Flow)| {
            let Connection { ranks, what, .. } = &self.connections[at];
            format!("; {} bytes of {what} from {} to {}", flow.held.len(), ranks[side], ranks[1 - side])
        };
        blocked.map(describe).collect()
    }

    /// The time of the next delivery.
    pub fn next(&self) -> Option<Instant> {
        self.flows().filter_map(|(_, flow)| flow.next()).min()
    }

    fn flows(&self) -> impl Iterator<Item = (FlowId, &Flow)> {
        self.connections
            .iter()
            .enumerate()
            .flat_map(|(at, one)| one.flows.iter().enumerate().map(move |(side, flow)| ((at, side), flow)))
    }

    /// Delivers something of a flow. Returns the ranks for which something has changed.
    pub fn deliver(&mut self, (at, side): FlowId, now: Instant) -> Option<[Rank; 2]> {
        let connection = &mut self.connections[at];
        let [ours, theirs] = [side, 1 - side];
        let flow = &mut connection.flows[ours];
        let ready: usize = flow.due.iter().take_while(|(at, _)| *at <= now).map(|(_, bytes)| bytes).sum();
        if ready > 0 {
            let piece = if self.manner.in_pieces { self.random.within(1..200) as usize } else { usize::MAX };
            match flow.offer(ready.min(piece), &mut connection.ends[theirs]) {
                Ok(bytes) => {
                    pass(&mut flow.due, bytes);
                    take_in(connection, side, self.manner, &mut self.random);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    flow.is_blocked = true;
                    return None;
                }
                // The receiver has gone. Who sends to it learns of it by its next write.
                Err(_) => {
                    flow.is_over = true;
                    let _ = connection.ends[ours].shutdown(Shutdown::Read);
                }
            }
        } else if flow.due.is_empty() && flow.end.is_some_and(|at| at <= now) {
            flow.is_over = true;
            let _ = connection.ends[theirs].shutdown(Shutdown::Write);
        }
        Some([connection.ranks[theirs], connection.ranks[ours]])
    }
}

/// Takes bytes away from the front of a list.
fn pass(due: &mut VecDeque<(Instant, usize)>, mut bytes: usize) {
    while let Some((_, first)) = due.front_mut().filter(|_| bytes > 0) {
        let passed = bytes.min(*first);
        *first -= passed;
        bytes -= passed;
        if *first == 0 {
            due.pop_front();
        }
    }
}

/// Reads what was written at one side, as far as there is room.
fn take_in(connection: &mut Connection, side: usize, manner: Manner, random: &mut Random) {
    let flow = &mut connection.flows[side];
    let mut buffer = [0; 1 << 14];
    while flow.takes_more(manner) {
        let most = buffer.len().min(manner.room - flow.held.len());
        let read = read_with_descriptor(&connection.ends[side], &mut buffer[..most]);
        let delay = Duration::from_micros(random.within(0..manner.delay.as_micros() as u64 + 1));
        let due = (clock::now() + delay).max(flow.last_due().unwrap_or_else(clock::now));
        match read {
            Ok(None) => return,
            Ok(Some(Received { bytes: 0, .. })) | Err(_) => flow.end = Some(due),
            Ok(Some(Received { bytes, descriptor, .. })) => {
                flow.held.extend(&buffer[..bytes]);
                flow.descriptors.extend(descriptor.map(|descriptor| (flow.held.len() - 1, descriptor)));
                flow.due.push_back((due, bytes));
            }
        }
    }
}
