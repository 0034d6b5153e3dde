//! One attempt to connect to an address, in which both sides prove that they know the key.
//!
//! The kernel sends the first packet of a TCP connection, or its answer, again only after a second. So an
//! attempt that nobody answers begins further connections beside the first. The first answer counts, and the
//! others are closed before anything is sent on them. The kernel answers for a process that is busy, unless
//! its queue of connections is full.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::absence::Absence;
use super::gate::other_user;
use super::handshake::{Handshake, Refusal, Step, nonce_of};
use super::hello::Hello;
use crate::bootstrap::job::key::JobKey;
use crate::sys::clock;
use crate::sys::connect::{connect_tcp, connect_unix};
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::shortage::is_shortage;
use crate::sys::socket::Socket;

/// How long a connection may be without an answer before another one is begun beside it.
const STAGGER: Duration = Duration::from_millis(250);
/// Most connections of an attempt.
const CONNECTIONS: usize = 4;
/// Most further connections of all attempts of this process. A rank may have hundreds of attempts under way,
/// and each connection takes a descriptor.
const FURTHER: usize = 64;

/// Further connections that attempts of this process have begun, and not closed.
static FURTHER_BEGUN: AtomicUsize = AtomicUsize::new(0);

/// Address to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A TCP address.
    Tcp(SocketAddr),
    /// An abstract Unix name, random and published by the rank that listens there.
    Unix(Vec<u8>),
}

/// How many connections an attempt has begun beside the first.
#[derive(Default)]
struct Further(usize);

impl Further {
    /// Counts one more, unless the process has too many.
    fn add(&mut self) -> bool {
        let one_more = |begun: usize| (begun < FURTHER).then_some(begun + 1);
        let has_room = FURTHER_BEGUN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok();
        self.0 += usize::from(has_room);
        has_room
    }
}

impl Drop for Further {
    fn drop(&mut self) {
        FURTHER_BEGUN.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// A connection attempt under way.
pub(crate) struct Dial {
    /// The connections that wait for an answer. Then the first that has one.
    sockets: Vec<(Socket, Option<Token>)>,
    further: Further,
    /// Where and when to begin another one.
    another: Option<(SocketAddr, Instant)>,
    handshake: Handshake,
    interest: Interest,
    patience: Duration,
    fails_at: Instant,
}

impl Dial {
    /// Starts an attempt. At a TCP address it fails unless the other side answers within `patience`, and has
    /// proved the key within as long again.
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
        Ok(Dial {
            sockets,
            further: Further::default(),
            another,
            handshake,
            interest: Interest::Write,
            patience,
            fails_at: now + patience,
        })
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
        (!self.handshake.committed()).then_some(self.fails_at)
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
            let is_first_answer = self.another.is_some() || !self.sockets.is_empty();
            self.sockets.clear();
            (self.further, self.another) = (Further::default(), None);
            if is_first_answer {
                self.fails_at = clock::now() + self.patience;
            }
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

    /// Begins another connection if that is due. If the kernel refuses it, or the process has many, the
    /// others go on.
    fn begin_another(&mut self, now: Instant) {
        let Some((address, _)) = self.another.take_if(|(_, at)| *at <= now) else { return };
        let socket = self.further.add().then(|| connect_tcp(address));
        match socket {
            Some(Ok(socket)) => self.sockets.push((socket, None)),
            // The descriptors are for the connections that are needed.
            Some(Err(error)) if is_shortage(&error) => {
                self.sockets.truncate(1);
                self.further = Further::default();
                return;
            }
            _ => {}
        }
        if self.sockets.len() < CONNECTIONS {
            self.another = Some((address, now + STAGGER));
        }
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
