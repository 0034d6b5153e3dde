//! Is a long message fetched out of the sender's memory, where its receiver has nothing to do but wait for it?
//!
//! Where ranks have processors of their own, that depends on the machine. One way, 64 KiB take 6.1 us through areas and 4.3 fetched
//! between the cores of an Intel server, 1.4 and about 4 between those of a Zen 4 server. And who offers a message waits until
//! it is read. So the receiver has the say: after some looks in vain it tells the sender that it waits, and whether it would fetch
//! what comes. It finds that out by itself: of the messages that it has waited for, it takes the time from the first sight of
//! them to their end, some through areas, some fetched, and says what was faster.
//!
//! Both words are hints: that the receiver waits may be over when the sender sees it, and the message then waits for the receiver's next look.
//!
//! See docs/adr/0030-the-receiver-says-whether-it-fetches.md.

use super::super::cma::OFFER_BYTES;
use super::super::layout::{self, FINE_BYTES};
use super::super::protocol::Ordering;
use super::super::{Place, ShmLink};
use crate::sys::cycles;

/// Looks in vain after which the peer is told: a microsecond.
const LOOKS: u8 = 20;
/// Messages of these lengths, a class for each power of two. Shorter ones are not worth a system call; longer ones
/// do not find room in the cache of a core: both ways take as long.
const SHORTEST: usize = OFFER_BYTES;
const BELOW: usize = 1 << 20;
const CLASSES: usize = (BELOW / SHORTEST).ilog2() as usize;
/// Messages of a class from one trial to the next.
const PERIOD: u32 = 4096;
/// A trial: so many go through areas, as many are fetched, and so on: what disturbs them, disturbs both ways. The first of a
/// batch does not count.
const BATCH: u32 = 4;
const BATCHES: u32 = 6;
const TRIAL: u32 = BATCH * BATCHES;
/// Those of each way that count, and which of them in order of their times decides: who is held up finds all of a message in the areas, and is
/// done at once; others take long for all kinds of reasons.
const COUNTED: usize = ((BATCH - 1) * BATCHES / 2) as usize;
const DECIDES: usize = 2;

/// The class of messages of so many bytes.
#[inline]
fn class(bytes: usize) -> Option<usize> {
    (SHORTEST..BELOW).contains(&bytes).then(|| (bytes / SHORTEST).ilog2() as usize)
}

/// Whether the receiver that has published `fetches` would fetch a message of so many bytes.
#[inline]
pub fn would_fetch(fetches: u32, bytes: usize) -> bool {
    class(bytes).is_some_and(|class| fetches >> class & 1 != 0)
}

/// The receiver's side of one link.
#[derive(Debug, Default)]
pub struct CmaChoice {
    /// This side can read the other's memory: without that it says nothing.
    pub can_fetch: bool,
    /// In vain, since something came; no more than `LOOKS`.
    looks: u8,
    watch: Option<Watch>,
    classes: [Class; CLASSES],
}

/// A message that was waited for.
#[derive(Debug)]
struct Watch {
    is_fetched: bool,
    bytes: usize,
    began: u64,
    /// Bytes that are to be read, and of these the ones of the fragment at the head.
    left: usize,
    here: usize,
    fragments: u64,
}

/// The messages of about one length.
#[derive(Debug, Default)]
struct Class {
    seen: u32,
    /// What those of the last trial took, in cycles.
    through_areas: [u64; COUNTED],
    fetched: [u64; COUNTED],
}

impl CmaChoice {
    /// Nothing has come; whether the peer is to be told that it is waited for.
    #[inline]
    pub(in crate::transport::shm) fn look_in_vain(&mut self) -> bool {
        let is_new = self.can_fetch && self.looks < LOOKS;
        self.looks += u8::from(is_new);
        is_new && self.looks == LOOKS
    }

    /// Something has come; whether the peer had been told.
    #[inline]
    pub fn end_of_wait(&mut self) -> bool {
        std::mem::take(&mut self.looks) == LOOKS
    }

    /// A message is being watched.
    #[inline]
    pub fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// The beginning of a message that was waited for, of which `bytes` bytes are to come.
    pub fn begins(&mut self, is_fetched: bool, bytes: usize) {
        self.watch = class(bytes).map(|_| Watch {
            is_fetched,
            bytes,
            began: cycles::now(),
            left: bytes,
            here: 0,
            fragments: 0,
        });
    }

    /// `here` bytes are at the head, with which `left` bytes of a message are to come. May be said again.
    pub(in crate::transport::shm) fn is_here(&mut self, is_fetched: bool, left: usize, here: usize) {
        match &mut self.watch {
            Some(watch) if watch.is_fetched == is_fetched && watch.left == left => {
                watch.here = here.min(left)
            }
            // Of another message: the time of neither would say anything.
            watch => *watch = None,
        }
    }

    /// What was at the head has been read. The lengths that would be fetched, when the message is over.
    pub fn was_read(&mut self) -> Option<u32> {
        let watch = self.watch.as_mut()?;
        watch.left -= std::mem::take(&mut watch.here);
        watch.fragments += 1;
        if watch.left > 0 {
            return None;
        }
        let Watch { is_fetched, bytes, began, fragments, .. } = *watch;
        self.watch = None;
        self.took(is_fetched, bytes, cycles::now().saturating_sub(began), fragments);
        Some(self.fetches())
    }

    fn took(&mut self, is_fetched: bool, bytes: usize, cycles: u64, fragments: u64) {
        let Some(class) = class(bytes) else { return };
        let class = &mut self.classes[class];
        // While the first fragment was filled, it was not to be seen; that took about as long as each of the others.
        let cycles = if is_fetched { cycles } else { cycles + cycles / fragments.max(1) };
        class.note(is_fetched, cycles);
    }

    /// A bit for each class.
    fn fetches(&self) -> u32 {
        let bits = (0..).zip(&self.classes).map(|(at, class)| u32::from(class.is_fetched()) << at);
        bits.sum()
    }
}

impl Class {
    /// Whether the next message is to be fetched: in every other batch of a trial, and after it if that was faster by a sixteenth.
    fn is_fetched(&self) -> bool {
        let typical = |mut times: [u64; COUNTED]| {
            times.sort_unstable();
            times[DECIDES]
        };
        match self.seen {
            0..TRIAL => self.seen / BATCH % 2 == 1,
            _ => typical(self.fetched) < typical(self.through_areas) / 16 * 15,
        }
    }

    fn note(&mut self, is_fetched: bool, cycles: u64) {
        if self.seen < TRIAL {
            if is_fetched != self.is_fetched() {
                // The sender had not seen yet what is wanted, or cannot do it.
                return;
            }
            let times = if is_fetched { &mut self.fetched } else { &mut self.through_areas };
            if let Some(at) = (self.seen % BATCH).checked_sub(1) {
                times[(self.seen / BATCH / 2 * (BATCH - 1) + at) as usize] = cycles;
            }
        }
        self.seen = (self.seen + 1) % PERIOD;
    }
}

impl ShmLink {
    /// Nothing has come.
    #[inline]
    pub(in crate::transport::shm) fn look_in_vain(&mut self) {
        // Who shares our core offers its messages anyway.
        if !self.is_oversubscribed && self.awaited.look_in_vain() {
            self.word32(layout::awaits(self.side)).store(1, Ordering::Relaxed);
        }
    }

    /// So many bytes are at the head, of which the control line is at `line`.
    #[inline]
    pub(in crate::transport::shm) fn is_here(&mut self, line: usize, place: &Place, bytes: usize) {
        let has_waited = self.awaited.end_of_wait();
        if has_waited || self.awaited.is_watching() {
            self.watch(has_waited, line, place, bytes);
        }
    }

    #[cold]
    fn watch(&mut self, has_waited: bool, line: usize, place: &Place, bytes: usize) {
        // Whatever a peer writes there: it says how long to watch, and no more.
        let (is_fetched, left) = match place {
            Place::Slot(_) if bytes < FINE_BYTES => (false, bytes),
            Place::Slot(_) => (false, self.word64(line + 40).load(Ordering::Relaxed) as usize),
            Place::Offered(_) => (true, bytes),
            Place::Lent(_) => (true, usize::MAX),
        };
        if has_waited {
            self.word32(layout::awaits(self.side)).store(0, Ordering::Relaxed);
            self.awaited.begins(is_fetched, left);
        }
        self.awaited.is_here(is_fetched, left, bytes);
    }

    /// A fragment of a message that is watched has been read.
    #[cold]
    pub(in crate::transport::shm) fn watch_its_end(&mut self) {
        let Some(fetches) = self.awaited.was_read() else { return };
        let word = self.word32(layout::fetches(self.side));
        // The peer reads it often, from its own cache if it is left alone.
        if word.load(Ordering::Relaxed) != fetches {
            word.store(fetches, Ordering::Relaxed);
        }
    }

    /// Whether the peer waits for a message of so many bytes, or did a moment ago, and would rather fetch it.
    #[inline]
    pub fn is_awaited(&self, bytes: usize) -> bool {
        let said = |word| self.word32(word).load(Ordering::Relaxed);
        bytes >= OFFER_BYTES
            && would_fetch(said(layout::fetches(1 - self.side)), bytes)
            && said(layout::awaits(1 - self.side)) != 0
            && !self.is_oversubscribed
            && self.offer.is_none()
            && self.is_readable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_class_for_each_power_of_two() {
        assert_eq!([SHORTEST - 1, BELOW].map(class), [None, None]);
        assert_eq!([SHORTEST, 2 * SHORTEST - 1, 2 * SHORTEST].map(class), [Some(0), Some(0), Some(1)]);
        assert_eq!(class(BELOW - 1), Some(CLASSES - 1));
        assert!(would_fetch(0b10, 2 * SHORTEST) && !would_fetch(0b10, SHORTEST) && !would_fetch(!0, 1));
    }

    #[test]
    fn the_peer_is_told_once_after_some_looks_in_vain_and_again_after_a_message() {
        let mut awaited = CmaChoice { can_fetch: true, ..CmaChoice::default() };
        for _ in 0..3 {
            let told: Vec<u8> = (1..=200).filter(|_| awaited.look_in_vain()).collect();
            assert_eq!(told, [LOOKS]);
            assert!(awaited.end_of_wait() && !awaited.end_of_wait());
        }
        assert!(!awaited.look_in_vain() && !awaited.end_of_wait());
        let mut unable = CmaChoice::default();
        assert!((0..=200).all(|_| !unable.look_in_vain()) && !unable.end_of_wait());
    }

    #[test]
    fn both_ways_are_tried_then_the_faster_one_is_taken_until_the_next_trial() {
        for (areas, fetched, better) in [(1000, 900, true), (1000, 960, false), (1000, 4000, false)] {
            let mut awaited = CmaChoice::default();
            for period in 0..3 {
                for seen in 0..PERIOD {
                    let expected = if seen < TRIAL { seen / BATCH % 2 == 1 } else { better };
                    let now = would_fetch(awaited.fetches(), 3 * SHORTEST);
                    assert_eq!(now, expected, "{areas} {fetched}: {seen} of period {period}");
                    // Eight fragments, of which the first took an eighth of the time and was not seen.
                    let took = if now { fetched } else { areas * 8 / 9 };
                    // One in five is held up, another one finds all of its message.
                    let took = [took, took, took + 10_000, 1, took][seen as usize % 5];
                    awaited.took(now, 3 * SHORTEST, took, 8);
                    // Who has not heard yet how it should be does not count.
                    if seen + 1 < TRIAL {
                        awaited.took(!would_fetch(awaited.fetches(), 3 * SHORTEST), 3 * SHORTEST, 1, 8);
                    }
                }
            }
            assert!(!would_fetch(awaited.fetches(), SHORTEST), "nothing is known of other lengths");
        }
    }

    #[test]
    fn a_message_is_over_when_all_its_fragments_were_read() {
        let mut awaited = CmaChoice::default();
        awaited.begins(false, 80_000);
        for (left, over) in [(80_000, false), (50_000, false), (20_000, true)] {
            awaited.is_here(false, left, 30_000);
            awaited.is_here(false, left, 30_000);
            assert_eq!(awaited.was_read().is_some(), over, "{left}");
        }
        assert_eq!(awaited.classes[class(80_000).unwrap()].seen, 1);
        assert!(!awaited.is_watching() && awaited.was_read().is_none());
    }

    #[test]
    fn what_is_no_part_of_the_message_ends_the_watch_of_it() {
        for (is_fetched, left) in [(false, 70_000), (true, 50_000), (false, usize::MAX)] {
            let mut awaited = CmaChoice::default();
            awaited.begins(false, 80_000);
            awaited.is_here(false, 80_000, 30_000);
            assert_eq!(awaited.was_read(), None);
            awaited.is_here(is_fetched, left, 30_000);
            assert!(!awaited.is_watching());
        }
        let mut awaited = CmaChoice::default();
        awaited.begins(false, BELOW);
        assert!(!awaited.is_watching());
    }
}
