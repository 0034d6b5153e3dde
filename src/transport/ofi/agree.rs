//! Which ranks use a fabric: agreed over the data connections, before anything else is sent there.
//!
//! Each of two ranks says which endpoint it has, and sends the other a first frame. When it has got one, or
//! has waited for too long, it says whether it can use the fabric. If both can, all their fragments go
//! that way. Otherwise both have an error that says why not, before anything of a call is sent.
//!
//! All pairs do so at once: a fabric may need every rank to ask it before one of them is connected.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::OfiLink;
use super::fabric::{Fabric, unsupported};
use super::hello::{Hello, Verdict, decode_verdict, encode_verdict};
use super::library::{Library, Wanted};
use crate::base::{Error, Rank};
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// How long a first frame may take from the hello of its sender on.
const FIRST_FRAME: Duration = Duration::from_secs(30);
/// Longest wait between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// The error, and the peer that it concerns, if it is one.
pub type LinkError = (Option<Rank>, Error);

/// The outcome.
#[derive(Default)]
pub struct Agreed {
    /// The links over the fabric, by rank.
    pub links: Vec<Option<OfiLink>>,
    /// A sentence for the log, unless no pair has tried.
    pub note: Option<String>,
}

/// One peer, while both say what they have.
struct Talk<'a> {
    rank: Rank,
    socket: &'a Socket,
    arrived: Vec<u8>,
    heard: Option<Hello>,
    heard_at: Option<Instant>,
    is_greeted: bool,
    /// Own verdict, and that of the peer.
    own: Option<Verdict>,
    other: Option<Verdict>,
}

/// Agrees with all peers that have data sockets. `library` is the file of libfabric; `None`: the one that the
/// loader finds.
pub fn agree(
    sockets: &[Vec<Socket>],
    library: Option<&str>,
    wanted: Wanted<'_>,
    deadline: Instant,
) -> Result<Agreed, LinkError> {
    let mut agreed = Agreed { links: sockets.iter().map(|_| None).collect(), note: None };
    let pairs = sockets.iter().zip(0..).filter_map(|(sockets, rank)| {
        let socket = sockets.first()?;
        Some(Talk {
            rank,
            socket,
            arrived: Vec::new(),
            heard: None,
            heard_at: None,
            is_greeted: false,
            own: None,
            other: None,
        })
    });
    let mut talks: Vec<Talk<'_>> = pairs.collect();
    if talks.is_empty() {
        return Ok(agreed);
    }
    let mut opened = open((library, wanted), talks.len(), talks[0].socket.own_ip());
    say_hello(&mut opened, &talks)?;
    let start = clock::now();
    while talks.iter().any(|talk| talk.own.is_none() || talk.other.is_none()) {
        for (at, talk) in talks.iter_mut().enumerate() {
            talk.advance(&mut opened, at).map_err(|error| (Some(talk.rank), error))?;
        }
        if clock::now() >= deadline {
            let missing = talks.iter().find(|talk| talk.own.is_none() || talk.other.is_none());
            let detail = "it has not said yet whether it uses the fabric".to_string();
            let error = Error::Timeout { waited: clock::since(start), detail };
            return Err((missing.map(|talk| talk.rank), error));
        }
        wait(&mut opened, &talks, deadline);
    }
    conclude(opened, &talks, &mut agreed)?;
    Ok(agreed)
}

/// An open endpoint. The error is why there is none.
type Opened = Result<Fabric, String>;

fn open((library, wanted): (Option<&str>, Wanted<'_>), peers: usize, at: Option<IpAddr>) -> Opened {
    let library = Library::open(library)?;
    let offer = library.choose(wanted, at)?;
    let tags = (0..peers).map(|_| random()).collect::<Result<_, _>>()?;
    Fabric::open(offer, tags)
}

/// A number that no stranger can guess. Some fabrics carry fewer than 64 bits of a tag.
fn random() -> Result<u64, String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes: {error}"))?;
    Ok(u64::from_le_bytes(bytes) >> 16)
}

fn say_hello(opened: &mut Opened, talks: &[Talk<'_>]) -> Result<(), LinkError> {
    let address = match opened {
        Ok(fabric) => fabric.address(),
        Err(_) => Ok(Vec::new()),
    };
    let address = match address {
        Ok(address) => address,
        Err(reason) => {
            *opened = Err(reason);
            Vec::new()
        }
    };
    for (at, talk) in talks.iter().enumerate() {
        let hello = match &*opened {
            Ok(fabric) => Hello::Endpoint {
                tag: fabric.tag_of(at),
                buffer_bytes: fabric.buffer_bytes() as u32,
                provider: fabric.provider(),
                address: address.clone(),
            },
            Err(reason) => Hello::None(reason.clone()),
        };
        talk.write(&hello.encode()).map_err(|error| (Some(talk.rank), error))?;
    }
    Ok(())
}

impl Talk<'_> {
    /// Writes a few bytes, for which a new connection has room.
    fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        match self.socket.write(bytes) {
            Ok(Some(written)) if written == bytes.len() => Ok(()),
            Ok(_) => Err(Error::Internal("a new connection takes no hello".into())),
            Err(error) => Err(self.lost(&error.to_string())),
        }
    }

    fn lost(&self, how: &str) -> Error {
        let detail = format!("it ended before it had connected to all ranks: {how}");
        Error::PeerLost { rank: self.rank, detail }
    }

    /// Goes on as far as possible.
    fn advance(&mut self, opened: &mut Opened, at: usize) -> Result<(), Error> {
        if self.heard.is_none() || self.other.is_none() {
            self.read()?;
        }
        let verdict = if self.own.is_none() { self.judge(opened, at) } else { None };
        if let Some(verdict) = verdict {
            self.write(&encode_verdict(&verdict))?;
            self.own = Some(verdict);
        }
        Ok(())
    }

    /// The own verdict, once there is one. A reason of this rank's own comes before that of the peer.
    fn judge(&mut self, opened: &mut Opened, at: usize) -> Option<Verdict> {
        let rank = self.rank;
        let fabric = match (opened, self.heard.as_ref()?) {
            (Err(reason), _) => return Some(Err(reason.clone())),
            (_, Hello::None(reason)) => return Some(Err(format!("rank {rank}: {reason}"))),
            (Ok(fabric), Hello::Endpoint { provider, .. }) if *provider != fabric.provider() => {
                let own = fabric.provider();
                return Some(Err(format!("rank {rank} has provider {provider}, this rank {own}")));
            }
            (Ok(fabric), _) => fabric,
        };
        match &self.other {
            Some(Err(reason)) => Some(Err(format!("rank {rank}: {reason}"))),
            _ => self.meet(fabric, at),
        }
    }

    fn read(&mut self) -> Result<(), Error> {
        let mut bytes = [0; 64];
        while self.heard.is_none() || self.other.is_none() {
            // Nothing may be taken that comes after the verdict.
            let most = if self.heard.is_some() { 1 } else { bytes.len().min(self.missing()) };
            match self.socket.read(&mut bytes[..most]) {
                Ok(None) => return Ok(()),
                Ok(Some(0)) => return Err(self.lost("it has closed the connection")),
                Ok(Some(count)) => self.arrived.extend(&bytes[..count]),
                Err(error) => return Err(self.lost(&error.to_string())),
            }
            if self.heard.is_some() {
                self.other = decode_verdict(&self.arrived);
            } else {
                let nonsense = |text: String| Error::Bootstrap(format!("rank {}: {text}", self.rank));
                if let Some((hello, _)) = Hello::decode(&self.arrived).map_err(nonsense)? {
                    (self.heard, self.heard_at) = (Some(hello), Some(clock::now()));
                    self.arrived.clear();
                }
            }
        }
        Ok(())
    }

    /// Number of bytes that the hello certainly has beyond what has come.
    fn missing(&self) -> usize {
        Hello::least_bytes(&self.arrived).saturating_sub(self.arrived.len()).max(1)
    }

    /// Exchanges first frames. Returns the verdict, once there is one.
    fn meet(&mut self, fabric: &mut Fabric, at: usize) -> Option<Verdict> {
        let Some(Hello::Endpoint { tag, buffer_bytes, address, .. }) = &self.heard else { return None };
        if !self.is_greeted {
            if !fabric.knows(at)
                && let Err(reason) = fabric.meet(at, address, *tag, *buffer_bytes as usize)
            {
                return Some(Err(reason));
            }
            match fabric.greet(at) {
                Ok(sent) => self.is_greeted = sent,
                Err(error) => return Some(Err(error.to_string())),
            }
        }
        fabric.progress();
        match fabric.has_met(at) {
            Err(error) => return Some(Err(format!("rank {} is not reached: {error}", self.rank))),
            Ok(true) if self.is_greeted => return Some(Ok(())),
            Ok(_) => {}
        }
        let is_late = self.heard_at.is_some_and(|since| clock::since(since) > FIRST_FRAME);
        is_late.then(|| Err(format!("nothing has come from rank {}", self.rank)))
    }
}

/// Waits until something may have come.
fn wait(opened: &mut Opened, talks: &[Talk<'_>], deadline: Instant) {
    let mut set = PollSet::new();
    for talk in talks.iter().filter(|talk| talk.other.is_none()) {
        set.add(talk.socket, Interest::Read);
    }
    if let Ok(fabric) = opened {
        fabric.watch(&mut set);
    }
    // An error (out of memory) only makes this look again.
    let _ = set.wait(Some(deadline.min(clock::now() + LOOK)));
}

/// Makes the links, and the sentence for the log. An error if a pair cannot use the fabric.
fn conclude(opened: Opened, talks: &[Talk<'_>], agreed: &mut Agreed) -> Result<(), LinkError> {
    for talk in talks {
        if let Some(Err(reason)) = &talk.own {
            return Err((Some(talk.rank), unsupported(reason)));
        }
        if let Some(Err(reason)) = &talk.other {
            return Err((Some(talk.rank), unsupported(&format!("rank {}: {reason}", talk.rank))));
        }
    }
    // With this, no pair has agreed.
    let fabric = opened.map_err(|reason| (None, unsupported(&reason)))?;
    let peers = if talks.len() == 1 { "1 peer".to_string() } else { format!("{} peers", talks.len()) };
    agreed.note = Some(format!("a fabric to {peers}: {}", fabric.described()));
    let fabric = Arc::new(Mutex::new(fabric));
    for (peer, talk) in talks.iter().enumerate() {
        agreed.links[talk.rank as usize] = Some(OfiLink { fabric: Arc::clone(&fabric), peer });
    }
    Ok(())
}
