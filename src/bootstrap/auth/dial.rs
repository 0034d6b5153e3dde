//! One attempt to connect to an address, in which both sides prove that they know the key.
//!
//! The kernel sends the first packet of a TCP connection, or its answer, again only after a second. So an
//! attempt that nobody answers begins further connections beside the first. The first answer counts, and the
//! others are closed before anything is sent on them. A busy process is asked no more often, because its
//! kernel answers.

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

/// How long a connection may be without an answer before another one is begun beside it.
const STAGGER: Duration = Duration::from_millis(250);
/// Most connections of an attempt.
const CONNECTIONS: usize = 4;

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
    /// The connections that wait for an answer. Then the first that has one.
    sockets: Vec<(Socket, Option<Token>)>,
    /// Where and when to begin another one.
    another: Option<(SocketAddr, Instant)>,
    handshake: Handshake,
    interest: Interest,
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
        let sockets = vec![(socket.map_err(Refusal::Io)?, None)];
        let now = clock::now();
        let another = match target {
            Target::Tcp(address) => Some((*address, now + STAGGER)),
            Target::Unix(_) => None,
        };
        Ok(Dial { sockets, another, handshake, interest: Interest::Write, patience: now + patience })
    }

    /// The user of the process that listens at the Unix socket, if it is not `user`.
    pub fn other_user(&self, user: u32) -> Option<u32> {
        self.sockets.first().and_then(|(socket, _)| other_user(socket, user))
    }

    /// What an attempt that failed with `refusal` says about the address.
    pub fn absence(&self, refusal: &Refusal) -> Absence {
        self.handshake.absence(refusal)
    }

    /// Adds the sockets that the attempt waits for.
    pub fn register(&mut self, set: &mut PollSet) {
        for (socket, token) in &mut self.sockets {
            *token = Some(set.add(socket, self.interest));
        }
    }

    /// When to call [`Dial::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        let another = self.another.map(|(_, at)| at);
        self.deadline().into_iter().chain(another).min()
    }

    /// When the attempt fails.
    fn deadline(&self) -> Option<Instant> {
        (!self.handshake.committed()).then_some(self.patience)
    }

    /// Advances with what the last wait on `set` found ready. `None`: the handshake is not complete yet.
    pub fn advance(&mut self, set: &PollSet) -> Result<Option<(Socket, Hello)>, Refusal> {
        let mut ready = None;
        for (at, (_, token)) in self.sockets.iter_mut().enumerate() {
            if token.take().is_some_and(|token| set.ready(token)) {
                ready.get_or_insert(at);
            }
        }
        if let Some(at) = ready {
            let (socket, _) = self.sockets.swap_remove(at);
            self.sockets.clear();
            self.another = None;
            match self.handshake.advance(&socket)? {
                Step::Wait(interest) => self.interest = interest,
                Step::Done(hello) => return Ok(Some((socket, hello))),
            }
            self.sockets.push((socket, None));
        }
        let now = clock::now();
        if self.deadline().is_some_and(|t| t <= now) {
            return Err(Refusal::Io(io::ErrorKind::TimedOut.into()));
        }
        self.begin_another(now);
        Ok(None)
    }

    /// Begins another connection if that is due. One that cannot be begun is not missed.
    fn begin_another(&mut self, now: Instant) {
        let Some((address, _)) = self.another.filter(|(_, at)| *at <= now) else { return };
        self.sockets.extend(connect_tcp(address).ok().map(|socket| (socket, None)));
        let may_go_on = self.sockets.len() < CONNECTIONS;
        self.another = may_go_on.then_some((address, now + STAGGER));
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

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use super::*;
    use crate::bootstrap::auth::hello::ANY_RANK;
    use crate::bootstrap::auth::proof::Purpose;

    fn set_queue(listener: &TcpListener, length: libc::c_int) {
        // SAFETY: takes integers only; the descriptor is open.
        assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), length) }, 0);
    }

    #[test]
    fn an_attempt_without_an_answer_begins_others_and_keeps_the_first_that_has_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // The kernel drops what does not fit into the queue, as a bad wire does.
        set_queue(&listener, 0);
        let _first = TcpStream::connect(address).unwrap();
        let (key, own) = (JobKey::random().unwrap(), Hello::new(Purpose::Store, 1, 2, ANY_RANK));
        let mut dial = Dial::start(&Target::Tcp(address), &key, own, Duration::from_secs(60)).unwrap();
        let mut set = PollSet::new();
        let mut turn = |dial: &mut Dial| {
            set.clear();
            dial.register(&mut set);
            set.wait(dial.next_deadline()).unwrap();
            assert!(dial.advance(&set).unwrap().is_none());
            dial.sockets.len()
        };
        while turn(&mut dial) < CONNECTIONS {}
        assert!(dial.another.is_none());
        listener.accept().unwrap();
        set_queue(&listener, 16);
        while turn(&mut dial) > 1 {}
    }
}
