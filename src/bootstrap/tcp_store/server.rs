//! The server: one thread, one poll loop, over a gate and the connections that it admitted.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::board::Board;
use super::connection::Connection;
use super::{LIMITS, Limits};
use crate::base::{Error, Result};
use crate::bootstrap::JobKey;
use crate::bootstrap::auth::Purpose;
use crate::bootstrap::gate::{Arrival, Gate};
use crate::bootstrap::hello::{ANY_RANK, Hello};
use crate::bootstrap::waiting::{LONG, sentence};
use crate::log_line;
use crate::sys::listener::Listener;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::thread::spawn_quiet;

/// How long a failed job's ranks are still told why.
const FAREWELL: Duration = Duration::from_secs(60);
/// Handshakes under way at once, beyond one per rank.
const STRANGERS: usize = 256;

/// Said instead of goodbye by whoever detaches the server.
const GO_ON: u8 = 1;

/// How many worlds a server sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worlds {
    /// It ends when all ranks have left.
    One,
    /// When all ranks have left it begins again, until it is dropped.
    Many,
}

/// A store served from this process by a thread of its own. Dropping it ends the thread.
pub struct Server {
    addresses: Vec<SocketAddr>,
    /// The thread ends when this end is shut down.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves a job of `size` ranks at `at` (port 0: any free one) until dropped: what a launcher
    /// does for `ANYCCL_STORE=tcp://ADDRESS?served=1`. The ranks may come, leave and come again.
    pub fn start(at: SocketAddr, key: &JobKey, size: u32) -> Result<Server> {
        let listener = Listener::tcp(at).map_err(|e| Error::system(format!("cannot listen at {at}"), e))?;
        Server::serve(vec![listener], key, Some(size), Worlds::Many, None)
    }

    /// Serves on these listeners, at most until `deadline`. A `size` of `None` is learnt from the first rank.
    pub(crate) fn serve(
        listeners: Vec<Listener>,
        key: &JobKey,
        size: Option<u32>,
        worlds: Worlds,
        deadline: Option<Instant>,
    ) -> Result<Server> {
        let addresses = listeners.iter().filter_map(Listener::address).collect();
        // The size is compared when a rank joins, where both numbers can be told to all ranks.
        let own = Hello::new(Purpose::Store, ANY_RANK, 0, ANY_RANK);
        let capacity = STRANGERS + size.unwrap_or(0) as usize;
        let gate = Gate::new(listeners, key, &[Purpose::Store], own, capacity);
        let (stop, owner) = UnixStream::pair().map_err(|e| Error::system("socketpair", e))?;
        let board = Board::new(size, LIMITS);
        let mut service = Service {
            gate,
            board,
            worlds,
            deadline,
            connections: Vec::new(),
            limits: LIMITS,
            owner: Some(owner),
            tell_at: None,
            is_told: false,
        };
        let thread = spawn_quiet("anyccl-store", move || service.run())
            .map_err(|e| Error::system("cannot start the store's thread", e))?;
        Ok(Server { addresses, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens: the address to hand to the ranks.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Every address it listens at.
    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Lets the thread go on by itself, until all ranks have left or its deadline has come.
    pub(crate) fn detach(mut self) {
        self.thread = None;
        if let Some(mut stop) = self.stop.take() {
            // The socket has room for one byte; without it the thread would take this for the end.
            let _ = stop.write_all(&[GO_ON]);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Closing would not do: a process forked meanwhile may hold a copy.
            let _ = stop.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked in a way that matters to whoever drops the server.
            let _ = thread.join();
        }
    }
}

struct Service {
    gate: Gate,
    board: Board,
    worlds: Worlds,
    deadline: Option<Instant>,
    connections: Vec<Connection>,
    limits: Limits,
    /// Shut down by whoever drops the server; `None` when the server was detached.
    owner: Option<UnixStream>,
    /// When a world that is still gathering gets a line that says who is missing.
    tell_at: Option<Instant>,
    /// It has.
    is_told: bool,
}

impl Service {
    fn run(&mut self) {
        let mut set = PollSet::new();
        loop {
            set.clear();
            let owner = self.owner.as_ref().map(|owner| set.add(owner, Interest::Read));
            self.gate.register(&mut set);
            self.connections.iter_mut().for_each(|c| c.register(&mut set));
            let gets = self.connections.iter().filter_map(Connection::next_deadline);
            let until = gets.chain(self.gate.next_deadline()).chain(self.deadline).chain(self.tell_at).min();
            if let Err(error) = set.wait(until) {
                log_line!(Error, "store: {error}; the ranks cannot gather");
                return;
            }
            let dropped = owner.is_some_and(|token| set.ready(token)) && !self.is_detached();
            if dropped || self.deadline.is_some_and(|t| t <= Instant::now()) {
                return;
            }
            self.read_and_answer(&set);
            self.tell_who_is_missing();
            if self.board.finished() && !self.connections.iter().any(Connection::joined) {
                match self.worlds {
                    Worlds::One => return,
                    Worlds::Many => {
                        self.board.begin_again();
                        self.is_told = false;
                    }
                }
            }
        }
    }

    /// Says once per world, after a while, who has not come. All ranks wait for the same; this is the one place that
    /// knows.
    fn tell_who_is_missing(&mut self) {
        let now = Instant::now();
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

    /// The owner has said something: which of the two things.
    fn is_detached(&mut self) -> bool {
        let mut said = [0];
        let mut owner = self.owner.take();
        owner.as_mut().is_some_and(|owner| owner.read(&mut said).is_ok_and(|n| n == 1) && said == [GO_ON])
    }

    fn read_and_answer(&mut self, set: &PollSet) {
        let had_fault = self.board.fault().is_some();
        for arrival in self.gate.advance(set) {
            match arrival {
                Arrival::Admitted(socket, hello) => self.connections.push(Connection::new(socket, hello)),
                Arrival::Disagreement(text) => self.board.disagree(text),
            }
        }
        for connection in &mut self.connections {
            connection.read_ready(set, &mut self.board, &self.limits);
        }
        let now = Instant::now();
        for connection in &mut self.connections {
            connection.answer(&self.board, now);
            connection.report_end(&mut self.board);
        }
        if !had_fault && self.board.fault().is_some() {
            // Also those that waited before the fault was known.
            self.connections.iter_mut().for_each(|c| c.answer(&self.board, now));
            if self.worlds == Worlds::One {
                let farewell = now + FAREWELL;
                self.deadline = Some(self.deadline.map_or(farewell, |t| t.min(farewell)));
            }
        }
        self.connections.retain(|c| !c.closed());
    }
}
