//! `shm`: two ranks of one host, through memory that both map.
//!
//! The memory is a sealed `memfd`, passed over the pair's Unix socket: no name in any file system,
//! nothing left behind by kill -9. Each direction is a ring of slots (`layout`, `protocol`); what is longer than a few bytes lies in
//! areas that go from hand to hand (`pool`). The receiver reads, and reduces, straight out of them. Large messages are read out of the sender's memory instead,
//! where the kernel permits it (`cma`, `adapt::cma_choice`) or the memory is of a kind that both can see (`zero_copy`).
//!
//! What the peer writes is foreign: each field is loaded once, then checked; payload is handed on as a raw
//! pointer, never as a reference.

mod adapt;
mod cma;
mod connect;
mod fast_path;
mod layout;
mod pool;
mod protocol;
mod zero_copy;

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::Ordering;

use self::adapt::cache_distance::CacheDistance;
use self::adapt::cma_choice::CmaChoice;
use self::adapt::store_mode::StoreMode;
use self::cma::{CmaReader, CmaWords, OFFER_BYTES, Offer};
use self::layout::{Extent, FINE_BYTES, INLINE_BYTES};
use self::pool::BouncePool;
use self::protocol::{AtomicU32, AtomicU64, Consumer, Producer, fence};
use self::zero_copy::{Arenas, PIECE_BYTES};
use super::{Arrival, CANCELLED, Header, Link, SingleCopy, garbage};
use crate::sys::memory_copy::{CopyMode, copy_from_shared, copy_to_shared};
use crate::sys::shared_memory::SharedMemory;

pub use connect::{Offered, Settings, accept, offer};
pub use fast_path::{FragmentSize, Peek};
pub use layout::FRAGMENT_BYTES;
pub use zero_copy::ZERO_COPY_BYTES;

/// How often areas are settled until the distance is sampled again.
const SETTLED_PER_SAMPLE: u32 = 8;

/// The fragment at the head of the incoming ring.
#[derive(Clone, Copy)]
struct Head {
    header: Header,
    place: Place,
    bytes: usize,
    consumed: usize,
}

/// Where a fragment is.
#[derive(Clone, Copy)]
enum Place {
    /// In our shared memory.
    Slot(*const u8),
    /// At this address of the peer.
    Offered(u64),
    /// In the peer's arena, which is mapped here.
    Lent(*const u8),
}

/// A link through shared memory.
pub struct ShmLink {
    memory: SharedMemory,
    /// Of each ring.
    slots: usize,
    /// 0: the lower rank of the pair, 1: the higher.
    side: usize,
    /// Start of the ring that we fill.
    outgoing: usize,
    /// Start of the ring that the peer fills.
    incoming: usize,
    producer: Producer,
    consumer: Consumer,
    head: Option<Head>,
    /// Area of the fragment at the head, once it was looked at.
    head_area: Option<u16>,
    areas: BouncePool,
    /// How often the areas were settled.
    settled: u32,
    /// Something was published or released since the last look at the peer's sleeping flag.
    is_doorbell_due: bool,
    distance: CacheDistance,
    stores: StoreMode,
    /// Ranks share processors.
    is_oversubscribed: bool,
    /// The message that the peer is reading out of our memory.
    offer: Option<Offer>,
    /// Bytes of our offers that are accounted for.
    offered: u64,
    /// The peer's process, if it is known.
    peer: Option<libc::pid_t>,
    /// For reading the peer's memory; `None`: not tried yet, or never.
    reader: Option<CmaReader>,
    has_probed: bool,
    awaited: CmaChoice,
    /// Memory that can be lent without a copy, ours and the peer's.
    arenas: Arenas,
}

// SAFETY: the raw pointer in `head` points into `memory`, which the link owns and which any thread may
// use; all access goes through `&mut self`.
unsafe impl Send for ShmLink {}

impl ShmLink {
    /// `memory` is zeroed, `layout::pair_bytes(slots)` long, mapped by exactly two links, one for each side. `peer` is the other
    /// side's process, if it is known.
    fn new(
        memory: SharedMemory,
        slots: usize,
        side: usize,
        peer: Option<libc::pid_t>,
    ) -> io::Result<ShmLink> {
        assert!(memory.len() >= layout::pair_bytes(slots) && side < 2);
        cma::publish_landmark(&words(&memory, side))?;
        Ok(ShmLink {
            memory,
            slots,
            side,
            outgoing: layout::ring(side),
            incoming: layout::ring(1 - side),
            producer: Producer::new(slots),
            consumer: Consumer::new(slots, layout::lead(slots)),
            head: None,
            head_area: None,
            settled: 0,
            areas: BouncePool::new(side, layout::share(slots)),
            is_doorbell_due: false,
            distance: CacheDistance::default(),
            stores: StoreMode::default(),
            is_oversubscribed: false,
            offer: None,
            offered: 0,
            peer,
            reader: None,
            has_probed: false,
            awaited: CmaChoice::default(),
            arenas: Arenas::default(),
        })
    }

    /// The peer has just shown that it is there: can we read it?
    #[cold]
    fn probe(&mut self) {
        self.has_probed = true;
        if let Some(pid) = self.peer {
            let (theirs, ours) = (words(&self.memory, 1 - self.side), words(&self.memory, self.side));
            self.reader = cma::probe(pid, &theirs, &ours).map(CmaReader::new);
            self.awaited.can_fetch = self.reader.is_some();
        }
    }

    /// Whether the peer can read our memory.
    fn is_readable(&self) -> bool {
        words(&self.memory, 1 - self.side).can_read.load(Ordering::Acquire) == 1
    }

    /// The peer may read `bytes` bytes of our memory from now on.
    fn begin_offer(&mut self, header: &Header, bytes: usize) {
        self.offer = Some(Offer::new(header, bytes, self.offered));
        // The last one, if it was withdrawn, has been read to its end.
        self.word32(self.outgoing + layout::WITHDRAWN).store(0, Ordering::Relaxed);
    }

    /// So many bytes of the sender's memory were read. An error: they may be anything.
    fn have_read(&mut self, ring: usize, bytes: usize) -> io::Result<()> {
        if let Some(reader) = &mut self.reader {
            reader.consume(bytes);
        }
        // The bytes were read before this word: if they were written after it, it is seen.
        fence(Ordering::Acquire);
        let is_withdrawn = self.word32(ring + layout::WITHDRAWN).load(Ordering::Relaxed) != 0;
        let fetched = self.word64(ring + layout::FETCHED);
        // Only this side writes it: no read-modify-write is needed.
        fetched.store(fetched.load(Ordering::Relaxed).wrapping_add(bytes as u64), Ordering::Release);
        self.is_doorbell_due = true;
        if is_withdrawn { Err(io::Error::other("the sender's call has failed")) } else { Ok(()) }
    }

    /// Copies a payload into an area.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes, no more than an area has. The area is ours.
    #[inline]
    unsafe fn fill(&mut self, area: u16, data: *const u8, bytes: usize) {
        let area = self.at(layout::area(area));
        // SAFETY: the caller vouches for `data`; the target is an area that is
        // ours until it is published, inside the mapping, and no user buffer overlaps our mapping.
        let copy = |way| unsafe { copy_to_shared(area, data, bytes, way) };
        if self.distance.is_far() {
            self.stores.copy(bytes, |past| copy(if past { CopyMode::PastCaches } else { CopyMode::Far }));
        } else {
            copy(CopyMode::Near);
        }
    }

    /// Has done with the fragment at the head, which `peek` or `head` has found.
    #[inline]
    pub fn release(&mut self) {
        if self.awaited.is_watching() {
            self.watch_its_end();
        }
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.consumer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(self.incoming).cast()) };
        // If it has just gone to sleep, it is found at the next fragment, or has nothing to wait for.
        let is_asleep = self.word32(layout::sleeping(1 - self.side)).load(Ordering::Relaxed) != 0;
        self.is_doorbell_due |= self.consumer.release(consumed, self.head_area.is_some(), is_asleep);
        if let Some(area) = self.head_area
            && self.areas.release(area)
        {
            self.settle();
        }
    }

    /// Gives areas back if this side has too many.
    #[cold]
    fn settle(&mut self) {
        // SAFETY: as in `word64`; written out so that the borrow does not tie up the fields.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(self.outgoing).cast()) };
        // Where both sides send, nothing else looks at it.
        if self.settled.is_multiple_of(SETTLED_PER_SAMPLE) {
            self.distance.sample(consumed);
        }
        self.settled = self.settled.wrapping_add(1);
        if self.areas.has_too_many(self.producer.areas_under_way()) {
            // A spoilt count shows again where it is treated.
            let _ = self.producer.look(consumed);
        }
        let [from_peer, to_peer] =
            [self.incoming, self.outgoing].map(|ring| returns(&self.memory, ring, self.slots));
        self.is_doorbell_due |= self.areas.settle(self.producer.areas_under_way(), from_peer, to_peer);
    }

    /// Whether so many areas are free.
    #[inline]
    fn has_areas(&mut self, areas: usize) -> bool {
        self.areas.has(areas, returns(&self.memory, self.incoming, self.slots))
    }

    /// Whether so many more areas may be under way, which are `most` then.
    #[inline]
    fn may_go(&mut self, areas: usize, most: usize) -> io::Result<bool> {
        if self.producer.areas_under_way() + areas > most {
            // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.producer`.
            let consumed = unsafe { AtomicU64::from_ptr(self.at(self.outgoing).cast()) };
            self.distance.sample(consumed);
            self.producer.look(consumed).map_err(|_| garbage("consumed too much"))?;
        }
        Ok(self.producer.areas_under_way() + areas <= most)
    }

    /// The area of the fragment at the head, of which the control line is at `line`.
    #[inline]
    fn came(&mut self, line: usize, area: u16) -> io::Result<*const u8> {
        if !self.areas.may_come(area) {
            return Err(garbage("a fragment in an area that is not the sender's"));
        }
        let consumed = self.word64(line + 32).load(Ordering::Relaxed);
        self.producer.hear(consumed).map_err(|_| garbage("consumed too much"))?;
        Ok(self.at(layout::area(area)))
    }

    /// Sends one fragment, of so many of `bytes` bytes as find room in it, but `most`. `None`: no area is free.
    ///
    /// # Safety
    /// `data` is readable for `bytes` bytes. `line` is the control line of the next slot, which is free; one more area may go.
    #[inline]
    unsafe fn put(
        &mut self,
        line: usize,
        header: &Header,
        data: *const u8,
        bytes: usize,
        most: usize,
    ) -> Option<usize> {
        if bytes <= FRAGMENT_BYTES {
            self.leaves(data, bytes);
        }
        if bytes <= INLINE_BYTES {
            // SAFETY: the caller vouches for `data`; the target is the 32 bytes of a control line that is
            // ours until it is published, inside the mapping.
            unsafe { std::ptr::copy_nonoverlapping(data, self.at(line + 32), bytes) };
            self.publish(line, header, Extent { bytes, area: 0 });
            return Some(bytes);
        }
        if !self.has_areas(1) {
            return None;
        }
        let area = self.areas.pop()?;
        let (left, bytes) = (bytes, bytes.min(most));
        // SAFETY: the caller vouches for `data`; the area is ours.
        unsafe { self.fill(area, data, bytes) };
        if bytes >= FINE_BYTES {
            self.word64(line + 40).store(left as u64, Ordering::Relaxed);
        }
        self.publish(line, header, Extent { bytes, area });
        Some(bytes)
    }

    /// Hands over a fragment in its control line.
    #[inline]
    fn publish(&mut self, line: usize, header: &Header, extent: Extent) {
        let has_area = extent.bytes > INLINE_BYTES;
        if has_area {
            self.word64(line + 32).store(self.consumer.consumed(), Ordering::Relaxed);
        }
        self.publish_word(line, header, extent.encode(), has_area);
    }

    /// Fills a control line but for the payload, and hands it over.
    #[inline]
    fn publish_word(&mut self, line: usize, header: &Header, word: u32, has_area: bool) {
        self.word32(line + 4).store(word, Ordering::Relaxed);
        self.word32(line + 8).store(header.context, Ordering::Relaxed);
        self.word32(line + 12).store(header.sequence, Ordering::Relaxed);
        self.word64(line + 16).store(header.call[0], Ordering::Relaxed);
        self.word64(line + 24).store(header.call[1], Ordering::Relaxed);
        // SAFETY: as in `word32`; written out so that the borrow does not tie up `self.producer`.
        let turn = unsafe { AtomicU32::from_ptr(self.at(line).cast()) };
        self.producer.publish(turn, has_area);
        self.is_doorbell_due = true;
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.memory.len());
        // SAFETY: every offset is made by `layout` from a slot below `slots`, a side below 2 or an area that either side has, hence inside
        // the mapping, whose length `new` has checked.
        unsafe { self.memory.start().add(offset) }
    }

    fn word32(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: inside the mapping (see `at`), which lives as long as `self`; offsets are multiples of 4 on
        // a page-aligned start. The word is only ever used as an atomic, by this process and by the peer.
        unsafe { AtomicU32::from_ptr(self.at(offset).cast()) }
    }

    fn word64(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as in `word32`, with offsets that are multiples of 8.
        unsafe { AtomicU64::from_ptr(self.at(offset).cast()) }
    }
}

impl Link for ShmLink {
    #[inline]
    unsafe fn send(
        &mut self,
        header: &Header,
        data: *const u8,
        bytes: usize,
        single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        let ring = self.outgoing;
        if let Some(offer) = &mut self.offer
            && (offer.is_abandoned || offer.header == *header)
        {
            // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.offer`.
            let fetched = unsafe {
                AtomicU64::from_ptr(self.memory.start().wrapping_add(ring + layout::FETCHED).cast())
            };
            self.distance.sample_after(fetched, offer.counted);
            let read = offer.progress(fetched)?;
            self.offered = offer.counted;
            let is_abandoned = offer.is_abandoned;
            if offer.left == 0 {
                self.offer = None;
            }
            if !is_abandoned {
                return Ok(read);
            }
        }
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.producer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
        let spoilt = |_| garbage("consumed too much");
        if self.producer.must_look_for(1) {
            self.distance.sample(consumed);
        }
        if !self.producer.has_room(consumed, 1).map_err(spoilt)? {
            return Ok(None);
        }
        let line = ring + layout::line(self.producer.next_slot());
        if single_copy != SingleCopy::Never
            && bytes >= ZERO_COPY_BYTES
            && self.offer.is_none()
            && let Some(offset) = self.lendable(data, bytes)
        {
            self.lend(line, header, data, bytes, offset);
            return Ok(None);
        }
        let may_offer = bytes >= OFFER_BYTES
            && match single_copy {
                SingleCopy::Always => true,
                SingleCopy::IfOversubscribed => self.is_oversubscribed,
                SingleCopy::IfFaster => self.is_oversubscribed || self.is_awaited(bytes),
                SingleCopy::MappedOnly | SingleCopy::Never => false,
            };
        if may_offer && self.offer.is_none() && self.is_readable() {
            let [address, length] = cma::encode(data as u64, bytes);
            self.word64(line + 32).store(address, Ordering::Relaxed);
            self.word64(line + 40).store(length, Ordering::Relaxed);
            self.begin_offer(header, bytes);
            self.publish_word(line, header, layout::OFFER, false);
            return Ok(None);
        }
        // Whoever shares our core reads when we have ended.
        let is_led = bytes > FINE_BYTES && !self.is_oversubscribed;
        let most = if is_led { layout::lead(self.slots) } else { layout::share(self.slots) };
        if bytes > INLINE_BYTES && !self.may_go(1, most)? {
            return Ok(None);
        }
        // SAFETY: passed on from our caller; the slot is free.
        Ok(unsafe { self.put(line, header, data, bytes, FRAGMENT_BYTES) })
    }

    fn cancel_sent(&mut self, header: &Header) {
        let ring = self.outgoing;
        // SAFETY: as in `word64`; written out so that the borrow does not tie up `self.producer`.
        let consumed = unsafe { AtomicU64::from_ptr(self.at(ring).cast()) };
        // A spoilt count shows again where it is treated.
        if self.producer.look(consumed).is_err() {
            return;
        }
        for slot in self.producer.unread() {
            let line = ring + layout::line(slot);
            let context = self.word32(line + 8);
            let is_of_call = context.load(Ordering::Relaxed) == header.context
                && self.word32(line + 12).load(Ordering::Relaxed) == header.sequence;
            if is_of_call {
                // A receiver that is reading it now was in time.
                context.store(header.context | CANCELLED, Ordering::Relaxed);
            }
        }
    }

    unsafe fn abandon(&mut self, header: &Header, _data: *const u8, _bytes: usize) {
        if let Some(offer) = self.offer.as_mut().filter(|offer| offer.header == *header) {
            offer.is_abandoned = true;
            self.word32(self.outgoing + layout::WITHDRAWN).store(1, Ordering::Relaxed);
            // Before anybody writes to that memory again: who reads what is written then sees this word, too.
            fence(Ordering::SeqCst);
        }
    }

    #[inline]
    fn head(&mut self) -> io::Result<Option<Header>> {
        if let Some(head) = &self.head {
            return Ok(Some(head.header));
        }
        let slot = self.consumer.slot();
        let ring = self.incoming;
        let line = ring + layout::line(slot);
        if !self.consumer.is_filled(self.word32(line)) {
            self.look_in_vain();
            return Ok(None);
        }
        if !self.has_probed {
            self.probe();
        }
        let extent = self.word32(line + 4).load(Ordering::Relaxed);
        let header = Header {
            context: self.word32(line + 8).load(Ordering::Relaxed),
            sequence: self.word32(line + 12).load(Ordering::Relaxed),
            call: [
                self.word64(line + 16).load(Ordering::Relaxed),
                self.word64(line + 24).load(Ordering::Relaxed),
            ],
        };
        let (place, bytes, area) = if extent == layout::OFFER {
            let address = self.word64(line + 32).load(Ordering::Relaxed);
            (Place::Offered(address), self.word64(line + 40).load(Ordering::Relaxed) as usize, None)
        } else if extent == layout::LOAN {
            let offset = self.word64(line + 32).load(Ordering::Relaxed);
            let length = self.word64(line + 40).load(Ordering::Relaxed);
            (Place::Lent(self.arenas.borrow(offset, length)?), length as usize, None)
        } else {
            let extent = Extent::decode(extent).ok_or_else(|| garbage("a fragment longer than its area"))?;
            if extent.bytes <= INLINE_BYTES {
                (Place::Slot(self.at(line + 32)), extent.bytes, None)
            } else {
                (Place::Slot(self.came(line, extent.area)?), extent.bytes, Some(extent.area))
            }
        };
        self.is_here(line, &place, bytes);
        self.head_area = area;
        self.head = Some(Head { header, place, bytes, consumed: 0 });
        Ok(Some(header))
    }

    #[inline]
    fn arrival(&mut self) -> io::Result<Arrival> {
        let head = self.head.ok_or_else(|| garbage("no fragment"))?;
        let left = head.bytes - head.consumed;
        match head.place {
            Place::Slot(data) => {
                // SAFETY: `consumed` is at most `bytes`, which `head` checked against its area: inside the
                // mapping.
                let data = unsafe { data.add(head.consumed) };
                Ok(Arrival { data, bytes: left, complete: true })
            }
            Place::Offered(address) => {
                let reader = self.reader.as_mut().ok_or_else(|| garbage("an offer that nobody can take"))?;
                let address = address.wrapping_add(head.consumed as u64);
                let (data, bytes) = reader.piece(address, left)?;
                Ok(Arrival { data, bytes, complete: bytes == left })
            }
            Place::Lent(data) => {
                let bytes = left.min(PIECE_BYTES);
                Ok(Arrival { data: data.wrapping_add(head.consumed), bytes, complete: bytes == left })
            }
        }
    }

    #[inline]
    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, streamed: bool) -> io::Result<usize> {
        self.arenas.received = (dst.addr(), bytes);
        if let (Some(head), Some(reader)) = (self.head, &self.reader)
            && let Place::Offered(address) = head.place
            && !reader.has_piece()
        {
            let want = bytes.min(head.bytes - head.consumed);
            let address = address.wrapping_add(head.consumed as u64);
            // SAFETY: the caller vouches for `bytes` writable bytes at `dst`, of which this uses at most that.
            let n = unsafe { reader.process.read(address, dst, want) }?;
            self.consume(n)?;
            return Ok(n);
        }
        if let Some(Head { place: Place::Lent(_), .. }) = self.head {
            // SAFETY: passed on from our caller.
            return unsafe { self.take_lent(dst, bytes, streamed) };
        }
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes of the fragment are inside the mapping, those of a piece in our own buffer; the caller vouches
        // for `dst` and that it does not overlap our memory. The peer wrote a fragment before the turn that `head` has
        // seen (Acquire); if it breaks the protocol it can only spoil the bytes.
        unsafe { copy_from_shared(dst, arrival.data, n, streamed) };
        self.consume(n)?;
        Ok(n)
    }

    #[inline]
    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        let ring = self.incoming;
        let Some(head) = &mut self.head else { return Ok(()) };
        head.consumed += bytes;
        debug_assert!(head.consumed <= head.bytes);
        let is_over = head.consumed >= head.bytes;
        let is_elsewhere = matches!(head.place, Place::Offered(_) | Place::Lent(_));
        if is_over {
            self.head = None;
        }
        let outcome = if is_elsewhere { self.have_read(ring, bytes) } else { Ok(()) };
        if is_over {
            self.release();
        }
        outcome
    }

    fn discard(&mut self) -> io::Result<bool> {
        let Some(head) = self.head else { return Ok(false) };
        // Nobody has looked at the bytes, so it does not matter what they were.
        let _ = self.consume(head.bytes - head.consumed);
        Ok(true)
    }

    fn set_oversubscribed(&mut self, oversubscribed: bool) {
        self.is_oversubscribed = oversubscribed;
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn set_sleeping(&mut self, sleeping: bool) {
        let flag = self.word32(layout::sleeping(self.side));
        if sleeping {
            protocol::announce_sleep(flag);
        } else {
            flag.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn peer_needs_doorbell(&mut self) -> bool {
        std::mem::take(&mut self.is_doorbell_due)
            && protocol::must_wake(self.word32(layout::sleeping(1 - self.side)))
    }

    #[inline]
    fn peer_is_asleep(&self) -> bool {
        self.is_doorbell_due && self.word32(layout::sleeping(1 - self.side)).load(Ordering::Relaxed) != 0
    }

    fn transport(&self) -> &'static str {
        "shm"
    }
}

/// The entries for areas that the side that fills a ring gives back.
#[inline]
fn returns(memory: &SharedMemory, ring: usize, slots: usize) -> &[AtomicU32] {
    let start = memory.start().wrapping_add(ring + layout::RETURNS).cast_const().cast();
    // SAFETY: inside the mapping, as `layout` says; aligned; lives as long as the borrow of `memory`. Used as atomics only, by this
    // process and by the peer.
    unsafe { std::slice::from_raw_parts(start, 2 * layout::share(slots)) }
}

/// The single-copy words of a side.
fn words(memory: &SharedMemory, side: usize) -> CmaWords<'_> {
    let at = |offset: usize| memory.start().wrapping_add(layout::single_copy(side) + offset);
    CmaWords {
        // SAFETY: inside the mapping, as `layout` says; aligned; lives as long as the borrow of `memory`. Used as an
        // atomic only, by this process and by the peer.
        address: unsafe { AtomicU64::from_ptr(at(0).cast()) },
        // SAFETY: as above.
        value: unsafe { AtomicU64::from_ptr(at(8).cast()) },
        // SAFETY: as above.
        is_there: unsafe { AtomicU32::from_ptr(at(16).cast()) },
        // SAFETY: as above.
        can_read: unsafe { AtomicU32::from_ptr(at(20).cast()) },
    }
}

#[cfg(test)]
mod tests;
