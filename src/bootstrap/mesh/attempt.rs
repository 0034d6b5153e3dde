//! One connection to another rank, while it is being made.

use std::io;
use std::time::{Duration, Instant};

use super::record::{PeerInfo, Record};
use crate::base::{Error, Result};
use crate::bootstrap::auth::dial::{Dial, Target};
use crate::bootstrap::auth::handshake::Refusal;
use crate::bootstrap::auth::hello::{Hello, Objection};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::store::waiting::Backoff;
use crate::config::TransportChoice;
use crate::sys::clock;
use crate::sys::poll::PollSet;
use crate::sys::shortage::is_shortage;
use crate::sys::socket::Socket;

/// How long one address may take to prove the key before the next is tried. Each round of addresses has twice
/// as long as the one before, because a path may be long.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest patience.
const LONGEST_PATIENCE: Duration = Duration::from_secs(4);

/// How long all addresses of a rank may refuse before the rank counts as ended. A rank listens before it
/// publishes its addresses.
const REFUSALS: Duration = Duration::from_secs(2);

/// The rank that connects.
pub(super) struct Connector<'a> {
    /// The job's secret.
    pub key: &'a JobKey,
    /// This rank's record.
    pub own: &'a Record,
    /// The user whose processes this rank connects with over Unix sockets. `None`: processes of any user.
    pub user: Option<u32>,
    /// Whether the ranks are joining, and all listen.
    pub is_joining: bool,
}

/// One connection in the making. It tries its targets in turn until one of them proves to be the peer.
pub(super) struct Attempt {
    purpose: Purpose,
    lane: u8,
    targets: Vec<Target>,
    next: usize,
    patience: Duration,
    dial: Option<Dial>,
    retry_at: Option<Instant>,
    backoff: Backoff,
    last_error: Option<String>,
    /// Time since which every answer has been that nobody listens.
    refused_since: Option<Instant>,
}

/// Result of advancing an attempt.
pub(super) enum AttemptState {
    /// The attempt goes on.
    Pending,
    /// The peer is connected.
    Connected(Socket),
    /// Nobody listens at the Unix name: the peer is in another network namespace.
    NobodyThere,
}

impl Attempt {
    /// An attempt that has not started. `targets` are tried in turn. `lane`: which data connection it makes.
    pub fn new(purpose: Purpose, lane: u8, targets: Vec<Target>) -> Attempt {
        Attempt {
            purpose,
            lane,
            targets,
            next: 0,
            patience: PATIENCE,
            dial: None,
            retry_at: None,
            backoff: Backoff::new(),
            last_error: None,
            refused_since: None,
        }
    }

    /// Purpose of the connection.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Which data connection it makes.
    pub fn lane(&self) -> u8 {
        self.lane
    }

    /// The last error, as text, or that there is no answer.
    pub fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref().or(self.dial.is_some().then_some("no answer yet"))
    }

    /// Begins again after a pause, because the connection has ended.
    pub fn begin_anew(&mut self) {
        (self.dial, self.next, self.refused_since, self.patience) = (None, 0, None, PATIENCE);
        self.retry_at = Some(clock::now() + self.backoff.next());
    }

    /// Adds the socket that the attempt waits for.
    pub fn register(&mut self, set: &mut PollSet) {
        if let Some(dial) = &mut self.dial {
            dial.register(set);
        }
    }

    /// When to call [`Attempt::advance`] even if nothing is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.dial.as_ref().map_or(self.retry_at, Dial::next_deadline)
    }

    /// Advances with what is ready, or starts if that is due. `data`: number of data connections of the pair.
    pub fn advance(
        &mut self,
        connector: &Connector<'_>,
        peer: &Record,
        data: u8,
        set: &PollSet,
    ) -> Result<AttemptState> {
        let now = clock::now();
        let result = match &mut self.dial {
            Some(dial) => dial.advance(set),
            None if self.retry_at.is_some_and(|t| t > now) => return Ok(AttemptState::Pending),
            None => {
                let hello = Hello::new(self.purpose, connector.own.rank, connector.own.size, peer.rank);
                let hello = Hello { data, lane: self.lane, ..hello };
                let Some(target) = self.targets.get(self.next) else { return Ok(AttemptState::Pending) };
                match Dial::start(target, connector.key, hello, self.patience) {
                    Ok(dial) => {
                        if let Some((user, other)) =
                            connector.user.and_then(|user| Some((user, dial.other_user(user)?)))
                        {
                            return Err(strange_user(peer, user, other));
                        }
                        self.dial = Some(dial);
                        Ok(None)
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        match result {
            Ok(None) => Ok(AttemptState::Pending),
            Ok(Some((socket, _))) => Ok(AttemptState::Connected(socket)),
            Err(Refusal::Objection(Objection::Disagreement(text))) => Err(Error::Mismatch(text)),
            Err(Refusal::Io(error))
                if matches!(self.targets[self.next], Target::Unix(_))
                    && no_such_place(&error)
                    && (connector.is_joining || !must_share_memory(connector.own, peer)) =>
            {
                Ok(AttemptState::NobodyThere)
            }
            Err(Refusal::Io(error)) if is_shortage(&error) => {
                Err(Error::system(format!("cannot connect with {}", peer.info.label(peer.rank)), error))
            }
            Err(refusal) => {
                let is_unix = matches!(self.targets[self.next], Target::Unix(_));
                match &refusal {
                    Refusal::Io(error)
                        if error.kind() == io::ErrorKind::ConnectionRefused
                            || is_unix && no_such_place(error) =>
                    {
                        let since = *self.refused_since.get_or_insert(now);
                        if now - since > REFUSALS {
                            return Err(ended(peer));
                        }
                    }
                    _ => self.refused_since = None,
                }
                self.last_error = Some(format!("{}: {refusal}", self.targets[self.next]));
                self.turn_to_next(now);
                Ok(AttemptState::Pending)
            }
        }
    }

    /// Turns to the next address, which follows at once; a pause comes after each round.
    fn turn_to_next(&mut self, now: Instant) {
        self.dial = None;
        self.next = (self.next + 1) % self.targets.len();
        let mut pause = Duration::ZERO;
        if self.next == 0 {
            pause = self.backoff.next();
            self.patience = LONGEST_PATIENCE.min(2 * self.patience);
        }
        self.retry_at = Some(now + pause);
    }
}

/// Whether one of the two ranks insists on shared memory.
pub(super) fn must_share_memory(a: &Record, b: &Record) -> bool {
    [a, b].iter().any(|record| record.transport == TransportChoice::Shm)
}

fn strange_user(peer: &Record, user: u32, other: u32) -> Error {
    let label = peer.info.label(peer.rank);
    Error::Bootstrap(format!(
        "{label} runs as user {other}, this rank as user {user}; ANYCCL_ALLOW_OTHER_USERS=1 on all ranks lets them share \
         memory, ANYCCL_TRANSPORT=tcp does without"
    ))
}

fn ended(peer: &Record) -> Error {
    let PeerInfo { host_name, pid, .. } = &peer.info;
    let detail = format!("host {host_name}, pid {pid}: nobody listens any more where it said it would");
    Error::PeerLost { rank: peer.rank, detail }
}

fn no_such_place(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotFound, PermissionDenied};
    matches!(error.kind(), ConnectionRefused | NotFound | PermissionDenied)
}
