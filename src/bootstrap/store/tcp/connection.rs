//! One rank's connection on the server's side: reads requests, answers them from the board.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answers::Answers;
use super::board::{Board, Fault};
use super::limits::Limits;
use super::message::{Parsed, Request, Status};
use crate::bootstrap::auth::hello::Hello;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::Socket;

const READ_BYTES: usize = 16 << 10;
/// Reads after which other connections have their turn.
const READS: usize = 64;
/// Upper limit of the time that a get waits: practically for ever, and it cannot overflow the clock.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// A connection of a rank that came through the gate.
pub(super) struct Connection {
    socket: Socket,
    hello: Hello,
    joined: bool,
    input: Vec<u8>,
    answers: Answers,
    /// Bytes of keys and values that the rank has set.
    set_bytes: usize,
    /// The get that waits: its key and its deadline.
    waiting: Option<(String, Instant)>,
    /// Whether the last get ended at its deadline.
    gave_up: bool,
    closed: bool,
    token: Option<Token>,
}

impl Connection {
    /// A connection that has not asked for anything yet.
    pub fn new(socket: Socket, hello: Hello) -> Connection {
        Connection {
            socket,
            hello,
            joined: false,
            input: Vec::new(),
            answers: Answers::default(),
            set_bytes: 0,
            waiting: None,
            gave_up: false,
            closed: false,
            token: None,
        }
    }

    /// Adds the socket that the connection waits for.
    pub fn register(&mut self, set: &mut PollSet) {
        let interest = if self.answers.is_empty() { Interest::Read } else { Interest::ReadWrite };
        self.token = Some(set.add(&self.socket, interest));
    }

    /// When [`Connection::answer`] has to be called even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|(_, until)| *until)
    }

    /// Whether the board counts the connection's rank as present.
    pub fn joined(&self) -> bool {
        self.joined
    }

    /// Whether the connection has ended.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Reads and handles what the last wait on `set` found ready. A new connection was not part of that wait,
    /// and is read in any case: its first request may have come with the handshake.
    pub fn read_ready(&mut self, set: &PollSet, board: &mut Board, limits: &Limits) {
        if self.token.take().is_none_or(|token| set.ready(token)) {
            self.read(board, limits);
        }
    }

    /// Answers a waiting get that can be answered now, and writes what can be written.
    pub fn answer(&mut self, board: &Board, now: Instant) {
        self.answer_waiting(board, now);
        self.write();
    }

    /// Reports to the board that the rank ended, if its connection ended before the rank left.
    pub fn report_end(&mut self, board: &mut Board) {
        if self.closed && self.joined {
            self.joined = false;
            board.lose(self.hello.rank, self.gave_up);
        }
    }

    /// One turn of a server that has no other connections.
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn turn(&mut self, board: &mut Board) {
        self.read_ready(&PollSet::new(), board, &super::limits::LIMITS);
        self.answer(board, clock::now());
        self.report_end(board);
    }

    fn read(&mut self, board: &mut Board, limits: &Limits) {
        let mut chunk = [0; READ_BYTES];
        for _ in 0..READS {
            if self.closed {
                return;
            }
            match self.socket.read(&mut chunk) {
                Ok(None) => break,
                Ok(Some(0)) | Err(_) => self.closed = true,
                Ok(Some(read)) => self.input.extend_from_slice(&chunk[..read]),
            }
            loop {
                let own = match self.joined {
                    true => limits.of_rank(self.hello.rank, self.hello.size),
                    false => limits.of_stranger(),
                };
                match Request::parse(&self.input, &own) {
                    Parsed::Incomplete => break,
                    Parsed::Malformed => {
                        self.close_for("sent no request, or one beyond the store's limits", board);
                        break;
                    }
                    Parsed::Whole(request, bytes) => {
                        self.input.drain(..bytes);
                        self.handle(request, board, &own);
                    }
                }
                if self.answers.len() > limits.answers {
                    self.write();
                }
                if self.answers.len() > limits.answers {
                    self.close_for("asks the store and does not read the answers", board);
                }
                if self.closed {
                    return;
                }
            }
        }
    }

    /// Closes the connection of a client that breaks the protocol. If it is a rank that has joined, the
    /// others wait for it, and learn why it does not come.
    fn close_for(&mut self, what: &str, board: &mut Board) {
        self.closed = true;
        if self.joined {
            board.fail(format!(
                "the store has closed its connection to rank {}, which {what}",
                self.hello.rank
            ));
        }
    }

    fn handle(&mut self, request: Request, board: &mut Board, limits: &Limits) {
        match request {
            // One get at a time, and nothing but joining before the rank has joined.
            _ if self.waiting.is_some() || self.joined == (request == Request::Join) => self.closed = true,
            Request::Join => {
                self.joined = board.join(self.hello.rank, self.hello.size);
                match self.joined {
                    true => self.acknowledge(board),
                    false => self.closed = true,
                }
            }
            Request::Set { key, value } => {
                self.set_bytes += key.len() + value.len();
                if self.set_bytes > limits.value_bytes + limits.key_bytes {
                    return self.close_for("sets more than the store takes from one rank", board);
                }
                board.set(self.hello.rank, key, value);
                self.acknowledge(board);
            }
            Request::Get { key, timeout_ms } => {
                let wait = Duration::from_millis(timeout_ms).min(LONGEST_WAIT);
                self.waiting = Some((key, clock::now() + wait));
            }
            Request::Leave => {
                self.joined = false;
                board.leave(self.hello.rank);
            }
            Request::Check => self.acknowledge(board),
            Request::Fail { why } => {
                self.joined = false;
                board.fail(format!("rank {} has failed: {why}", self.hello.rank));
            }
        }
    }

    /// Answers a request that has no value: all is well, or why the job failed.
    fn acknowledge(&mut self, board: &Board) {
        match board.fault() {
            Some(fault) => self.respond_fault(fault.clone()),
            None => self.answers.push(Status::Ok, Arc::from([])),
        }
    }

    fn answer_waiting(&mut self, board: &Board, now: Instant) {
        let Some((key, until)) = &self.waiting else { return };
        self.gave_up = false;
        if let Some(value) = board.get(key) {
            self.answers.push(Status::Ok, value);
        } else if let Some(fault) = board.fault() {
            self.respond_fault(fault.clone());
        } else if *until <= now {
            self.gave_up = true;
            self.answers.push(Status::Timeout, board.missing().into_bytes().into());
        } else {
            return;
        }
        self.waiting = None;
    }

    /// Tells the rank why the job failed. It then leaves without a word, and the others need not hear of
    /// that.
    fn respond_fault(&mut self, fault: Fault) {
        self.joined = false;
        self.answers.push(fault.status, fault.text.into_bytes().into());
    }

    fn write(&mut self) {
        self.closed |= self.answers.write(&self.socket).is_err();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Write};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::super::limits::LIMITS;
    use super::*;
    use crate::bootstrap::auth::hello::ANY_RANK;
    use crate::bootstrap::auth::proof::Purpose;

    /// A rank's end of a connection, and the server's.
    fn connection(rank: u32) -> (UnixStream, Connection) {
        let (client, server) = UnixStream::pair().unwrap();
        client.set_nonblocking(true).unwrap();
        let socket = Socket::from_fd(OwnedFd::from(server), true).unwrap();
        (client, Connection::new(socket, Hello::new(Purpose::Store, rank, 2, ANY_RANK)))
    }

    fn fault(board: &Board) -> &str {
        board.fault().map_or("", |fault| &fault.text)
    }

    #[test]
    fn a_client_that_asks_and_never_reads_is_closed_and_holds_little_memory() {
        let (mut client, mut connection) = connection(1);
        let mut board = Board::new(Some(2), LIMITS);
        client.write_all(&Request::Join.encode()).unwrap();
        let flood = Request::Check.encode().repeat(1024);
        while !connection.closed() {
            match client.write(&flood) {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            connection.turn(&mut board);
            assert!(connection.answers.len() <= LIMITS.answers + 1, "{}", connection.answers.len());
        }
        let fault = fault(&board);
        assert!(fault.contains("rank 1, which asks the store and does not read"), "{fault}");
    }

    #[test]
    fn a_client_keeps_no_request_that_is_larger_than_what_it_may_set() {
        let large = Request::Set { key: "k".into(), value: vec![0; 100 << 10] }.encode();
        for (rank, joins, is_closed) in [(1, true, true), (1, false, true), (0, true, false)] {
            let (mut client, mut connection) = connection(rank);
            let mut board = Board::new(Some(2), LIMITS);
            if joins {
                client.write_all(&Request::Join.encode()).unwrap();
            }
            // The first half.
            client.write_all(&large[..50 << 10]).unwrap();
            connection.turn(&mut board);
            assert_eq!(connection.closed(), is_closed, "rank {rank}");
            let is_told = fault(&board).contains("beyond the store's limits");
            assert_eq!(is_told, joins && is_closed, "rank {rank}");
        }
    }

    #[test]
    fn one_rank_cannot_fill_the_store_by_many_keys() {
        let (mut client, mut connection) = connection(1);
        let mut board = Board::new(Some(2), LIMITS);
        client.write_all(&Request::Join.encode()).unwrap();
        for key in 0..4 {
            let request = Request::Set { key: format!("k{key}"), value: vec![0; 30 << 10] };
            client.write_all(&request.encode()).unwrap();
            connection.turn(&mut board);
            assert_eq!(connection.closed(), key >= 2, "key {key}");
            if connection.closed() {
                break;
            }
        }
        assert!(fault(&board).contains("sets more than"), "{}", fault(&board));
    }
}
