//! The one or two connections that this rank makes to one lower rank.

use std::time::Instant;

use super::attempt::{Attempt, AttemptState, Connector};
use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::auth::dial::Target;
use crate::bootstrap::auth::proof::Purpose;
use crate::config::TransportChoice;
use crate::sys::poll::PollSet;
use crate::sys::socket::Socket;

/// All connections to one lower rank.
pub(super) struct OutgoingPeer {
    /// The rank to connect to.
    pub peer: Rank,
    attempts: Vec<Attempt>,
    data_follows: bool,
    control: Option<Socket>,
    data: Option<Socket>,
}

/// Whether the two ranks may use shared memory: they share a host, and neither wants TCP. An error if one of
/// them insists on shared memory and the pair cannot have it.
pub(super) fn share_memory(a: &Record, b: &Record) -> Result<bool> {
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

impl OutgoingPeer {
    /// Plans the connections to `peer`.
    pub fn new(connector: &Connector<'_>, peer: &Record) -> Result<OutgoingPeer> {
        let mut outgoing = OutgoingPeer {
            peer: peer.rank,
            attempts: Vec::new(),
            data_follows: false,
            control: None,
            data: None,
        };
        if share_memory(connector.own, peer)? {
            let target = Target::Unix(peer.unix_name.clone());
            outgoing.attempts.push(Attempt::new(Purpose::Control, vec![target]));
        } else {
            outgoing.use_tcp(peer);
        }
        Ok(outgoing)
    }

    fn use_tcp(&mut self, peer: &Record) {
        let targets: Vec<Target> = peer.addresses.iter().copied().map(Target::Tcp).collect();
        self.data_follows = true;
        self.attempts =
            [Purpose::Control, Purpose::Data].map(|purpose| Attempt::new(purpose, targets.clone())).into();
    }

    /// Adds the sockets that the attempts wait for.
    pub fn register(&mut self, set: &mut PollSet) {
        self.attempts.iter_mut().for_each(|attempt| attempt.register(set));
    }

    /// When to call [`OutgoingPeer::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.attempts.iter().filter_map(Attempt::next_deadline).min()
    }

    /// The sockets, once all are connected.
    pub fn take(&mut self) -> Option<(Socket, Option<Socket>)> {
        if !self.attempts.is_empty() {
            return None;
        }
        Some((self.control.take()?, self.data.take()))
    }

    /// The last error, for the message about a peer that was not reached.
    pub fn last_error(&self) -> Option<&str> {
        self.attempts.iter().find_map(Attempt::last_error)
    }

    /// Advances what is ready and starts what is due.
    pub fn advance(&mut self, connector: &Connector<'_>, peer: &Record, set: &PollSet) -> Result<()> {
        let mut no_unix = false;
        let data_follows = self.data_follows;
        let mut unfinished = Vec::new();
        for mut attempt in std::mem::take(&mut self.attempts) {
            match attempt.advance(connector, peer, data_follows, set)? {
                AttemptState::Pending => unfinished.push(attempt),
                AttemptState::NobodyThere => no_unix = true,
                AttemptState::Connected(socket) => match attempt.purpose() {
                    Purpose::Data => self.data = Some(socket),
                    _ => self.control = Some(socket),
                },
            }
        }
        self.attempts = unfinished;
        if no_unix {
            if [connector.own, peer].iter().any(|r| r.transport == TransportChoice::Shm) {
                return Err(unreachable(connector.own, peer));
            }
            self.use_tcp(peer);
            return self.advance(connector, peer, set);
        }
        Ok(())
    }
}
