//! What a thread waits for, and over which links: written by the thread, and read by other processes.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::Duration;

use super::layout::{NO_CALL, PEERS, PeerWords, READS, USED, WRITES, WaitWords};
use super::lease::Lease;
use crate::base::Rank;
use crate::sys::clock;

/// The link to a peer, as a wait has found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerLink<T = String> {
    /// Rank of the peer in the communicator.
    pub peer: Rank,
    /// Whether the wait is for data of the peer.
    pub reads: bool,
    /// Whether the wait is for room in the link to the peer.
    pub writes: bool,
    /// Name of the transport.
    pub transport: T,
    /// Bytes that were given to the network for the peer; 0 if the link is no network.
    pub sent: u64,
    /// Bytes that have come from it.
    pub received: u64,
}

/// A wait of a [`super::Snapshot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitSnapshot {
    /// Number of the communicator.
    pub context: u32,
    /// Number of the call; none for a message.
    pub call: Option<u32>,
    /// How long nothing has moved.
    pub silence: Duration,
    /// What is waited for.
    pub text: String,
    /// Links to other ranks, first those for which the wait is.
    pub links: Vec<PeerLink>,
}

/// The place of a wait, which is free again when this is dropped.
#[derive(Debug)]
pub struct WaitSlot {
    words: &'static WaitWords,
    page: Arc<Lease>,
    /// The links, as they were shown last.
    shown: RefCell<Vec<PeerLink<&'static str>>>,
}

impl WaitSlot {
    pub(super) fn new(words: &'static WaitWords, page: Arc<Lease>) -> WaitSlot {
        WaitSlot { words, page, shown: RefCell::default() }
    }

    /// Says what is waited for, and that nothing has moved for `silence`. `number`: of a collective call.
    pub fn describe(&self, context: u32, number: Option<u32>, silence: Duration, text: &str) {
        self.write(|words| {
            let since = clock::monotonic_nanoseconds().saturating_sub(silence.as_nanos() as u64).max(1);
            words.context.store(u64::from(context), Ordering::Relaxed);
            words.number.store(number.map_or(NO_CALL, u64::from), Ordering::Relaxed);
            words.text.write(text);
            words.since.store(since, Ordering::Relaxed);
        });
    }

    /// Says how the links are: as many as have a place. Nothing is written if nothing has changed, because a
    /// reader must find the words unchanged when it looks again.
    pub fn show_links(&self, links: &[PeerLink<&'static str>]) {
        if self.shown.borrow()[..] == *links {
            return;
        }
        links.clone_into(&mut self.shown.borrow_mut());
        self.write(|words| {
            let mut places = words.peers.iter();
            for (link, place) in links.iter().zip(places.by_ref()) {
                let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
                let flags = USED | flag(link.reads, READS) | flag(link.writes, WRITES);
                place.transport.write(link.transport);
                place.moved[0].store(link.sent, Ordering::Relaxed);
                place.moved[1].store(link.received, Ordering::Relaxed);
                place.peer.store(u64::from(link.peer) | flags, Ordering::Relaxed);
            }
            places.for_each(|place| place.peer.store(0, Ordering::Relaxed));
        });
    }

    /// Number of links that have a place.
    pub const MOST_LINKS: usize = PEERS;

    fn write(&self, write: impl FnOnce(&WaitWords)) {
        let words = self.words;
        // The version changes before and after, by which a reader knows that it has read half of the words.
        let before = words.version.load(Ordering::Relaxed);
        words.version.store(before.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        write(words);
        words.version.store(before.wrapping_add(2), Ordering::Release);
    }
}

impl Drop for WaitSlot {
    fn drop(&mut self) {
        if self.page.is_here() {
            // Release: the next owner of the place writes after this.
            self.words.since.store(0, Ordering::Release);
        }
    }
}

/// A wait, unless its place is free or was just being written.
pub(super) fn read(words: &WaitWords, read_at: u64) -> Option<WaitSnapshot> {
    let of = |word: &AtomicU64| word.load(Ordering::Relaxed);
    let since = of(&words.since);
    if since == 0 || of(&words.version) % 2 == 1 {
        return None;
    }
    let number = of(&words.number);
    let link = |words: &PeerWords| {
        let peer = of(&words.peer);
        (peer & USED != 0).then(|| PeerLink {
            peer: peer as u32,
            reads: peer & READS != 0,
            writes: peer & WRITES != 0,
            transport: words.transport.read(),
            sent: of(&words.moved[0]),
            received: of(&words.moved[1]),
        })
    };
    Some(WaitSnapshot {
        context: of(&words.context) as u32,
        call: (number != NO_CALL).then_some(number as u32),
        silence: Duration::from_nanos(read_at.saturating_sub(since)),
        text: words.text.read(),
        links: words.peers.iter().filter_map(link).collect(),
    })
}
