//! The endpoint of a rank, which all its links over the fabric share.
//!
//! One tagged receive is posted for each buffer that a peer may fill. Its tag is a number that this rank has
//! given to that peer, over a connection on which both have proved the key of the job. So the tag says whose
//! frame it is, and frames of strangers meet no receive.
//!
//! Whoever asks a link for something takes out the completions of all. The links lock the endpoint for that.

mod completions;

use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use super::super::Header;
use super::frame::{Frame, HEAD_BYTES, encode};
use super::library::Offer;
use super::objects::{LOOK, Objects};
use super::peer::Peer;
use super::pool::Pool;
use super::recv::{BUFFERS, Fragment, WINDOW};
use crate::base::Error;
use crate::sys::interval_timer::IntervalTimer;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::wake::Wake;

/// Buffers from which a rank sends to one peer: one of them for notices.
const SENDS: usize = WINDOW as usize + 1;
/// Most and least bytes of a buffer, and of all.
const MOST_BYTES: usize = 64 << 10;
const LEAST_BYTES: usize = 4 << 10;
const ALL_BYTES: usize = 128 << 20;
/// How often a sleeper looks whom the fabric cannot wake.
const LOOK_EVERY: Duration = Duration::from_micros(500);

/// An endpoint and its peers.
pub(super) struct Fabric {
    objects: Objects,
    pool: Pool,
    peers: Vec<Peer>,
    /// The tag of frames from each peer.
    tags: Vec<u64>,
    /// Number of buffers for receives, which are the first of all: so many for each peer in turn.
    receives: usize,
    /// Buffers whose receive could not be posted yet.
    unposted: Vec<usize>,
    /// Peers that should hear how much is read.
    owed: Vec<usize>,
    /// Why nothing works any more.
    broken: Option<String>,
    /// Whether threads of this rank sleep, or are about to.
    is_watched: bool,
    /// A descriptor that is always ready.
    ready: Wake,
    /// Wakes a sleeper whom the fabric cannot wake.
    timer: Option<IntervalTimer>,
}

impl Fabric {
    /// Opens an endpoint for peers whose frames come under these tags, and posts its receives.
    pub fn open(mut offer: Offer, tags: Vec<u64>) -> Result<Fabric, String> {
        let peers = tags.len();
        let receives = peers * BUFFERS;
        let count = receives + peers * SENDS;
        let share = ALL_BYTES / count.max(1);
        let bytes = share.clamp(LEAST_BYTES, MOST_BYTES).min(offer.most_bytes()) & !63;
        if bytes < LEAST_BYTES {
            return Err(format!("provider {} has too short messages", offer.provider()));
        }
        offer.ask_for_queues(receives, peers * SENDS);
        let no_memory = |error: io::Error| format!("no buffers: {error}");
        let pool = Pool::new(count, bytes).map_err(no_memory)?;
        let ready = Wake::new().map_err(no_memory)?;
        ready.ring();
        let mut objects = Objects::open(offer, peers, count + LOOK)?;
        let timer = objects.wait_descriptor().is_none().then(|| IntervalTimer::new(LOOK_EVERY));
        let timer = timer.transpose().map_err(|error| format!("no timer: {error}"))?;
        let (start, all) = pool.memory();
        // SAFETY: the pool is dropped after the objects.
        unsafe { objects.register(start, all) }?;
        let peer = |at: usize| {
            let first = receives + at * SENDS;
            Peer::new(first..first + SENDS)
        };
        let peers = (0..peers).map(peer).collect::<io::Result<_>>().map_err(no_memory)?;
        let mut fabric = Fabric {
            objects,
            pool,
            peers,
            tags,
            receives,
            unposted: (0..receives).rev().collect(),
            owed: Vec::new(),
            broken: None,
            is_watched: false,
            ready,
            timer,
        };
        fabric.post_receives();
        match fabric.broken.take() {
            Some(reason) => Err(reason),
            None if !fabric.unposted.is_empty() => {
                Err(format!("{} receives are more than it takes", fabric.receives))
            }
            None => Ok(fabric),
        }
    }

    /// The address of the endpoint.
    pub fn address(&self) -> Result<Vec<u8>, String> {
        self.objects.address()
    }

    /// Length of the buffers that frames of peers must fit in.
    pub fn buffer_bytes(&self) -> usize {
        self.pool.bytes()
    }

    /// Provider and domain.
    pub fn described(&self) -> String {
        let offer = self.objects.offer();
        format!("provider {}, domain {}", offer.provider(), offer.domain())
    }

    pub fn provider(&self) -> String {
        self.objects.offer().provider()
    }

    /// The tag under which the frames of a peer come.
    pub fn tag_of(&self, peer: usize) -> u64 {
        self.tags[peer]
    }

    /// Enters the address of a peer, the tag of frames for it, and the length of its buffers.
    pub fn meet(&mut self, peer: usize, address: &[u8], tag: u64, bytes: usize) -> Result<(), String> {
        let handle = self.objects.insert(address)?;
        let payload = self.pool.bytes().min(bytes) - HEAD_BYTES;
        self.peers[peer].to = Some((handle, tag));
        self.peers[peer].most = payload & !(super::super::FRAGMENT_GRAIN - 1);
        Ok(())
    }

    /// Whether the address of a peer is entered.
    pub fn knows(&self, peer: usize) -> bool {
        self.peers[peer].to.is_some()
    }

    /// Sends a peer its first frame, which has no payload. Returns whether there was room.
    pub fn greet(&mut self, peer: usize) -> io::Result<bool> {
        self.send_notice(peer)
    }

    /// Whether the first frame of a peer has come, and it has those for it. The error is that of the link.
    pub fn has_met(&self, peer: usize) -> io::Result<bool> {
        self.check(peer)?;
        Ok(self.peers[peer].has_come && !self.peers[peer].send.is_busy())
    }

    /// The error of a link that has failed.
    pub fn check(&self, peer: usize) -> io::Result<()> {
        if let Some(text) = &self.broken {
            return Err(io::Error::other(text.clone()));
        }
        self.peers[peer].check()
    }

    fn send_notices(&mut self) {
        for peer in std::mem::take(&mut self.owed) {
            let is_owed = self.peers[peer].recv.owes_notice();
            if is_owed && !matches!(self.send_notice(peer), Ok(true) | Err(_)) {
                self.owed.push(peer);
            }
        }
    }

    fn send_notice(&mut self, at: usize) -> io::Result<bool> {
        let Some(buffer) = self.peers[at].send.spare() else { return Ok(false) };
        let frame = Frame { read: self.peers[at].recv.read(), fragment: None };
        self.post(at, buffer, &frame, 0)
    }

    /// Sends a free buffer, with a frame whose payload is there already. Returns whether there was room.
    fn post(&mut self, at: usize, buffer: usize, frame: &Frame, payload: usize) -> io::Result<bool> {
        let peer = &mut self.peers[at];
        let Some(to) = peer.to else { return Ok(false) };
        let (start, context) = (self.pool.buffer(buffer), self.pool.context(buffer));
        let head = encode(frame, payload);
        // SAFETY: a buffer is longer than a head, and nobody else uses this one.
        unsafe { std::ptr::copy_nonoverlapping(head.as_ptr(), start, HEAD_BYTES) };
        let bytes = HEAD_BYTES + payload;
        // SAFETY: the buffer and its record outlive the endpoint; it is no longer free from now on.
        let sent = unsafe { self.objects.send(start, bytes, to, context) };
        match sent {
            Ok(true) => {
                peer.send.note_sent(bytes, frame.fragment.is_some());
                peer.recv.note_reported(frame.read);
                Ok(true)
            }
            Ok(false) => {
                // What makes room need not concern this peer, so nobody may sleep for that.
                peer.note_event(false, false);
                Ok(false)
            }
            Err(text) => {
                self.fail(at, ErrorKind::ConnectionReset, &text);
                self.check(at).map(|()| false)
            }
        }
    }

    /// See [`super::super::Link::send`].
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes.
    pub unsafe fn send(
        &mut self,
        at: usize,
        header: &Header,
        data: *const u8,
        bytes: usize,
    ) -> io::Result<Option<usize>> {
        self.peers[at].note_look(false);
        self.check(at)?;
        if let Some(held) = self.peers[at].send.held(header) {
            if held.is_none() {
                self.progress();
                self.check(at)?;
                return Ok(self.peers[at].send.held(header).flatten());
            }
            return Ok(held);
        }
        if self.peers[at].send.next().is_none() {
            self.progress();
            self.check(at)?;
        }
        let Some((number, buffer)) = self.peers[at].send.next() else { return Ok(None) };
        let payload = bytes.min(self.peers[at].most);
        let target = self.pool.buffer(buffer).wrapping_add(HEAD_BYTES);
        // SAFETY: the caller vouches for `data`; the buffer is free, and has room for the payload behind the
        // head.
        unsafe { std::ptr::copy_nonoverlapping(data, target, payload) };
        let frame = Frame { read: self.peers[at].recv.read(), fragment: Some((number, *header)) };
        if !self.post(at, buffer, &frame, payload)? {
            self.progress();
            return Ok(None);
        }
        if payload < bytes {
            return Ok(Some(payload));
        }
        self.peers[at].send.hold(header, payload);
        self.progress();
        self.check(at)?;
        Ok(self.peers[at].send.held(header).flatten())
    }

    /// Notes that a message will not be offered again.
    pub fn forget(&mut self, at: usize, header: &Header) {
        self.peers[at].send.forget(header);
    }

    /// The fragment at the head of a link, with a look at the completions if there is none.
    pub fn head(&mut self, at: usize) -> io::Result<Option<Fragment>> {
        if self.peers[at].recv.head().is_none() {
            self.progress();
        }
        self.peers[at].note_look(true);
        match self.peers[at].recv.head() {
            Some(fragment) => Ok(Some(*fragment)),
            None => self.check(at).map(|()| None),
        }
    }

    /// Start of the bytes of a fragment that are not read.
    pub fn bytes_of(&self, fragment: &Fragment) -> *const u8 {
        self.pool.buffer(fragment.buffer).wrapping_add(fragment.at)
    }

    /// Drops bytes of the fragment at the head of a link.
    pub fn consume(&mut self, at: usize, bytes: usize) {
        let Some(buffer) = self.peers[at].recv.consume(bytes) else { return };
        self.unposted.push(buffer);
        self.post_receives();
        if self.peers[at].recv.owes_notice() {
            if !self.owed.contains(&at) {
                self.owed.push(at);
            }
            self.send_notices();
        }
    }

    pub fn has_head(&self, at: usize) -> bool {
        self.peers[at].recv.head().is_some()
    }

    pub fn sent(&self, at: usize) -> u64 {
        self.peers[at].send.sent()
    }

    pub fn received(&self, at: usize) -> u64 {
        self.peers[at].recv.received()
    }

    /// Whether something is on its way to a peer that the fabric may only send when it is asked.
    pub fn is_sending(&self, at: usize) -> bool {
        self.peers[at].send.is_busy() || self.owed.contains(&at)
    }

    /// The descriptor that is ready when something may have come. A sleeper must use [`Fabric::watch`].
    pub fn descriptor(&self) -> RawFd {
        let timer = || self.timer.as_ref().unwrap_or_else(|| unreachable!("one of both")).as_raw_fd();
        self.objects.wait_descriptor().unwrap_or_else(timer)
    }

    /// Notes whether threads of this rank sleep.
    pub fn set_watched(&mut self, is_watched: bool) {
        self.is_watched = is_watched;
    }

    /// Adds the descriptors on which a sleeper waits for a link. One that is ready stands for them where the
    /// link should look at once.
    pub fn watch_link(&mut self, at: usize, interest: Interest, set: &mut PollSet) {
        self.watch(set);
        // What comes while other links are watched must ring as well.
        self.is_watched = true;
        let peer = &self.peers[at];
        if interest != Interest::Hangup {
            set.add(if peer.must_look(interest) { &self.ready } else { &peer.doorbell }, Interest::Read);
        }
    }

    /// Whether a notice or a receive waits for room in the fabric, which may come without a completion.
    fn is_short_of_room(&self) -> bool {
        !self.owed.is_empty() || !self.unposted.is_empty()
    }

    /// Adds the descriptor on which a sleeper waits for completions. One that is ready stands for it where
    /// the fabric wants to be asked again.
    pub fn watch(&mut self, set: &mut PollSet) {
        self.progress();
        let descriptor = match &self.timer {
            Some(timer) => {
                timer.clear();
                timer.as_raw_fd()
            }
            None if self.broken.is_none() && !self.is_short_of_room() && self.objects.may_wait() => {
                self.descriptor()
            }
            None => self.ready.as_raw_fd(),
        };
        set.add(&descriptor, Interest::Read);
    }
}

impl Drop for Fabric {
    fn drop(&mut self) {
        if !self.objects.close() {
            self.pool.leak();
        }
    }
}

/// The error of a rank that may not do without the fabric.
pub(super) fn unsupported(reason: &str) -> Error {
    Error::Unsupported(format!("ANYCCL_TRANSPORT=ofi, but {reason}"))
}
