//! The server: one thread, one poll loop, over a gate and the connections that it admitted.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::board::{Board, Fault};
use super::message::{Parsed, Request, Status, response_header};
use super::{LIMITS, Limits};
use crate::base::{Error, Result};
use crate::bootstrap::JobKey;
use crate::bootstrap::auth::Purpose;
use crate::bootstrap::gate::{Arrival, Gate};
use crate::bootstrap::hello::{ANY_RANK, Hello};
use crate::log_line;
use crate::sys::listener::Listener;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::Socket;

/// How long a failed job's ranks are still told why.
const FAREWELL: Duration = Duration::from_secs(60);
/// Handshakes under way at once, beyond one per rank.
const STRANGERS: usize = 256;
const READ_BYTES: usize = 16 << 10;

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
    /// The thread ends when this end is closed.
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
        let (stop, stopped) = UnixStream::pair().map_err(|e| Error::system("socketpair", e))?;
        let board = Board::new(size, LIMITS);
        let mut service =
            Service { gate, board, worlds, deadline, connections: Vec::new(), limits: LIMITS, stopped };
        let thread = std::thread::Builder::new()
            .name("anyccl-store".into())
            .spawn(move || service.run())
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
        // The other end must never see this one close: it belongs to the process from now on.
        std::mem::forget(self.stop.take());
        self.thread = None;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked in a way that matters to whoever drops the server.
            let _ = thread.join();
        }
    }
}

struct Connection {
    socket: Socket,
    hello: Hello,
    joined: bool,
    input: Vec<u8>,
    /// Parts still to be written, and how much of the first is.
    output: VecDeque<Arc<[u8]>>,
    written: usize,
    /// A get that waits: its key and its deadline.
    waiting: Option<(String, Instant)>,
    /// The last get ended at its deadline.
    gave_up: bool,
    closed: bool,
    token: Option<Token>,
}

struct Service {
    gate: Gate,
    board: Board,
    worlds: Worlds,
    deadline: Option<Instant>,
    connections: Vec<Connection>,
    limits: Limits,
    stopped: UnixStream,
}

impl Service {
    fn run(&mut self) {
        let mut set = PollSet::new();
        loop {
            set.clear();
            let stopped = set.add(&self.stopped, Interest::Read);
            self.gate.register(&mut set);
            for connection in &mut self.connections {
                let writing = !connection.output.is_empty();
                let interest = if writing { Interest::ReadWrite } else { Interest::Read };
                connection.token = Some(set.add(&connection.socket, interest));
            }
            let gets = self.connections.iter().filter_map(|c| c.waiting.as_ref().map(|(_, until)| *until));
            let until = gets.chain(self.gate.next_deadline()).chain(self.deadline).min();
            if let Err(error) = set.wait(until) {
                log_line!(Error, "store: {error}; the ranks cannot gather");
                return;
            }
            if set.ready(stopped) || self.deadline.is_some_and(|t| t <= Instant::now()) {
                return;
            }
            self.read_and_answer(&set);
            if self.board.finished() && self.connections.iter().all(|c| !c.joined) {
                match self.worlds {
                    Worlds::One => return,
                    Worlds::Many => self.board.begin_again(),
                }
            }
        }
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
            // A new connection has no token yet; its first request may have come with the handshake.
            if connection.token.take().is_none_or(|token| set.ready(token)) {
                connection.read(&mut self.board, &self.limits);
            }
        }
        let now = Instant::now();
        for connection in &mut self.connections {
            connection.answer_waiting(&self.board, now);
            connection.write();
            if connection.closed && connection.joined {
                connection.joined = false;
                self.board.lose(connection.hello.rank, connection.gave_up);
            }
        }
        if !had_fault && self.board.fault().is_some() {
            // Also those that waited before the fault was known.
            self.connections.iter_mut().for_each(|c| {
                c.answer_waiting(&self.board, now);
                c.write();
            });
            if self.worlds == Worlds::One {
                let farewell = now + FAREWELL;
                self.deadline = Some(self.deadline.map_or(farewell, |t| t.min(farewell)));
            }
        }
        self.connections.retain(|c| !c.closed);
    }
}

impl Connection {
    fn new(socket: Socket, hello: Hello) -> Connection {
        Connection {
            socket,
            hello,
            joined: false,
            input: Vec::new(),
            output: VecDeque::new(),
            written: 0,
            waiting: None,
            gave_up: false,
            closed: false,
            token: None,
        }
    }

    fn read(&mut self, board: &mut Board, limits: &Limits) {
        let mut chunk = [0; READ_BYTES];
        while !self.closed {
            match self.socket.read(&mut chunk) {
                Ok(None) => break,
                Ok(Some(0)) | Err(_) => self.closed = true,
                Ok(Some(read)) => self.input.extend_from_slice(&chunk[..read]),
            }
            loop {
                match Request::parse(&self.input, limits) {
                    Parsed::Incomplete => break,
                    Parsed::Malformed => {
                        self.closed = true;
                        break;
                    }
                    Parsed::Whole(request, bytes) => {
                        self.input.drain(..bytes);
                        self.handle(request, board);
                    }
                }
            }
        }
    }

    fn handle(&mut self, request: Request, board: &mut Board) {
        match request {
            // One get at a time, and nothing but joining before one has joined.
            _ if self.waiting.is_some() || self.joined == (request == Request::Join) => self.closed = true,
            Request::Join => {
                self.joined = board.join(self.hello.rank, self.hello.size);
                match board.fault() {
                    _ if !self.joined => self.closed = true,
                    Some(fault) => self.respond_fault(fault.clone()),
                    None => self.respond(Status::Ok, Arc::from([])),
                }
            }
            Request::Set { key, value } => {
                board.set(key, value);
                match board.fault() {
                    Some(fault) => self.respond_fault(fault.clone()),
                    None => self.respond(Status::Ok, Arc::from([])),
                }
            }
            Request::Get { key, timeout_ms } => {
                // A day is as good as for ever, and cannot overflow the clock.
                let wait = Duration::from_millis(timeout_ms).min(Duration::from_secs(86_400));
                self.waiting = Some((key, Instant::now() + wait));
            }
            Request::Leave => {
                self.joined = false;
                board.leave(self.hello.rank);
            }
        }
    }

    fn answer_waiting(&mut self, board: &Board, now: Instant) {
        let Some((key, until)) = &self.waiting else { return };
        self.gave_up = false;
        if let Some(value) = board.get(key) {
            self.respond(Status::Ok, value);
        } else if let Some(fault) = board.fault() {
            self.respond_fault(fault.clone());
        } else if *until <= now {
            self.gave_up = true;
            self.respond(Status::Timeout, board.missing().into_bytes().into());
        } else {
            return;
        }
        self.waiting = None;
    }

    /// The rank has heard why; that it goes now without leaving is no news to the others.
    fn respond_fault(&mut self, fault: Fault) {
        self.joined = false;
        self.respond(fault.status, fault.text.into_bytes().into());
    }

    fn respond(&mut self, status: Status, value: Arc<[u8]>) {
        self.output.push_back(response_header(status, value.len()).to_vec().into());
        self.output.push_back(value);
    }

    fn write(&mut self) {
        while let Some(part) = self.output.front() {
            if self.written == part.len() {
                self.written = 0;
                self.output.pop_front();
                continue;
            }
            match self.socket.write(&part[self.written..]) {
                Ok(None) => return,
                Ok(Some(bytes)) => self.written += bytes,
                Err(_) => {
                    self.closed = true;
                    return;
                }
            }
        }
    }
}
