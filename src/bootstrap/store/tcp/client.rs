//! The client: blocking requests over one authenticated connection.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use super::limits::LIMITS;
use super::message::{REASON_BYTES, RESPONSE_HEADER, Request, Status, parse_response_header};
use super::reach::{Reached, reach_once};
use crate::base::{Error, Rank, Result};
use crate::bootstrap::auth::absence::Absence;
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::sought::Sought;
use crate::bootstrap::store::waiting::Waiting;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
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

/// A rank's connection to the store. Dropping it tells the server that the rank has all it needs.
pub(crate) struct Client {
    socket: Socket,
    joined: bool,
    /// What has come of an answer that was given up waiting for.
    input: Vec<u8>,
    /// A check was sent, and its answer has not been read.
    is_checking: bool,
}

/// Result of one attempt to join.
pub(crate) enum Joined {
    /// The store has let this rank in.
    Client(Client),
    /// There is no store for this rank, now.
    Absent(Absence),
}

/// A rank that wants to join a world.
pub(crate) struct Applicant<'a> {
    /// The job's secret.
    pub key: &'a JobKey,
    /// The rank that joins.
    pub rank: Rank,
    /// Number of ranks of its world.
    pub size: u32,
}

impl Client {
    /// A client that has joined over this connection.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn over(socket: Socket) -> Client {
        Client { socket, joined: true, input: Vec::new(), is_checking: false }
    }

    /// Tries each address once.
    pub fn try_join(who: &Applicant<'_>, addresses: &[SocketAddr], deadline: Instant) -> Result<Joined> {
        let own = Hello::new(Purpose::Store, who.rank, who.size, ANY_RANK);
        let socket = match reach_once(addresses, who.key, own, deadline)? {
            Reached::Store(socket) => socket,
            Reached::Absent(absence) => return Ok(Joined::Absent(absence)),
        };
        let mut client = Client { socket, joined: false, input: Vec::new(), is_checking: false };
        match client.ask(&Request::Join, deadline) {
            Ok(_) => {
                client.joined = true;
                Ok(Joined::Client(client))
            }
            // Closed without an answer: a store whose world is over, or one that is ending.
            Err(Error::System { .. }) => Ok(Joined::Absent(Absence::Ending)),
            Err(error) => Err(error),
        }
    }

    /// Tries until one of the addresses has the store, or the deadline. `at` names the place in messages.
    pub fn join(
        who: &Applicant<'_>,
        addresses: impl Fn() -> Vec<SocketAddr>,
        at: &str,
        deadline: Instant,
    ) -> Result<Client> {
        let sought = Sought { at, server: "rank 0", is_one_place: false };
        Client::join_at(who, || Ok(addresses()), &sought, deadline)
    }

    /// [`Client::join`] where the addresses have to be found first.
    pub fn join_at(
        who: &Applicant<'_>,
        mut addresses: impl FnMut() -> std::result::Result<Vec<SocketAddr>, Absence>,
        sought: &Sought<'_>,
        deadline: Instant,
    ) -> Result<Client> {
        let mut waiting = Waiting::new(deadline);
        // Result of the last complete try.
        let mut previous: Option<Absence> = None;
        // Time since which all tries have had the same result.
        let mut since = clock::now();
        let rank = format!("rank {}", who.rank);
        loop {
            let joined = match addresses() {
                Ok(addresses) => Client::try_join(who, &addresses, deadline)?,
                Err(absence) => Joined::Absent(absence),
            };
            let absence = match joined {
                Joined::Client(client) => return Ok(client),
                // The deadline may have cut the last try short.
                Joined::Absent(absence) => match &previous {
                    Some(previous) if clock::now() >= deadline => absence.max(previous.clone()),
                    _ => absence,
                },
            };
            if previous.as_ref() != Some(&absence) {
                since = clock::now();
            }
            let is_certain =
                Sought::certain_after(&absence).is_some_and(|after| clock::since(since) >= after);
            if is_certain && (sought.is_one_place || matches!(absence, Absence::Short(_))) {
                return Err(Error::Bootstrap(sought.sentence(&absence)));
            }
            if !waiting.pause(&rank, &format_args!("the store at {}", sought.at), &absence) {
                let detail = sought.sentence(&absence);
                return Err(Error::Timeout { waited: waiting.waited(), detail });
            }
            previous = Some(absence);
        }
    }

    /// The address at which the store has answered.
    pub fn peer(&self) -> Result<IpAddr> {
        self.socket.peer_ip().map_err(|e| Error::system("cannot ask where the store is", e))
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
        self.write_all(&request.encode(), start, until)?;
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

    fn write_all(&self, mut bytes: &[u8], since: Instant, until: Instant) -> Result<()> {
        while !bytes.is_empty() {
            match self.socket.write(bytes).map_err(gone)? {
                Some(written) => bytes = &bytes[written..],
                None => self.wait(Interest::Write, since, until)?,
            }
        }
        Ok(())
    }

    /// Reads until so many bytes of the answer are there.
    fn receive(&mut self, bytes: usize, since: Instant, until: Instant) -> Result<()> {
        while self.input.len() < bytes {
            // The buffer grows in pieces: it takes memory for bytes that have arrived, not for bytes that are
            // announced.
            let have = self.input.len();
            self.input.resize(bytes.min(have + (1 << 20)), 0);
            let read = self.socket.read(&mut self.input[have..]);
            self.input.truncate(have + read.as_ref().map_or(0, |read| read.unwrap_or(0)));
            match read.map_err(gone)? {
                Some(0) => return Err(gone(std::io::ErrorKind::ConnectionReset.into())),
                Some(_) => {}
                None => self.wait(Interest::Read, since, until)?,
            }
        }
        Ok(())
    }

    fn wait(&self, interest: Interest, since: Instant, until: Instant) -> Result<()> {
        let mut set = PollSet::new();
        set.add(&self.socket, interest);
        if clock::now() >= until {
            let detail = "the store, which the process of rank 0 or the launcher serves, does not answer";
            return Err(Error::Timeout { waited: clock::since(since), detail: detail.into() });
        }
        set.wait(Some(until)).map_err(|e| Error::system("poll", e))
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
            let _ = self.socket.write(&Request::Fail { why }.encode());
        }
    }

    fn check(&mut self, deadline: Instant) -> Result<()> {
        let start = clock::now();
        if !self.is_checking {
            self.write_all(&Request::Check.encode(), start, deadline)?;
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
            let _ = self.socket.write(&Request::Leave.encode());
        }
    }
}

fn grace(patience: Duration) -> Duration {
    (patience / GRACE_PART).clamp(GRACE[0], GRACE[1])
}

fn gone(source: std::io::Error) -> Error {
    Error::system(
        "the store closed the connection: who serves it, rank 0 or else the launcher, has failed or ended",
        source,
    )
}
