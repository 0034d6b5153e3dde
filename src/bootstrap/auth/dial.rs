//! One attempt to connect to an address, in which both sides prove that they know the key.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::absence::Absence;
use super::gate::other_user;
use super::handshake::{Handshake, Refusal, Step, nonce_of};
use super::hello::Hello;
use crate::bootstrap::job::key::JobKey;
use crate::sys::clock;
use crate::sys::connect::{connect_tcp, connect_unix};
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::Socket;

/// Address to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A TCP address.
    Tcp(SocketAddr),
    /// An abstract Unix name, random and published by the rank that listens there.
    Unix(Vec<u8>),
}

/// A connection attempt under way.
pub(crate) struct Dial {
    socket: Option<Socket>,
    handshake: Handshake,
    interest: Interest,
    token: Option<Token>,
    patience: Instant,
}

impl Dial {
    /// Starts an attempt. It fails unless the other side has proved the key within `patience`.
    pub fn start(target: &Target, key: &JobKey, own: Hello, patience: Duration) -> Result<Dial, Refusal> {
        let random = |e: crate::base::Error| Refusal::Io(io::Error::other(e.to_string()));
        let (handshake, socket) = match target {
            Target::Tcp(address) => (Handshake::connector(key, own), connect_tcp(*address)),
            Target::Unix(name) => {
                (Handshake::connector_knowing(nonce_of(name), key, own), connect_unix(name))
            }
        };
        let handshake = handshake.map_err(random)?;
        let socket = Some(socket.map_err(Refusal::Io)?);
        let patience = clock::now() + patience;
        Ok(Dial { socket, handshake, interest: Interest::Write, token: None, patience })
    }

    /// The user of the process that listens at the Unix socket, if it is not `user`.
    pub fn other_user(&self, user: u32) -> Option<u32> {
        self.socket.as_ref().and_then(|socket| other_user(socket, user))
    }

    /// What an attempt that failed with `refusal` says about the address.
    pub fn absence(&self, refusal: &Refusal) -> Absence {
        self.handshake.absence(refusal)
    }

    /// Adds the socket that the attempt waits for.
    pub fn register(&mut self, set: &mut PollSet) {
        self.token = self.socket.as_ref().map(|socket| set.add(socket, self.interest));
    }

    /// When to call [`Dial::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        (!self.handshake.committed()).then_some(self.patience)
    }

    /// Advances with what the last wait on `set` found ready. `None`: the handshake is not complete yet.
    pub fn advance(&mut self, set: &PollSet) -> Result<Option<(Socket, Hello)>, Refusal> {
        if self.token.take().is_some_and(|token| set.ready(token)) {
            let socket = self.socket.as_ref().ok_or(Refusal::Closed)?;
            match self.handshake.advance(socket)? {
                Step::Wait(interest) => self.interest = interest,
                Step::Done(hello) => return Ok(self.socket.take().map(|socket| (socket, hello))),
            }
        }
        if self.next_deadline().is_some_and(|t| t <= clock::now()) {
            return Err(Refusal::Io(io::ErrorKind::TimedOut.into()));
        }
        Ok(None)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Tcp(address) => address.fmt(f),
            Target::Unix(_) => f.write_str("its Unix socket"),
        }
    }
}
