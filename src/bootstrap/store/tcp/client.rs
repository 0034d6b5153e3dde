//! The client: blocking requests over one authenticated connection.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use super::limits::LIMITS;
use super::message::{REASON_BYTES, RESPONSE_HEADER, Request, Status, parse_response_header};
use super::reach::reach_once;
use super::server::Server;
use crate::base::{Error, Result};
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::store::file::published::PublishedFile;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::timed_socket::TimedSocket;
use crate::sys::clock;
use crate::sys::socket::Socket;

/// How much later than the server the client gives up, as a part of its patience. The server knows better who
/// is missing, so its answer should come first.
const GRACE_PART: u32 = 20;
/// Lower and upper limit of this grace.
const GRACE: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];
/// How much before the client's deadline the server must answer, as a part of the client's patience. On a
/// busy machine the answer may be late by some of it.
const LEAD_PART: u32 = 5;
/// Upper limit of this lead.
const MAX_LEAD: Duration = Duration::from_millis(150);

/// A rank's connection to the store, and on rank 0 the store itself. Dropping it tells the server that the
/// rank has all it needs, then ends what this process serves.
pub(crate) struct Client {
    socket: TimedSocket,
    joined: bool,
    /// What has come of an answer that was given up waiting for.
    input: Vec<u8>,
    /// A check was sent, and its answer has not been read.
    is_checking: bool,
    /// On rank 0, unless another process serves the store.
    pub served: Option<Served>,
}

/// What serves the store on rank 0. The fields are dropped in this order: the server ends, and the file that
/// leads to it is removed.
pub(crate) struct Served {
    pub server: Server,
    pub file: Option<PublishedFile>,
}

impl Client {
    /// A client that has joined over this connection.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn over(socket: Socket) -> Client {
        let mut client = Client::new(socket);
        client.joined = true;
        client
    }

    /// Tries each address once.
    pub fn try_join(
        key: &JobKey,
        seat: Seat,
        addresses: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Found<Client>> {
        let own = Hello::new(Purpose::Store, seat.rank, seat.size, ANY_RANK);
        let mut client = match reach_once(addresses, key, own, deadline)? {
            Ok(socket) => Client::new(socket),
            Err(absence) => return Ok(Err(absence)),
        };
        match client.ask(&Request::Join, deadline) {
            Ok(_) => {
                client.joined = true;
                Ok(Ok(client))
            }
            // Closed without an answer: a store whose world is over, or one that is ending.
            Err(Error::System { .. }) => Ok(Err(Absence::Ending)),
            Err(error) => Err(error),
        }
    }

    fn new(socket: Socket) -> Client {
        let gone = "the store closed the connection: who serves it, rank 0 or else the launcher, has failed or ended";
        let silent = "the store, which the process of rank 0 or the launcher serves, does not answer";
        let socket = TimedSocket { socket, gone, silent };
        Client { socket, joined: false, input: Vec::new(), is_checking: false, served: None }
    }

    /// Lets the store go on without this handle until its deadline. Its file stays where it is.
    pub fn detach(mut self) {
        let served = self.served.take();
        drop(self);
        if let Some(Served { server, file }) = served {
            server.detach();
            file.into_iter().for_each(PublishedFile::leave);
        }
    }

    /// The address at which the store has answered; on rank 0, which serves it, the best of its addresses.
    pub fn address(&self) -> Result<IpAddr> {
        match &self.served {
            Some(served) => Ok(served.server.address().ip()),
            None => {
                self.socket.socket.peer_ip().map_err(|e| Error::system("cannot ask where the store is", e))
            }
        }
    }

    /// Ends as a process that is killed does: without a word.
    #[cfg(test)]
    pub fn die(mut self) {
        self.joined = false;
    }

    /// What the server answers by its own deadline, or later by a grace: it knows more than a client of who
    /// is missing.
    fn ask(&mut self, request: &Request, deadline: Instant) -> Result<Vec<u8>> {
        let start = clock::now();
        let until = deadline + grace(deadline.saturating_duration_since(start));
        if self.is_checking {
            self.answer(start, until)?;
            self.is_checking = false;
        }
        self.socket.write_all(&request.encode(), start, until)?;
        self.answer(start, until)
    }

    /// The next answer. One that has not come whole `until` then can be waited for again.
    fn answer(&mut self, start: Instant, until: Instant) -> Result<Vec<u8>> {
        self.receive(RESPONSE_HEADER, start, until)?;
        let header = self.input.first_chunk::<RESPONSE_HEADER>().expect("so many were received");
        let (status, bytes) = parse_response_header(header, &LIMITS)
            .ok_or_else(|| Error::Bootstrap("the store's answer cannot be understood".into()))?;
        self.receive(RESPONSE_HEADER + bytes, start, until)?;
        let mut value = std::mem::take(&mut self.input);
        value.drain(..RESPONSE_HEADER);
        if status == Status::Ok {
            return Ok(value);
        }
        let text = String::from_utf8_lossy(&value).into_owned();
        self.joined = false;
        Err(match status {
            Status::Timeout => Error::Timeout { waited: clock::since(start), detail: text },
            Status::Disagreement => Error::Mismatch(text),
            Status::Ok | Status::Failed => Error::Bootstrap(text),
        })
    }

    /// Reads until so many bytes of the answer are there.
    fn receive(&mut self, bytes: usize, since: Instant, until: Instant) -> Result<()> {
        while self.input.len() < bytes {
            // The buffer grows in pieces: it takes memory for bytes that have arrived, not for bytes that are
            // announced.
            let have = self.input.len();
            self.input.resize(bytes.min(have + (1 << 20)), 0);
            let read = self.socket.read(&mut self.input[have..], since, until);
            self.input.truncate(have + read.as_ref().copied().unwrap_or(0));
            read?;
        }
        Ok(())
    }
}

impl Store for Client {
    fn set(&mut self, key: &str, value: &[u8], deadline: Instant) -> Result<()> {
        if key.is_empty() || key.len() > LIMITS.key_bytes || value.len() > LIMITS.value_bytes {
            let got = format!("a key of {} and a value of {} bytes", key.len(), value.len());
            return Err(Error::InvalidArgument { what: "store entry", got });
        }
        let request = Request::Set { key: key.into(), value: value.into() };
        self.ask(&request, deadline).map(drop)
    }

    fn get(&mut self, key: &str, deadline: Instant) -> Result<Vec<u8>> {
        let start = clock::now();
        let left = deadline.saturating_duration_since(start);
        let patience = left - (left / LEAD_PART).min(MAX_LEAD);
        let request = Request::Get { key: key.into(), timeout_ms: patience.as_millis() as u64 };
        match self.ask(&request, deadline) {
            Err(Error::Timeout { detail, .. }) => {
                // The server was asked early for who is missing; the caller is told when its time is over.
                clock::sleep(clock::left(deadline));
                Err(Error::Timeout { waited: clock::since(start), detail })
            }
            answer => answer,
        }
    }

    fn fail(&mut self, why: &str) {
        if self.joined {
            self.joined = false;
            let why = why.chars().take(REASON_BYTES / 4).collect();
            // Best effort: fits into any socket buffer.
            let _ = self.socket.socket.write(&Request::Fail { why }.encode());
        }
    }

    fn check(&mut self, deadline: Instant) -> Result<()> {
        let start = clock::now();
        if !self.is_checking {
            self.socket.write_all(&Request::Check.encode(), start, deadline)?;
            self.is_checking = true;
        }
        let answer = self.answer(start, deadline);
        // One that comes later is the next check's.
        self.is_checking = matches!(answer, Err(Error::Timeout { .. }));
        answer.map(drop)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.joined {
            // Fits into any socket buffer; if the server is gone there is nobody to tell.
            let _ = self.socket.socket.write(&Request::Leave.encode());
        }
    }
}

fn grace(patience: Duration) -> Duration {
    (patience / GRACE_PART).clamp(GRACE[0], GRACE[1])
}
