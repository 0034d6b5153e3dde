//! The connections that this rank makes to one lower rank: one, or one for control and some for data. To a
//! higher rank it makes one that asks for a connection.

use std::time::Instant;

use super::attempt::{Attempt, AttemptState, Connector, must_share_memory};
use super::lanes;
use super::peer::Peer;
use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::auth::dial::Target;
use crate::bootstrap::auth::proof::Purpose;
use crate::config::TransportChoice;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::Socket;

/// All connections to one rank.
pub(super) struct OutgoingPeer {
    /// The rank to connect to.
    pub peer: Rank,
    attempts: Vec<Attempt>,
    control: Option<Socket>,
    /// Connections for data, in their order. Empty: shared memory is used.
    data: Vec<Option<Socket>>,
    /// Whether the first data connection decides about others.
    asks_path: bool,
    /// The connection by which a higher rank was asked for one.
    request: Option<(Socket, Option<Token>)>,
}

/// Whether the two ranks may use shared memory: they share a host, and neither wants TCP. An error if one of
/// them insists on shared memory and the pair cannot have it.
pub(super) fn share_memory(a: &Record, b: &Record) -> Result<bool> {
    // Ranks of one host do not need a fabric.
    let are_apart = a.info.host_id != b.info.host_id;
    if are_apart && a.transport == TransportChoice::Ofi && b.transport != TransportChoice::Ofi {
        return Err(Error::Unsupported(format!(
            "ANYCCL_TRANSPORT=ofi on rank {} (host {}), and not on rank {} (host {}): set it on all ranks",
            a.rank, a.info.host_name, b.rank, b.info.host_name,
        )));
    }
    let either = |choice| a.transport == choice || b.transport == choice;
    let same_host = a.info.host_id == b.info.host_id;
    if either(TransportChoice::Shm) && (!same_host || either(TransportChoice::Tcp)) {
        let why = if same_host { "the other wants TCP" } else { "they are on different hosts" };
        return Err(Error::Unsupported(format!(
            "ANYCCL_TRANSPORT=shm, but rank {} (host {}) and rank {} (host {}) cannot share memory: {why}",
            a.rank, a.info.host_name, b.rank, b.info.host_name,
        )));
    }
    Ok(same_host && !either(TransportChoice::Tcp))
}

/// The error for two ranks of one host that cannot share memory although one of them insists on it.
pub(super) fn unreachable(a: &Record, b: &Record) -> Error {
    Error::Unsupported(format!(
        "ANYCCL_TRANSPORT=shm, but rank {} (host {}, pid {}) and rank {} (host {}, pid {}) do not reach each other by \
         Unix socket: are they in different containers or network namespaces?",
        a.rank, a.info.host_name, a.info.pid, b.rank, b.info.host_name, b.info.pid,
    ))
}

fn attempt(purpose: Purpose, lane: u8, own: &Record, peer: &Record) -> Attempt {
    Attempt::new(purpose, lane, own.places_of(peer, lane).into_iter().map(Target::Tcp).collect())
}

impl OutgoingPeer {
    /// Plans the connections of rank `own` to `peer`.
    pub fn new(own: &Record, peer: &Record) -> Result<OutgoingPeer> {
        let mut outgoing = OutgoingPeer {
            peer: peer.rank,
            attempts: Vec::new(),
            control: None,
            data: Vec::new(),
            asks_path: false,
            request: None,
        };
        if share_memory(own, peer)? {
            let purpose = if own.rank < peer.rank { Purpose::Request } else { Purpose::Control };
            let target = Target::Unix(peer.unix_name.to_vec());
            outgoing.attempts.push(Attempt::new(purpose, 0, vec![target]));
        } else {
            outgoing.use_tcp(own, peer);
        }
        Ok(outgoing)
    }

    fn use_tcp(&mut self, own: &Record, peer: &Record) {
        if own.rank < peer.rank {
            self.attempts = vec![attempt(Purpose::Request, 0, own, peer)];
            return;
        }
        self.asks_path = own.asks_path(peer);
        self.data.push(None);
        self.attempts = vec![attempt(Purpose::Data, 0, own, peer)];
        if !self.asks_path {
            self.add_others(own, peer, own.data_connections(peer));
        }
    }

    /// Plans the control connection, and those for data that follow the first of `data`.
    fn add_others(&mut self, own: &Record, peer: &Record, data: u8) {
        self.data.resize_with(data.into(), || None);
        let lanes = (1..data).map(|lane| (Purpose::Data, lane));
        let others = [(Purpose::Control, 0)].into_iter().chain(lanes);
        self.attempts.extend(others.map(|(purpose, lane)| attempt(purpose, lane, own, peer)));
    }

    /// Adds the sockets that the attempts wait for.
    pub fn register(&mut self, set: &mut PollSet) {
        if let Some((socket, token)) = &mut self.request {
            *token = Some(set.add(socket, Interest::Hangup));
        }
        self.attempts.iter_mut().for_each(|attempt| attempt.register(set));
    }

    /// When to call [`OutgoingPeer::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.attempts.iter().filter_map(Attempt::next_deadline).min()
    }

    /// The sockets, once all are connected.
    pub fn take(&mut self) -> Option<Peer> {
        if !self.attempts.is_empty() {
            return None;
        }
        let data = std::mem::take(&mut self.data).into_iter().collect::<Option<_>>()?;
        Some(Peer { control: self.control.take()?, data })
    }

    /// The last error, for the message about a peer that was not reached.
    pub fn last_error(&self) -> Option<&str> {
        self.attempts.iter().find_map(Attempt::last_error)
    }

    /// Advances what is ready and starts what is due.
    pub fn advance(&mut self, connector: &Connector<'_>, peer: &Record, set: &PollSet) -> Result<()> {
        if self.request.as_ref().is_some_and(|(_, token)| token.is_some_and(|token| set.ready(token))) {
            // The peer has ended, or cannot connect.
            self.request = None;
            self.attempts.iter_mut().for_each(Attempt::begin_anew);
        }
        if self.request.is_some() {
            return Ok(());
        }
        let mut no_unix = false;
        let data = self.data.len() as u8;
        let mut unfinished = Vec::new();
        for mut attempt in std::mem::take(&mut self.attempts) {
            match attempt.advance(connector, peer, data, set)? {
                AttemptState::Pending => unfinished.push(attempt),
                AttemptState::NobodyThere => no_unix = true,
                AttemptState::Connected(socket) => match attempt.purpose() {
                    Purpose::Data => self.data[usize::from(attempt.lane())] = Some(socket),
                    Purpose::Request => {
                        self.request = Some((socket, None));
                        unfinished.push(attempt);
                    }
                    _ => self.control = Some(socket),
                },
            }
        }
        self.attempts = unfinished;
        if no_unix {
            if must_share_memory(connector.own, peer) {
                return Err(unreachable(connector.own, peer));
            }
            self.use_tcp(connector.own, peer);
            return self.advance(connector, peer, set);
        }
        if self.asks_path
            && let Some(Some(first)) = self.data.first()
        {
            self.asks_path = false;
            let is_long = lanes::is_long(first.times().map(|times| times.round_trip));
            let data = if is_long { connector.own.data_connections(peer) } else { 1 };
            self.add_others(connector.own, peer, data);
            return self.advance(connector, peer, set);
        }
        Ok(())
    }
}
