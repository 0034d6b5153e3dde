//! The flight recorder: the last operations of an engine, in rings of its page: one of collective calls, and
//! one of messages, of which there are often more.
//!
//! Each operation has a cache line. It is written when the operation begins. When it ends, or has moved its
//! first byte, one more word is written, unless the ring has come round. A page outlives its process while
//! another rank of the host holds it ([`super::HeldPages`]).
//!
//! The number of an operation is written last, and is zero meanwhile. So a reader takes no words of two
//! operations for one, if it also finds them unchanged when it looks again.
//!
//! Times are those of [`Ticks`]. A call on the fast path takes some tens of microseconds at most, or leaves
//! that path. So it is written down as ended when it begins ([`ShownEnd`]), and its end is given as its
//! begin. It costs the recorder one read of the time stamp counter and ten stores, and no system call.
//!
//! A message on the fast path is written down in the same way: after it was sent, or before the receiver
//! looks for it. So nobody waits for the recorder. Other messages end when the program learns that they have.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::layout::{ANY_RANK, KEPT, OperationWords, SENDS, halves};
use crate::base::{Call, CallKind, Rank};
use crate::sys::ticks::{Scale, Ticks};

/// What is written of the end of an operation when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum ShownEnd {
    /// Nothing: there will be a time.
    Open = 0,
    /// Its end, though it has just begun: it ends within some tens of microseconds, or is opened again.
    Soon = 1,
}

/// Set in the end of an operation that has failed.
const FAILED: u64 = 1 << 63;

/// Writes operations. Only the thread that has locked the engine calls it.
#[derive(Debug)]
pub(super) struct Recorder {
    words: &'static [OperationWords; KEPT],
    ticks: Ticks,
    /// Number of the last operation. Not in the page, because others may write there.
    latest: AtomicU64,
}

impl Recorder {
    /// Begins to write to a page that was just taken. `is_fresh`: nobody has had it before, and it should
    /// take no memory until there are operations.
    pub fn new(words: &'static [OperationWords; KEPT], ticks: Ticks, is_fresh: bool) -> Recorder {
        let old = words.iter().filter(|_| !is_fresh);
        old.for_each(|words| words.number.store(0, Ordering::Relaxed));
        Recorder { words, ticks, latest: AtomicU64::new(0) }
    }

    /// Notes that a call begins: `place` of its words, and the packed call.
    #[inline(always)]
    pub fn begin(&self, place: u64, call: &[u64; 2], end: ShownEnd) {
        match self.ticks {
            Ticks::Counter => self.begin_at(Ticks::Counter.now(), place, call, None, end),
            Ticks::Coarse => self.begin_by_coarse_clock(place, call, None, end),
        }
    }

    /// Notes that a message begins, as `begin` does.
    #[inline(always)]
    pub fn begin_message(&self, place: u64, call: &[u64; 2], side: MessageSide, end: ShownEnd) {
        let peer = Some(side.to_word());
        match self.ticks {
            Ticks::Counter => self.begin_at(Ticks::Counter.now(), place, call, peer, end),
            Ticks::Coarse => self.begin_by_coarse_clock(place, call, peer, end),
        }
    }

    // Apart from the other, which would save registers for the sake of this one's call.
    #[cold]
    #[inline(never)]
    fn begin_by_coarse_clock(&self, place: u64, call: &[u64; 2], peer: Option<u64>, end: ShownEnd) {
        self.begin_at(Ticks::Coarse.now(), place, call, peer, end);
    }

    #[inline(always)]
    fn begin_at(&self, time: u64, place: u64, call: &[u64; 2], peer: Option<u64>, end: ShownEnd) {
        let latest = self.latest.load(Ordering::Relaxed) + 1;
        self.latest.store(latest, Ordering::Relaxed);
        let words = self.at(latest);
        words.number.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        words.begin.store(time, Ordering::Relaxed);
        words.end.store(end as u64, Ordering::Relaxed);
        words.place.store(place, Ordering::Relaxed);
        words.call[0].store(call[0], Ordering::Relaxed);
        words.call[1].store(call[1], Ordering::Relaxed);
        if let Some(peer) = peer {
            words.peer.store(peer, Ordering::Relaxed);
        }
        words.number.store(latest, Ordering::Release);
    }

    #[inline(always)]
    fn at(&self, number: u64) -> &OperationWords {
        &self.words[number as usize % KEPT]
    }

    /// Number of the operation that began last.
    #[inline(always)]
    pub fn latest(&self) -> u64 {
        self.latest.load(Ordering::Relaxed)
    }

    /// Notes that the operation which began last is still under way.
    pub fn reopen_latest(&self) {
        self.at(self.latest()).end.store(ShownEnd::Open as u64, Ordering::Relaxed);
    }

    /// Takes the operation back that began last: nothing has come of it.
    pub fn retract_latest(&self) {
        let latest = self.latest();
        self.at(latest).number.store(0, Ordering::Relaxed);
        self.latest.store(latest - 1, Ordering::Relaxed);
    }

    /// Notes which message a receive has got.
    pub fn note_message(&self, number: u64, call: &[u64; 2], side: MessageSide) {
        if self.is_kept(number) {
            let words = self.at(number);
            words.call[0].store(call[0], Ordering::Relaxed);
            words.call[1].store(call[1], Ordering::Relaxed);
            words.peer.store(side.to_word(), Ordering::Relaxed);
        }
    }

    /// Notes that an operation has moved its first byte.
    pub fn note_moved(&self, number: u64) {
        if self.is_kept(number) {
            self.at(number).moved.store(self.ticks.now(), Ordering::Relaxed);
        }
    }

    /// Notes that an operation has ended.
    pub fn end(&self, number: u64, has_failed: bool) {
        if self.is_kept(number) {
            let flag = if has_failed { FAILED } else { 0 };
            self.at(number).end.store(self.ticks.now() | flag, Ordering::Relaxed);
        }
    }

    /// Whether the ring still has the operation.
    fn is_kept(&self, number: u64) -> bool {
        number != 0 && self.latest() - number < KEPT as u64
    }
}

/// A side of a message, and who is at the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSide {
    /// Whether this rank sends.
    pub is_send: bool,
    /// The other rank in the communicator; `None`: any.
    pub peer: Option<Rank>,
}

impl MessageSide {
    fn to_word(self) -> u64 {
        u64::from(self.peer.unwrap_or(ANY_RANK)) | if self.is_send { SENDS } else { 0 }
    }

    fn of_word(word: u64) -> MessageSide {
        let peer = Some(word as u32).filter(|peer| *peer != ANY_RANK);
        MessageSide { is_send: word & SENDS != 0, peer }
    }
}

/// An operation of a [`super::Snapshot`]. Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSnapshot {
    /// Its number among the collective calls, or the messages, of its engine. It begins at 1.
    pub number: u64,
    /// Context of the communicator.
    pub context: u32,
    /// Number of the call in the communicator.
    pub call_number: u32,
    /// The call. Of a message, its count and tag; of a receive that has got none, what it accepts.
    pub call: Call,
    /// Which side of a message it is, if it is one.
    pub side: Option<MessageSide>,
    /// When it began; not known if the clocks of the page make no sense.
    pub began: Option<u64>,
    /// When its first byte moved, if that is known.
    pub moved: Option<u64>,
    /// When it ended, if it has; its begin, if it took some tens of microseconds at most.
    pub ended: Option<u64>,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Whether it has failed.
    pub has_failed: bool,
}

/// Takes the operations out of a copy of a ring that an earlier copy has not alike: they were being written.
pub(super) fn keep_what_is_in(before: &[OperationWords; KEPT], copy: &[OperationWords; KEPT]) {
    for (_, other) in before.iter().zip(copy).filter(|(one, other)| one.head() != other.head()) {
        other.number.store(0, Ordering::Relaxed);
    }
}

/// The operations of a ring, in their order.
pub(super) fn read(ring: &[OperationWords; KEPT], scale: &Scale) -> Vec<OperationSnapshot> {
    let mut found: Vec<_> = ring.iter().enumerate().filter_map(|(at, one)| one.read(at, scale)).collect();
    found.sort_by_key(|operation| operation.number);
    // Numbers of a page that its engine has not written may be anything.
    found.dedup_by_key(|operation| operation.number);
    found
}

fn of(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

impl OperationWords {
    /// What stays the same while an operation has the place.
    fn head(&self) -> [u64; 6] {
        let OperationWords { number, begin, place, call, peer, .. } = self;
        [number, begin, place, &call[0], &call[1], peer].map(of)
    }

    /// The operation of place `at`, unless the place is free.
    fn read(&self, at: usize, scale: &Scale) -> Option<OperationSnapshot> {
        let number = of(&self.number);
        if number == 0 || number as usize % KEPT != at {
            return None;
        }
        let (context, call_number) = halves(of(&self.place));
        let (moved, end) = (of(&self.moved), of(&self.end));
        let call = Call::unpack([of(&self.call[0]), of(&self.call[1])])?;
        let began = scale.nanoseconds(of(&self.begin));
        Some(OperationSnapshot {
            number,
            context,
            call_number,
            call,
            side: (call.kind == CallKind::Transfer).then(|| MessageSide::of_word(of(&self.peer))),
            began,
            moved: scale.nanoseconds(moved).filter(|_| moved != 0 && moved >= of(&self.begin)),
            ended: if end == ShownEnd::Soon as u64 {
                began
            } else {
                scale.nanoseconds(end & !FAILED).filter(|_| end != 0)
            },
            has_ended: end != 0,
            has_failed: end & FAILED != 0,
        })
    }
}
