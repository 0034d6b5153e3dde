//! How ranks find each other while they join: the places where they listen, and the connections that they
//! have made there.
//!
//! A rank that connects gets one end of a pair of sockets. The network takes the other end, and the
//! connection that the rank has really made, and brings bytes between the two.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use crate::base::Rank;
use crate::sys::socket::Socket;

/// A connection that a rank has made.
pub struct Wire {
    /// Who has connected, and who listens.
    pub ranks: [Rank; 2],
    /// The network's ends towards them.
    pub ends: [UnixStream; 2],
}

/// The wiring of a world, which its ranks share with whoever runs them.
#[derive(Clone, Default)]
pub struct Wiring(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    /// Who listens at each place.
    listeners: HashMap<Vec<u8>, Rank>,
    /// Connections that the network has not taken yet.
    made: Vec<Wire>,
}

impl Wiring {
    /// Notes that a rank listens at a place.
    pub fn listen(&self, rank: Rank, place: &[u8]) {
        self.0.borrow_mut().listeners.insert(place.into(), rank);
    }

    /// Puts the network into a connection that a rank has made with a place.
    pub fn connect(&self, rank: Rank, place: &[u8], real: OwnedFd, is_unix: bool) -> io::Result<Socket> {
        let mut state = self.0.borrow_mut();
        // Nobody listens for a rank that is dead, though its socket is open.
        let to = *state.listeners.get(place).ok_or(io::ErrorKind::ConnectionRefused)?;
        let (ours, theirs) = UnixStream::pair()?;
        let real = UnixStream::from(real);
        for end in [&ours, &real] {
            end.set_nonblocking(true)?;
        }
        state.made.push(Wire { ranks: [rank, to], ends: [ours, real] });
        Socket::from_fd(theirs.into(), is_unix)
    }

    /// The connections that were made since the last time.
    pub fn take(&self) -> Vec<Wire> {
        std::mem::take(&mut self.0.borrow_mut().made)
    }

    /// Lets nobody connect with a rank any more.
    pub fn kill(&self, rank: Rank) {
        self.0.borrow_mut().listeners.retain(|_, listener| *listener != rank);
    }
}
