//! The connections that this rank makes: to one lower rank, one or two.

use std::io;
use std::time::{Duration, Instant};

use crate::base::{Error, Rank, Result};
use crate::bootstrap::JobKey;
use crate::bootstrap::auth::Purpose;
use crate::bootstrap::dial::{Dial, Target};
use crate::bootstrap::handshake::Refusal;
use crate::bootstrap::hello::{Hello, Objection};
use crate::bootstrap::reach::Backoff;
use crate::bootstrap::record::Record;
use crate::config::TransportChoice;
use crate::sys::poll::PollSet;
use crate::sys::socket::Socket;

/// How long one address may take to prove the key before the next is tried.
const PATIENCE: Duration = Duration::from_secs(1);

/// Who is connecting.
pub(super) struct Caller<'a> {
    /// The job's secret.
    pub key: &'a JobKey,
    /// This rank's record.
    pub own: &'a Record,
}

/// One connection in the making: goes round its targets until one of them proves to be the peer.
struct Attempt {
    purpose: Purpose,
    targets: Vec<Target>,
    next: usize,
    dial: Option<Dial>,
    retry_at: Option<Instant>,
    backoff: Backoff,
    last_error: Option<String>,
}

/// All connections to one lower rank.
pub(super) struct Outgoing {
    /// Whom to.
    pub peer: Rank,
    attempts: Vec<Attempt>,
    data_follows: bool,
    control: Option<Socket>,
    data: Option<Socket>,
}

/// Whether the two may use shared memory: they share a host, and neither wants TCP.
/// An error where one of them insists on shared memory and there is none.
pub(super) fn share_memory(a: &Record, b: &Record) -> Result<bool> {
    let either = |choice| a.transport == choice || b.transport == choice;
    let same_host = a.info.host_id == b.info.host_id;
    if either(TransportChoice::Shm) && (!same_host || either(TransportChoice::Tcp)) {
        let why = if same_host { "the other wants TCP" } else { "they are on different hosts" };
        return Err(Error::Unsupported(format!(
            "ANYCCL_TRANSPORT=shm, but rank {} (host {}) and rank {} (host {}) cannot share memory: {why}",
            a.rank, a.info.host_name, b.rank, b.info.host_name,
        )));
    }
    Ok(same_host && !either(TransportChoice::Tcp))
}

/// The error for two ranks of one host that cannot share memory although one of them insists.
pub(super) fn unreachable(a: &Record, b: &Record) -> Error {
    Error::Unsupported(format!(
        "ANYCCL_TRANSPORT=shm, but rank {} (host {}, pid {}) and rank {} (host {}, pid {}) do not reach each other by \
         Unix socket: are they in different containers or network namespaces?",
        a.rank, a.info.host_name, a.info.pid, b.rank, b.info.host_name, b.info.pid,
    ))
}

impl Outgoing {
    /// Plans the connections to `peer`.
    pub fn new(caller: &Caller<'_>, peer: &Record) -> Result<Outgoing> {
        let mut outgoing = Outgoing {
            peer: peer.rank,
            attempts: Vec::new(),
            data_follows: false,
            control: None,
            data: None,
        };
        if share_memory(caller.own, peer)? {
            let target = Target::Unix(peer.unix_name.clone());
            outgoing.attempts.push(Attempt::new(Purpose::Control, vec![target]));
        } else {
            outgoing.use_tcp(peer);
        }
        Ok(outgoing)
    }

    fn use_tcp(&mut self, peer: &Record) {
        let targets: Vec<Target> = peer.addresses.iter().copied().map(Target::Tcp).collect();
        self.data_follows = true;
        self.attempts =
            [Purpose::Control, Purpose::Data].map(|purpose| Attempt::new(purpose, targets.clone())).into();
    }

    /// Adds what the attempts wait for.
    pub fn register(&mut self, set: &mut PollSet) {
        self.attempts.iter_mut().filter_map(|a| a.dial.as_mut()).for_each(|dial| dial.register(set));
    }

    /// When to call [`Outgoing::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        let of = |a: &Attempt| a.dial.as_ref().map_or(a.retry_at, Dial::next_deadline);
        self.attempts.iter().filter_map(of).min()
    }

    /// The sockets, once all are there.
    pub fn take(&mut self) -> Option<(Socket, Option<Socket>)> {
        if !self.attempts.is_empty() {
            return None;
        }
        Some((self.control.take()?, self.data.take()))
    }

    /// What last went wrong, for the message about a peer that was not reached.
    pub fn last_error(&self) -> Option<&str> {
        self.attempts.iter().find_map(|a| a.last_error.as_deref())
    }

    /// Goes on with what is ready and starts what is due.
    pub fn advance(&mut self, caller: &Caller<'_>, peer: &Record, set: &PollSet) -> Result<()> {
        let mut no_unix = false;
        let data_follows = self.data_follows;
        let mut unfinished = Vec::new();
        for mut attempt in std::mem::take(&mut self.attempts) {
            match attempt.advance(caller, peer, data_follows, set)? {
                Outcome::Pending => unfinished.push(attempt),
                Outcome::NobodyThere => no_unix = true,
                Outcome::Connected(socket) => match attempt.purpose {
                    Purpose::Data => self.data = Some(socket),
                    _ => self.control = Some(socket),
                },
            }
        }
        self.attempts = unfinished;
        if no_unix {
            if [caller.own, peer].iter().any(|r| r.transport == TransportChoice::Shm) {
                return Err(unreachable(caller.own, peer));
            }
            self.use_tcp(peer);
            return self.advance(caller, peer, set);
        }
        Ok(())
    }
}

enum Outcome {
    Pending,
    Connected(Socket),
    /// Nobody listens at the Unix name: the peer is in another network namespace.
    NobodyThere,
}

impl Attempt {
    fn new(purpose: Purpose, targets: Vec<Target>) -> Attempt {
        Attempt {
            purpose,
            targets,
            next: 0,
            dial: None,
            retry_at: None,
            backoff: Backoff::new(),
            last_error: None,
        }
    }

    fn advance(
        &mut self,
        caller: &Caller<'_>,
        peer: &Record,
        data_follows: bool,
        set: &PollSet,
    ) -> Result<Outcome> {
        let now = Instant::now();
        let result = match &mut self.dial {
            Some(dial) => dial.advance(set),
            None if self.retry_at.is_some_and(|t| t > now) => return Ok(Outcome::Pending),
            None => {
                let hello = Hello::new(self.purpose, caller.own.rank, caller.own.size, peer.rank);
                let hello = Hello { data_follows, ..hello };
                let Some(target) = self.targets.get(self.next) else { return Ok(Outcome::Pending) };
                Dial::start(target, caller.key, hello, PATIENCE).map(|dial| {
                    self.dial = Some(dial);
                    None
                })
            }
        };
        match result {
            Ok(None) => Ok(Outcome::Pending),
            Ok(Some((socket, _))) => Ok(Outcome::Connected(socket)),
            Err(Refusal::Objection(Objection::Disagreement(text))) => Err(Error::Mismatch(text)),
            Err(Refusal::Io(error))
                if matches!(self.targets[self.next], Target::Unix(_)) && no_such_place(&error) =>
            {
                Ok(Outcome::NobodyThere)
            }
            Err(refusal) => {
                self.last_error = Some(format!("{}: {refusal}", self.targets[self.next]));
                self.dial = None;
                self.next = (self.next + 1) % self.targets.len();
                // The next address at once; a pause after each round.
                let pause = if self.next == 0 { self.backoff.next() } else { Duration::ZERO };
                self.retry_at = Some(now + pause);
                Ok(Outcome::Pending)
            }
        }
    }
}

fn no_such_place(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotFound, PermissionDenied};
    matches!(error.kind(), ConnectionRefused | NotFound | PermissionDenied)
}
