//! A connection to the process manager: one question at a time, answered by a deadline.

use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::message::{LINE_BYTES, PmiMessage};
use crate::base::{Error, Result};
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::store::timed_socket::TimedSocket;
use crate::sys::clock;
use crate::sys::resolve::resolve;
use crate::sys::socket::Socket;

/// How long the process manager's host may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to the process manager. It reads nothing ahead: on an inherited connection the next answer
/// may be for MPI.
pub(crate) struct Connection {
    socket: TimedSocket,
}

impl Connection {
    /// A connection over an inherited socket.
    pub fn over(socket: Socket) -> Connection {
        let gone = "the process manager (mpiexec) has closed its connection";
        let silent = "the process manager (mpiexec) does not answer, so some rank has not joined. Has it ended, or \
                      does it run another MPI? `anyccl info --mpi-of PROGRAM` tells which MPI a program gets";
        Connection { socket: TimedSocket { socket, gone, silent } }
    }

    /// Connects by TCP. The process manager tells this process its rank.
    pub fn to(host: &str, port: u16, id: &str, deadline: Instant) -> Result<(Connection, Seat)> {
        let mut last = std::io::Error::from(std::io::ErrorKind::NotFound);
        for address in resolve(host, port).addresses() {
            let left = clock::left(deadline).min(PATIENCE);
            let stream = TcpStream::connect_timeout(&address, left.max(Duration::from_millis(1)));
            match stream.and_then(|stream| Socket::from_fd(OwnedFd::from(stream), false)) {
                Ok(socket) => {
                    let connection = Connection::over(socket);
                    let seat = connection.introduce(id, deadline)?;
                    return Ok((connection, seat));
                }
                Err(error) => last = error,
            }
        }
        Err(Error::system(format!("cannot connect to the process manager at PMI_PORT={host}:{port}"), last))
    }

    pub(super) fn introduce(&self, id: &str, deadline: Instant) -> Result<Seat> {
        let since = clock::now();
        self.say(&format!("cmd=initack pmiid={id}"), deadline)?;
        let (mut rank, mut size) = (None, None);
        loop {
            let message = self.hear(since, deadline)?;
            rank = message.number("rank").or(rank);
            size = message.number("size").or(size);
            // The answer may hold everything already. Three settings follow in any case; this is the last of
            // them.
            if message.get("cmd") == Some("set") && message.get("debug").is_some() {
                break;
            }
        }
        match (rank, size) {
            (Some(rank), Some(size)) if rank < size => Ok(Seat { rank, size }),
            _ => Err(Error::Bootstrap("the process manager at PMI_PORT does not tell the rank".into())),
        }
    }

    /// Sends a question and waits for the answer `cmd`.
    pub fn ask(&self, question: &str, cmd: &str, deadline: Instant) -> Result<PmiMessage> {
        let since = clock::now();
        self.say(question, deadline)?;
        let answer = self.hear(since, deadline)?;
        if answer.is_good(cmd) {
            return Ok(answer);
        }
        let asked = question.split(' ').next().unwrap_or_default();
        Err(Error::Bootstrap(format!("the process manager (PMI) refuses {asked}")))
    }

    /// Sends a line that has no answer.
    pub fn say(&self, line: &str, deadline: Instant) -> Result<()> {
        self.socket.write_all(format!("{line}\n").as_bytes(), clock::now(), deadline)
    }

    fn hear(&self, since: Instant, deadline: Instant) -> Result<PmiMessage> {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            self.socket.read(&mut byte, since, deadline)?;
            if byte == *b"\n" || line.len() == LINE_BYTES {
                break;
            }
            line.extend(byte);
        }
        PmiMessage::parse(&line).ok_or_else(|| {
            Error::Bootstrap(
                "what the process manager says is not PMI-1; ANYCCL_STORE does without it".into(),
            )
        })
    }
}
