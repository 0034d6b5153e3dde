//! One store: a gate, the connections that it admitted, and the board that they write on. It never waits; the
//! owner of the poll loop does.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::board::Board;
use super::connection::Connection;
use super::limits::{LIMITS, Limits};
use crate::base::{Error, Rank};
use crate::bootstrap::auth::gate::{Admission, Gate};
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::{Nonce, Purpose};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::waiting::{LONG, sentence};
use crate::log_line;
use crate::sys::clock;
use crate::sys::listener::Listener;
use crate::sys::poll::PollSet;
use crate::sys::socket::Socket;

/// How long the ranks of a failed job can still ask why it failed.
const FAREWELL: Duration = Duration::from_secs(60);
/// Limit of handshakes under way at once, beyond one per rank.
const STRANGERS: usize = 256;
/// Ranks that may come at once where nobody has said how many there are.
const UNKNOWN_SIZE: usize = 4096;
/// Connections from which on the server rests between two looks at them.
const CROWD: usize = 256;
/// How long it rests.
const REST: Duration = Duration::from_micros(500);

/// The rest of a server in a crowd.
pub(crate) fn rest() {
    clock::sleep(REST);
}

/// How many worlds a server serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worlds {
    /// One world: the store ends when all ranks have left.
    One,
    /// Many worlds: when all ranks have left, the store begins again, until it is dropped.
    Many,
}

/// The state of one store.
pub(crate) struct Service {
    gate: Gate,
    board: Board,
    worlds: Worlds,
    deadline: Option<Instant>,
    connections: Vec<Connection>,
    limits: Limits,
    /// When to log who is missing, if the world is still gathering then.
    tell_at: Option<Instant>,
    /// Whether that line was logged.
    is_told: bool,
    /// Why this process cannot accept the connections of ranks. Shared with the owner of the store, which may
    /// not be connected.
    shortage: Arc<OnceLock<String>>,
}

impl Service {
    /// Serves ranks that connect to these listeners or are handed over, at most until `deadline`. A `size` of
    /// `None` is learnt from the first rank.
    pub fn new(
        listeners: Vec<Listener>,
        key: &JobKey,
        size: Option<u32>,
        worlds: Worlds,
        deadline: Option<Instant>,
    ) -> Service {
        // The size is compared when a rank joins, where both numbers can be told to all ranks.
        let own = Hello::new(Purpose::Store, ANY_RANK, 0, ANY_RANK);
        let capacity = STRANGERS + size.map_or(UNKNOWN_SIZE, |size| size as usize);
        Service {
            gate: Gate::new(listeners, key, &[Purpose::Store], own, capacity),
            board: Board::new(size, LIMITS),
            worlds,
            deadline,
            connections: Vec::new(),
            limits: LIMITS,
            tell_at: None,
            is_told: false,
            shortage: Arc::default(),
        }
    }

    /// Where the store says why it cannot accept the connections of ranks.
    pub fn shortage(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.shortage)
    }

    /// Adds the sockets that the store waits for. Returns when to call [`Service::advance`] even if nothing
    /// is ready.
    pub fn register(&mut self, set: &mut PollSet) -> Option<Instant> {
        self.gate.register(set);
        self.connections.iter_mut().for_each(|c| c.register(set));
        let gets = self.connections.iter().filter_map(Connection::next_deadline);
        gets.chain(self.gate.next_deadline()).chain(self.deadline).chain(self.tell_at).min()
    }

    /// Advances with what the last wait on `set` found ready. `false`: the deadline has come, or all ranks of
    /// the only world have left.
    pub fn advance(&mut self, set: &PollSet) -> bool {
        if self.deadline.is_some_and(|t| t <= clock::now()) {
            return false;
        }
        let admissions = self.gate.advance(set);
        if let Some(shortage) = self.gate.take_shortage() {
            self.run_short(shortage);
        }
        self.answer_all(admissions, set);
        self.tell_who_is_missing();
        if self.board.finished() && !self.connections.iter().any(Connection::joined) {
            if self.worlds == Worlds::One {
                return false;
            }
            self.board.begin_again();
            self.is_told = false;
        }
        true
    }

    /// Fails the job because this process cannot accept the connections of its ranks.
    pub fn run_short(&mut self, shortage: io::Error) {
        if self.board.fault().is_none() {
            let what = format!("the store cannot accept a rank; {}", self.board.missing());
            let text = Error::system(what, shortage).to_string();
            let _ = self.shortage.set(text.clone());
            self.board.fail(text);
            self.tell_fault(clock::now());
        }
    }

    /// Takes over a connection from a listener that several stores share. Its nonce has been read already.
    pub fn take(&mut self, socket: Socket, nonce: &Nonce, set: &PollSet) {
        let admissions = self.gate.take(socket, nonce);
        // The others are answered in the next turn anyway.
        if !admissions.is_empty() {
            self.answer_all(admissions, set);
        }
    }

    /// Whether there are many connections. A look at all of them takes long, so it should find more than one
    /// that is ready: the server has a [`rest`] first.
    pub fn has_many_connections(&self) -> bool {
        self.connections.len() + self.gate.under_way() > CROWD
    }

    /// Logs once per world, after a while, who has not come. All ranks wait for the same ranks, and only the
    /// store knows which.
    fn tell_who_is_missing(&mut self) {
        let now = clock::now();
        if !self.board.is_gathering() {
            self.tell_at = None;
        } else if self.tell_at.is_none() && !self.is_told {
            self.tell_at = Some(now + LONG);
        } else if self.tell_at.is_some_and(|at| at <= now) {
            (self.tell_at, self.is_told) = (None, true);
            let until = self.connections.iter().filter_map(Connection::next_deadline).max().or(self.deadline);
            let text = sentence(LONG, &"all ranks to come", &self.board.missing(), until);
            log_line!(Warn, "{text}");
        }
    }

    /// Notes that the rank's process has ended. The next [`Service::advance`] tells the ranks that wait.
    pub fn note_end(&mut self, rank: Rank, how: String) {
        self.board.note_end(rank, how);
    }

    fn answer_all(&mut self, admissions: Vec<Admission>, set: &PollSet) {
        let had_fault = self.board.fault().is_some();
        for admission in admissions {
            match admission {
                Admission::Admitted(socket, hello) => self.connections.push(Connection::new(socket, hello)),
                Admission::Disagreement(text) => self.board.disagree(text),
            }
        }
        for connection in &mut self.connections {
            connection.read_ready(set, &mut self.board, &self.limits);
        }
        self.board.look_for_ended();
        let now = clock::now();
        for connection in &mut self.connections {
            connection.answer(&self.board, now);
            connection.report_end(&mut self.board);
        }
        if !had_fault && self.board.fault().is_some() {
            self.tell_fault(now);
        }
        self.connections.retain(|c| !c.closed());
    }

    /// Tells a new fault to all ranks, including those that waited before it was known.
    fn tell_fault(&mut self, now: Instant) {
        self.connections.iter_mut().for_each(|c| c.answer(&self.board, now));
        if self.worlds == Worlds::One {
            let farewell = now + FAREWELL;
            self.deadline = Some(self.deadline.map_or(farewell, |t| t.min(farewell)));
        }
    }
}
