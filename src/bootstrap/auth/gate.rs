//! The gate: admits connections of the job and closes all others.
//!
//! A gate runs many handshakes at once, next to whatever else its owner polls for. Each handshake must end
//! within [`PATIENCE`] after its connection arrived. When too many are under way, the oldest is closed; a
//! rank whose connection is closed connects again. A stranger that sends nonsense, sends nothing or hangs up
//! costs the job a few system calls, and never its progress. All it sees is a closed socket.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use super::handshake::{Handshake, Refusal, Step, nonce_of};
use super::hello::{Hello, Objection};
use super::proof::{Nonce, Purpose};
use crate::bootstrap::job::key::JobKey;
use crate::log_line;
use crate::sys::clock;
use crate::sys::listener::Listener;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::shortage::is_shortage;
use crate::sys::socket::Socket;

/// How long a connection may take to prove the key.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// Connections taken from one listener at a time, so that a flood leaves time for the others.
const BATCH: usize = 64;
/// How long the gate stops accepting when the process is out of descriptors.
const PAUSE: Duration = Duration::from_millis(20);
/// How long strangers may take all descriptors before that counts as a failure.
const SHORTAGE: Duration = Duration::from_secs(1);

/// The user at the other end of a Unix socket, if it is not `user`. A user that cannot be determined counts
/// as another one.
pub(crate) fn other_user(socket: &Socket, user: u32) -> Option<u32> {
    let peer = || socket.peer_user().unwrap_or(u32::MAX);
    socket.is_unix().then(peer).filter(|peer| *peer != user)
}

/// Result of a connection's handshake that the owner of the gate must know.
pub(crate) enum Admission {
    /// A connection of the job.
    Admitted(Socket, Hello),
    /// A connection whose peer knows the key but has another version or world. It is closed; the job must
    /// fail.
    Disagreement(String),
}

struct Pending {
    socket: Socket,
    handshake: Handshake,
    deadline: Instant,
    interest: Interest,
    token: Option<Token>,
}

/// Listeners with the handshakes that are under way.
pub(crate) struct Gate {
    listeners: Vec<(Listener, Option<Token>)>,
    pending: VecDeque<Pending>,
    key: JobKey,
    purposes: &'static [Purpose],
    own: Hello,
    capacity: usize,
    closed_until: Option<Instant>,
    /// When accepting has failed for want of descriptors or memory, if no connection was admitted since.
    short_since: Option<Instant>,
    /// A shortage that does not end by itself.
    shortage: Option<io::Error>,
    /// Only processes of this user are admitted by a Unix socket.
    user: Option<u32>,
    /// The nonce of this acceptor on its Unix socket, if it has one. Connectors know it.
    unix_nonce: Option<Nonce>,
}

impl Gate {
    /// Admits every connection that proves `key` for one of `purposes` and agrees with `own`. `capacity` is
    /// how many handshakes may be under way at once.
    pub fn new(
        listeners: Vec<Listener>,
        key: &JobKey,
        purposes: &'static [Purpose],
        own: Hello,
        capacity: usize,
    ) -> Gate {
        let unix_nonce = listeners.iter().find_map(Listener::unix_name).map(|name| nonce_of(&name));
        Gate {
            listeners: listeners.into_iter().map(|l| (l, None)).collect(),
            pending: VecDeque::new(),
            key: key.clone(),
            purposes,
            own,
            capacity: capacity.max(1),
            closed_until: None,
            short_since: None,
            shortage: None,
            user: None,
            unix_nonce,
        }
    }

    /// Admits only processes of `user` by Unix sockets, before anything is read. `None`: processes of any
    /// user.
    pub fn restrict_to(mut self, user: Option<u32>) -> Gate {
        self.user = user;
        self
    }

    /// Number of handshakes under way.
    pub fn under_way(&self) -> usize {
        self.pending.len()
    }

    /// Adds the sockets that the gate waits for.
    pub fn register(&mut self, set: &mut PollSet) {
        let open = self.closed_until.is_none_or(|t| t <= clock::now());
        for (listener, token) in &mut self.listeners {
            *token = open.then(|| set.add(listener, Interest::Read));
        }
        for pending in &mut self.pending {
            pending.token = Some(set.add(&pending.socket, pending.interest));
        }
    }

    /// When to call [`Gate::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        // The queue is in order of arrival, which is also the order of deadlines.
        self.pending.front().map(|p| p.deadline).into_iter().chain(self.closed_until).min()
    }

    /// Advances with what the last wait on `set` found ready.
    pub fn advance(&mut self, set: &PollSet) -> Vec<Admission> {
        let now = clock::now();
        let mut admissions = Vec::new();
        if self.closed_until.is_some_and(|t| t <= now) {
            self.closed_until = None;
        }
        for _ in 0..self.pending.len() {
            let Some(mut pending) = self.pending.pop_front() else { break };
            let ready = pending.token.take().is_some_and(|token| set.ready(token));
            if ready {
                self.proceed(pending, &mut admissions);
            } else if pending.deadline > now {
                self.pending.push_back(pending);
            } else {
                log_line!(Debug, "bootstrap: closed a connection that did not prove the job key in time");
            }
        }
        for at in 0..self.listeners.len() {
            if self.listeners[at].1.take().is_some_and(|token| set.ready(token)) {
                self.accept_from(at, now, &mut admissions);
            }
        }
        admissions
    }

    fn accept_from(&mut self, at: usize, now: Instant, admissions: &mut Vec<Admission>) {
        for _ in 0..BATCH {
            let socket = match self.listeners[at].0.accept() {
                Ok(Some(socket)) => socket,
                Ok(None) => return,
                Err(error) => {
                    log_line!(Debug, "bootstrap: accept failed: {error}");
                    if is_shortage(&error) {
                        return self.make_room(error, now);
                    }
                    // The connection was gone before it was taken.
                    continue;
                }
            };
            if let Some(other) = self.user.and_then(|user| other_user(&socket, user)) {
                log_line!(Debug, "bootstrap: closed a connection of user {other}");
                continue;
            }
            let (key, purposes, own) = (&self.key, self.purposes, self.own);
            let handshake = match self.unix_nonce.filter(|_| socket.is_unix()) {
                Some(nonce) => Ok(Handshake::acceptor_known_by(nonce, key, purposes, own)),
                None => Handshake::acceptor(key, purposes, own),
            };
            let Ok(handshake) = handshake else { return };
            self.begin(socket, handshake, now, admissions);
        }
    }

    /// Closes the oldest handshake, which may be a stranger's. If there is none, or none is admitted for a
    /// while, the process lacks descriptors for the job itself.
    fn make_room(&mut self, shortage: io::Error, now: Instant) {
        let had_any = self.pending.pop_front().is_some();
        let since = *self.short_since.get_or_insert(now);
        if !had_any || now - since >= SHORTAGE {
            self.shortage.get_or_insert(shortage);
        }
        self.closed_until = Some(now + PAUSE);
    }

    /// Why this process cannot accept the connections of the job, if it cannot.
    pub fn take_shortage(&mut self) -> Option<io::Error> {
        self.shortage.take()
    }

    /// Takes over a connection from another owner's listener. Its nonce has been read already.
    pub fn take(&mut self, socket: Socket, nonce: &Nonce) -> Vec<Admission> {
        let mut admissions = Vec::new();
        if let Ok(handshake) = Handshake::acceptor_of(nonce, &self.key, self.purposes, self.own) {
            self.begin(socket, handshake, clock::now(), &mut admissions);
        }
        admissions
    }

    fn begin(&mut self, socket: Socket, handshake: Handshake, now: Instant, admissions: &mut Vec<Admission>) {
        let deadline = now + PATIENCE;
        let pending = Pending { socket, handshake, deadline, interest: Interest::Read, token: None };
        // Many end here: those by a Unix socket, and those that are closed already.
        self.proceed(pending, admissions);
        if self.pending.len() > self.capacity {
            self.pending.pop_front();
            log_line!(Debug, "bootstrap: too many handshakes under way, closed the oldest");
        }
    }

    fn proceed(&mut self, mut pending: Pending, admissions: &mut Vec<Admission>) {
        match pending.handshake.advance(&pending.socket) {
            Ok(Step::Wait(interest)) => {
                pending.interest = interest;
                self.pending.push_back(pending);
            }
            Ok(Step::Done(hello)) => {
                self.short_since = None;
                admissions.push(Admission::Admitted(pending.socket, hello));
            }
            Err(Refusal::Objection(Objection::Disagreement(text))) => {
                admissions.push(Admission::Disagreement(text));
            }
            Err(refusal) => log_line!(Debug, "bootstrap: closed a connection: {refusal}"),
        }
    }
}
